import GeoStore
import JSONText
import Testing

@Suite("Relations")
struct RelationTests {
    private struct Wanted: Error {}

    private static func store(_ scratch: Scratch) throws -> SQLiteStore {
        let store = try scratch.open()
        try store.write { transaction in
            try transaction.addField("users", .relation("_User"), to: "_Role")
            try transaction.addField("roles", .relation("_Role"), to: "_Role")
            try transaction.addField("name", .string, to: "_Role")
            for id in ["r1", "r2", "r3"] { try transaction.insert(Self.role(id)) }
        }
        return store
    }

    private static func role(_ id: String) -> Document {
        Document(
            className: "_Role", objectId: id, createdAt: Timestamp(milliseconds: 0), fields: [:])
    }

    @Test("members and owners in their order, page by page; each once")
    func pages() throws {
        let scratch = try Scratch()
        let store = try Self.store(scratch)
        let ids = (0..<30).map { "u\($0 + 100)" }
        try store.write { transaction in
            let isNew = try transaction.relate(
                ids.reversed() + ids, to: "users", of: "_Role", "r1")
            #expect(isNew)
            #expect(try !transaction.relate(ids, to: "users", of: "_Role", "r1"))
            try transaction.relate(["u100"], to: "users", of: "_Role", "r3")
            try transaction.relate(["u100"], to: "users", of: "_Role", "r2")
            try transaction.relate(["r2"], to: "roles", of: "_Role", "r1")
            #expect(
                try transaction.owners(of: "u100", "users", of: "_Role", limit: 9)
                    == ["r1", "r2", "r3"])
            #expect(
                try transaction.relatedIds("users", of: "_Role", "r1", after: "u127", limit: 9)
                    == ["u128", "u129"])
            #expect(try transaction.isRelated("r2", to: "roles", of: "_Role", "r1"))
        }
        try store.read { reader in
            var found: [String] = []
            while true {
                let page = try reader.relatedIds(
                    "users", of: "_Role", "r1", after: found.last ?? "", limit: 7)
                found += page
                if page.isEmpty { break }
            }
            #expect(found == ids)
            #expect(
                try reader.owners(of: "u100", "users", of: "_Role", after: "r1", limit: 1)
                    == ["r2"])
            #expect(try reader.owners(of: "u100", "roles", of: "_Role", limit: 9) == [])
            #expect(try reader.isRelated("u100", to: "users", of: "_Role", "r3"))
            #expect(try !reader.isRelated("u101", to: "users", of: "_Role", "r3"))
            #expect(try reader.relatedIds("users", of: "None", "r1", limit: 9) == [])
            #expect(try reader.relatedIds("users", of: "_Role", "r1", limit: -1) == [])
        }
    }

    @Test("members leave, and all of them with the owner; a failed job changes nothing")
    func leaving() throws {
        let scratch = try Scratch()
        let store = try Self.store(scratch)
        try store.write { transaction in
            for role in ["r1", "r2"] {
                try transaction.relate(["a", "b", "c"], to: "users", of: "_Role", role)
                try transaction.relate(["r3"], to: "roles", of: "_Role", role)
            }
            #expect(try transaction.unrelate(["a", "z"], from: "users", of: "_Role", "r1"))
            #expect(try !transaction.unrelate(["a", "z"], from: "users", of: "_Role", "r1"))
        }
        #expect(throws: Wanted.self) {
            try store.write { transaction in
                try transaction.relate(["d"], to: "users", of: "_Role", "r1")
                try transaction.delete("_Role", "r2")
                throw Wanted()
            }
        }
        func members(_ role: String, _ field: String) throws -> [String] {
            try store.read { try $0.relatedIds(field, of: "_Role", role, limit: 9) }
        }
        #expect(try members("r1", "users") == ["b", "c"])
        #expect(try members("r2", "users") == ["a", "b", "c"])
        try store.write { _ = try $0.delete("_Role", "r2") }
        #expect(try members("r2", "users") == [])
        #expect(try members("r2", "roles") == [])
        #expect(
            try store.read { try $0.owners(of: "r3", "roles", of: "_Role", limit: 9) } == ["r1"])
        // Whoever is gone as an object stays a member.
        try store.write { _ = try $0.delete("_Role", "r3") }
        #expect(try members("r1", "roles") == ["r3"])
    }

    @Test("other fields and ids are refused")
    func refusals() throws {
        let scratch = try Scratch()
        let store = try Self.store(scratch)
        func relate(
            _ ids: [String], _ field: String, _ className: String = "_Role", _ id: String = "r1"
        ) throws {
            try store.write { _ = try $0.relate(ids, to: field, of: className, id) }
        }
        #expect(throws: SchemaError.notARelation(className: "_Role", field: "name")) {
            try relate(["a"], "name")
        }
        #expect(throws: SchemaError.unknownField(className: "_Role", field: "none")) {
            try relate(["a"], "none")
        }
        #expect(throws: SchemaError.unknownField(className: "None", field: "users")) {
            try relate(["a"], "users", "None")
        }
        #expect(throws: SchemaError.invalidObjectId("no id")) {
            try relate(["a", "no id"], "users")
        }
        #expect(throws: SchemaError.invalidObjectId("")) { try relate(["a"], "users", "_Role", "") }
        #expect(try store.read { try $0.relatedIds("users", of: "_Role", "r1", limit: 9) } == [])
    }
}
