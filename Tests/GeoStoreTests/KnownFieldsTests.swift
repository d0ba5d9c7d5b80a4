import GeoIndex
import JSONText
import Testing

@testable import GeoStore

@Suite("Documents that are like the one before")
struct KnownFieldsTests {
    private struct Stop: Error {}

    @Test("a type that was undone does not stay known")
    func undone() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.insert(.spot("a", ["size": 1]))
                try transaction.insert(.spot("b", ["size": 2]))
                throw Stop()
            }
        }
        try store.write { transaction in
            try transaction.insert(.spot("a", ["size": "small"]))
            try transaction.insert(.spot("b", ["size": "large"]))
        }
        #expect(store.catalog["Spot"]?.fields["size"] == .string)
        #expect(throws: SchemaError.self) {
            try store.write { try $0.insert(.spot("c", ["size": 3])) }
        }
    }

    @Test(
        "a value of another type is refused, whatever was known",
        arguments: [
            ["size": "3"], ["size": .number(.nan)], ["size": ["__type": "GeoPoint"]],
            ["size": 3, "at": ["__type": "GeoPoint", "latitude": 1, "longitude": 2]],
            ["size": 3, "bad name": 1], ["size": 3, "createdAt": 1], ["flag": 1],
            ["place": "here"],
        ] as [JSONObject])
    func refused(fields: JSONObject) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { transaction in
            try transaction.insert(.spot("a", ["size": 1, "flag": true]))
            #expect(throws: SchemaError.self) { try transaction.insert(.spot("b", fields)) }
            try transaction.insert(.spot("c", ["flag": false]))
            #expect(throws: SchemaError.self) { try transaction.insert(.spot("not an id", [:])) }
        }
        #expect(try store.read { try $0.count(of: "Spot") } == 2)
    }

    @Test("a stored form made for another GeoPoint field is made anew")
    func otherField() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        var preparer = DocumentPreparer()
        for (id, guess) in [("a", "place"), ("b", "elsewhere"), ("c", nil)] {
            let encoded = preparer.prepare(try .spot(id), geoPointField: guess)
            #expect(try store.write { try $0.upsert(encoded) } == .added)
        }
        var located: [String] = []
        try store.read { reader in
            try reader.scanLocated("Spot") { located.append($0.objectId) }
        }
        #expect(located.sorted() == ["a", "b", "c"])
    }

    @Test("ids are listed in their order from any one on")
    func ids() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { transaction in
            for id in ["b", "a", "Z", "c", "-"] { try transaction.insert(.spot(id)) }
        }
        func ids(after: String, most: Int = .max) throws -> [String] {
            var found: [String] = []
            try store.read { reader in
                try reader.scanIds("Spot", after: after) { id in
                    found.append(id)
                    return found.count < most
                }
            }
            return found
        }
        #expect(try ids(after: "") == ["-", "Z", "a", "b", "c"])
        #expect(try ids(after: "a") == ["b", "c"])
        #expect(try ids(after: "", most: 2) == ["-", "Z"])
        #expect(try ids(after: "c") == [])
    }
}
