import GeoIndex
import JSONText
import Testing

@testable import GeoService
@testable import GeoStore

@Suite struct LayerColumnsTests {
    private let index = LayerIndex()
    private let columns = LayerColumns()
    private let budget = ColumnBudget(limitBytes: 10_000)

    private func paths(_ text: String) throws -> [WherePath] {
        try Where(JSONParser.parse(text: text), of: "Spot").paths
    }

    private func key(_ id: String) throws -> UInt64 {
        try #require(index.current.objectKey(for: id)).bits
    }

    private func document(_ id: String, _ fields: JSONObject) -> Document {
        Document(
            className: "Spot", objectId: id, createdAt: Timestamp(milliseconds: 0), fields: fields)
    }

    private func apply(_ id: String, _ fields: JSONObject?, isPublic: Bool = true) throws {
        let after = fields.map { document(id, $0) }
        let located = try after.map {
            LocatedObject(
                objectId: id, exactPosition: try LonLat(lon: 1, lat: 2), accuracy: nil,
                createdAt: $0.createdAt, updatedAt: $0.updatedAt, expiresAt: nil,
                readers: isPublic ? .everybody : .nobody, kind: nil, weight: 1, owner: nil,
                content: 0)
        }
        let ids = index.current
        columns.apply(
            [
                DocumentChange(
                    className: "Spot", objectId: id, before: nil, after: after, locatedBefore: nil,
                    locatedAfter: located)
            ], key: { ids.objectKey(for: $0) }, publish: {})
    }

    private func value(_ id: String, _ hold: LayerColumns.Hold) throws -> FieldValue? {
        columns.view(hold) { index.current }.1[0][try key(id)]
    }

    @Test("what was read never takes the place of what was written")
    func order() throws {
        let hold = columns.open(try paths(#"{"n":1}"#), budget: budget)
        try apply("a", ["n": 2])
        columns.insert([(key: try key("a"), values: [.number(1)])], of: hold)
        columns.insert([(key: try key("b"), values: [.number(5)])], of: hold)
        #expect(try value("a", hold) == .number(2))
        #expect(try value("b", hold) == .number(5))
        try apply("b", ["other": 1])
        #expect(try value("b", hold) == .missing)
    }

    @Test("what was deleted while it was read stays deleted", arguments: [true, false])
    func deletion(isHidden: Bool) throws {
        let hold = columns.open(try paths(#"{"n":1}"#), budget: budget)
        if isHidden {
            try apply("a", ["n": 7], isPublic: false)
        } else {
            try apply("a", nil)
        }
        columns.insert([(key: try key("a"), values: [.number(1)])], of: hold)
        // Who may read a private object may ask about it.
        #expect(try value("a", hold) == (isHidden ? .number(7) : .missing))
    }

    @Test("a view keeps its commit while others are made")
    func view() throws {
        let hold = columns.open(try paths(#"{"n":1}"#), budget: budget)
        try apply("a", ["n": 1])
        let before = columns.view(hold) { index.current }.1[0]
        try apply("a", ["n": 2])
        let key = try key("a")
        #expect(before[key] == .number(1))
        #expect(try value("a", hold) == .number(2))
    }

    @Test("fields go with their layer")
    func release() throws {
        weak var gone: LayerColumns?
        do {
            let columns = LayerColumns()
            gone = columns
            let hold = columns.open(try paths(#"{"n":1}"#), budget: budget)
            columns.insert([(key: UInt64(1), values: [.number(1)])], of: hold)
            columns.close(hold)
            #expect(budget.takenBytes > 0)
        }
        #expect(gone == nil)
        #expect(budget.takenBytes == 0)
    }

    @Test("fields in use stay, others go, the one unused for longest first")
    func eviction() throws {
        let old = columns.open(try paths(#"{"old":1}"#), budget: budget)
        let used = columns.open(try paths(#"{"used":1}"#), budget: budget)
        let text = FieldValue.text(String(repeating: "x", count: 6_000))
        columns.insert([(key: try key("a"), values: [text])], of: old)
        columns.close(old)
        #expect(budget.takenBytes == columns.bytes)
        budget.collect()
        #expect(columns.bytes > 6_000)
        columns.insert([(key: try key("a"), values: [text])], of: used)
        budget.collect()
        #expect((6_000..<7_000).contains(columns.bytes))
        #expect(try value("a", used) == text)
        // What was read for a field that has gone since does not come into the new one.
        let again = columns.open(try paths(#"{"old":1}"#), budget: budget)
        columns.insert([(key: try key("b"), values: [.number(1)])], of: old)
        #expect(try value("b", again) == nil)
        columns.insert([(key: try key("b"), values: [text])], of: again)
        budget.collect()
        #expect(columns.bytes > 12_000, "both are in use")
        columns.close(used)
        columns.close(again)
        budget.collect()
        #expect(columns.bytes < 10_000)
        #expect(budget.takenBytes == columns.bytes)
    }
}
