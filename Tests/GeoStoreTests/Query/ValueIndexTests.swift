import JSONText
import Testing

@testable import GeoStore

@Suite("Indexes of fields")
struct ValueIndexTests {
    @Test("a page by an indexed pointer in the order of time reads the page alone")
    func readsThePage() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<3_000 {
                try transaction.insert(
                    Document(
                        className: "Post", objectId: "p\(number)",
                        createdAt: Timestamp(milliseconds: Int64(number)),
                        fields: [
                            "author": [
                                "__type": "Pointer", "className": "_User",
                                "objectId": .string("u\(number % 3)"),
                            ]
                        ]))
            }
        }
        var query = ObjectQuery(
            "Post",
            try Where(
                ["author": ["__type": "Pointer", "className": "_User", "objectId": "u1"]],
                of: "Post"), limit: 20)
        query.order = [ObjectOrder(.createdAt, isDescending: true)]
        func find() throws -> ObjectSelection {
            let catalog = store.catalog
            return try store.read {
                try $0.select(
                    query,
                    for: QueryAccess(
                        scope: { _ in ObjectScope(readers: .anonymous) }, shown: { $0 },
                        schema: { catalog[$0] }, seesEverything: false))
            }
        }
        let before = try find()
        #expect(before.lookedAt > 50)
        _ = try store.write { try $0.declareIndex("author", of: "Post") }
        while try store.write({ try $0.buildIndex("author", of: "Post", limit: 400) }) {}
        let after = try find()
        #expect(after.ids == before.ids && after.ids.first == "p2998")
        #expect(after.lookedAt == 20)
        #expect(after.indexedField == "author")
        // Without the index it is as before.
        _ = try store.write { try $0.dropIndex("author", of: "Post") }
        #expect(try find().ids == before.ids)
        while try store.write({ try $0.buildIndex("author", of: "Post", limit: 400) }) {}
        #expect(try store.read { try $0.indexes(of: "Post") }.isEmpty)
    }

    @Test("a class has eight indexes at most, and a field one")
    func limits() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { try $0.insert(.spot("a")) }
        let made = try store.write { transaction in
            try (0..<10).map { try transaction.declareIndex("f\($0 % 9)", of: "Spot") }
        }
        #expect(made == [Bool](repeating: true, count: 8) + [false, false])
        #expect(try store.write { try $0.declareIndex("f", of: "None") } == false)
        #expect(throws: WhereError.self) {
            try store.write { try $0.declareIndex("a b", of: "Spot") }
        }
    }

    @Test("an index that a long list would fill is given up, and queries stay right")
    func longLists() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        let long = JSONValue.array((0..<1_000).map { .integer($0) })
        try store.write { transaction in
            try transaction.insert(.spot("a", ["tags": [1, 2]]))
            try transaction.declareIndex("tags", of: "Spot")
        }
        while try store.write({ try $0.buildIndex("tags", of: "Spot") }) {}
        #expect(try store.read { try $0.indexes(of: "Spot").map(\.state) } == [.whole])
        try store.write { try $0.insert(.spot("b", ["tags": long])) }
        #expect(try store.read { try $0.indexes(of: "Spot").map(\.state) } == [.dropping])
        let condition = try Where(["tags": 900], of: "Spot")
        let catalog = store.catalog
        let found = try store.read {
            try $0.select(
                ObjectQuery("Spot", condition, limit: 10),
                for: QueryAccess(
                    scope: { _ in .all }, shown: { $0 }, schema: { catalog[$0] },
                    seesEverything: true))
        }
        #expect(found.ids == ["b"])
    }
}
