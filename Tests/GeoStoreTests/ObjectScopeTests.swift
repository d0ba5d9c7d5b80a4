import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("What a scope leaves out")
struct ObjectScopeTests {
    private static func date(_ milliseconds: Int64) -> JSONValue {
        ["__type": "Date", "iso": .string(Timestamp(milliseconds: milliseconds).description)]
    }

    private static let start: Int64 = 1_700_000_000_000

    @Test(
        "what has expired, by its column or by any Date field",
        arguments: ["expiresAt", "endsAt"], 0..<8)
    func expiry(field: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        let store = try scratch.open()
        let times = (0..<60).map { _ in Self.start + Int64.random(in: 0..<20, using: &random) }
        let documents = try times.enumerated().map { number, time in
            try Document.spot(
                "id\(number)",
                acl: number % 5 == 0 ? AccessList() : nil,
                number % 4 == 0
                    ? [:] : number % 7 == 0 ? [field: nil] : [field: Self.date(time)])
        }
        try store.write { transaction in
            for document in documents { try transaction.insert(document) }
        }
        for offset in Int64(-1)...20 {
            let now = Timestamp(milliseconds: Self.start + offset)
            let expiry = ObjectScope.Expiry(field: field, now: now)
            for onlyPublic in [false, true] {
                let scope = ObjectScope(readers: onlyPublic ? .anonymous : .master, expiry: expiry)
                let twin = documents.filter {
                    let end = $0.fields[field]?["iso"]?.stringValue
                    return (!onlyPublic || $0.isPublic)
                        && (end.map { $0 > now.description } ?? true)
                }
                let ids = try store.read {
                    try $0.objectIds(of: "Spot", in: scope, skip: 0, limit: 100)
                }
                #expect(ids == twin.map(\.objectId).sorted())
                #expect(try store.read { try $0.count(of: "Spot", in: scope) } == twin.count)
            }
            #expect(
                documents.map { expiry.isOver($0) }
                    == documents.map { document in
                        let end = document.fields[field]?["iso"]?.stringValue
                        return end.map { $0 <= now.description } ?? false
                    })
        }
    }

    @Test("a date in any form is its instant; what is no date never comes")
    func forms() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let values: [(String, JSONValue)] = [
            ("offset", ["__type": "Date", "iso": "2026-01-01T02:00:00+02:00"]),
            ("short", ["__type": "Date", "iso": "2026-01-01T00:00:00Z"]),
            ("exact", ["__type": "Date", "iso": "2026-01-01T00:00:00.000Z"]),
        ]
        let documents = try values.map { try Document.spot($0.0, ["endsAt": $0.1]) }
        let object = try Document.spot("z", ["other": ["iso": "2000-01-01T00:00:00.000Z"]])
        try store.write { transaction in
            for document in documents { try transaction.insert(document) }
            try transaction.insert(object)
        }
        func ids(_ field: String, _ text: String) throws -> [String] {
            let now = try #require(Timestamp(rfc3339: text))
            return try store.read {
                try $0.objectIds(
                    of: "Spot",
                    in: ObjectScope(
                        readers: .anonymous, expiry: .init(field: field, now: now)), skip: 0,
                    limit: 9)
            }
        }
        #expect(try ids("endsAt", "2025-12-31T23:59:59.999Z") == ["exact", "offset", "short", "z"])
        #expect(try ids("endsAt", "2026-01-01T00:00:00.000Z") == ["z"])
        #expect(try ids("other", "2026-01-01T00:00:00.000Z").count == 4)
    }
}
