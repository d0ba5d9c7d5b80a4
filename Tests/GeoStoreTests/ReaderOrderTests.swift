import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("Ids in an order")
struct ReaderOrderTests {
    @Test(
        "times and ids in both directions, public objects alone, and a window",
        arguments: 0..<8 as Range<UInt64>)
    func orders(seed: UInt64) throws {
        let store = try Scratch().open()
        var random = SeededGenerator(seed: seed)
        let documents = try (0..<80).map { _ in
            var document = try Document.spot(
                ObjectID.random(), at: Int64.random(in: 0..<9, using: &random),
                acl: Bool.random(using: &random) ? nil : AccessList())
            document.updatedAt = Timestamp(milliseconds: .random(in: 0..<9, using: &random))
            return document
        }
        try store.write { transaction in
            for document in documents { try transaction.insert(document) }
        }
        #expect(
            try store.read { try $0.count(of: "Spot", in: ObjectScope(readers: .anonymous)) }
                == documents.count(where: \.isPublic))
        #expect(
            try store.read { try $0.count(of: "None", in: ObjectScope(readers: .anonymous)) } == 0)
        let keys: [(ObjectOrder.Key, (Document) -> Int64)] = [
            (.createdAt, { $0.createdAt.milliseconds }),
            (.updatedAt, { $0.updatedAt.milliseconds }),
        ]
        for (key, value) in keys {
            for isDescending in [false, true] {
                for onlyPublic in [false, true] {
                    let twin = documents.filter { !onlyPublic || $0.isPublic }.sorted {
                        value($0) == value($1)
                            ? $0.objectId < $1.objectId : (value($0) < value($1)) != isDescending
                    }
                    let found = try store.read {
                        try $0.objectIds(
                            of: "Spot", orderedBy: [ObjectOrder(key, isDescending: isDescending)],
                            in: ObjectScope(readers: onlyPublic ? .anonymous : .master), skip: 5,
                            limit: 20)
                    }
                    #expect(found == twin.dropFirst(5).prefix(20).map(\.objectId))
                }
            }
        }
        let descending = try store.read {
            try $0.objectIds(
                of: "Spot", orderedBy: [ObjectOrder(.objectId, isDescending: true)],
                in: ObjectScope(readers: .master), skip: 0, limit: 100)
        }
        #expect(descending == documents.map(\.objectId).sorted().reversed())
    }

    @Test("missing values first, then numbers, then text; dates in the order of time")
    func mixedValues() throws {
        let store = try Scratch().open()
        let values: [(String, JSONValue)] = [
            ("a", nil), ("b", ["k": nil]), ("c", ["k": false]), ("d", ["k": 0.5]),
            ("e", ["k": true]),
            ("f", ["k": 10]), ("g", ["k": "10"]), ("h", ["k": "9"]), ("i", ["k": "é"]),
        ]
        let dates = [
            "1969-12-31T23:59:59.999Z", "2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.001Z",
        ]
        try store.write { transaction in
            for (id, value) in values.reversed() {
                try transaction.insert(try .spot(id, ["o": value]))
            }
            for (place, iso) in dates.enumerated().reversed() {
                try transaction.insert(
                    Document(
                        className: "Dated", objectId: "d\(place)",
                        createdAt: Timestamp(milliseconds: 0),
                        fields: ["when": ["__type": "Date", "iso": .string(iso)]]))
            }
        }
        func ids(_ name: String, _ path: [String]) throws -> [String] {
            try store.read {
                try $0.objectIds(
                    of: name, orderedBy: [ObjectOrder(.field(path))],
                    in: ObjectScope(readers: .anonymous), skip: 0,
                    limit: 100)
            }
        }
        #expect(try ids("Spot", ["o", "k"]) == values.map(\.0))
        #expect(try ids("Dated", ["when"]) == ["d0", "d1", "d2"])
        #expect(try ids("Spot", ["none", "at all"]) == values.map(\.0))
    }

    @Test("a read that must not wait is told when all readers are lent")
    func readIfFree() throws {
        var options = StoreOptions()
        options.readers = 2
        let store = try Scratch().open(options)
        try store.write { try $0.insert(try .spot("a")) }
        func countIfFree() throws -> Int? {
            try store.readIfFree { reader throws in try reader.count(of: "Spot") }
        }
        let counts = try store.read { _ throws -> [Int?] in
            let whileOneIsLent = try countIfFree()
            let whileBothAreLent = try store.read { _ throws in try countIfFree() }
            return [whileOneIsLent, whileBothAreLent]
        }
        #expect(counts == [1, nil])
        #expect(try countIfFree() == 1)
    }
}
