import GeoStore
import JSONText
import Testing

@Suite("Keys and secrets of objects")
struct BelongingsTests {
    private struct Wanted: Error {}

    private static func user(_ id: String) -> Document {
        Document(
            className: "_User", objectId: id, createdAt: Timestamp(milliseconds: 0), fields: [:])
    }

    private static let name = UniqueKey(scope: "_User.username", "ann")

    @Test("a key has one holder, who may claim it again, and goes with the object")
    func claims() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let key = Self.name
        try store.write { transaction in
            // Before the object and before the class.
            try transaction.claim(key, for: "u1", of: "_User")
            try transaction.claim(key, for: "u1", of: "_User")
            try transaction.insert(Self.user("u1"))
            #expect(try transaction.holder(of: key)?.objectId == "u1")
        }
        #expect(throws: StoreError.keyTaken(key, by: "u1")) {
            try store.write { try $0.claim(key, for: "u2", of: "_User") }
        }
        #expect(throws: StoreError.keyTaken(key, by: "u1")) {
            try store.write { try $0.claim(key, for: "u1", of: "Other") }
        }
        #expect(store.catalog["Other"] == nil)
        let holder = try #require(try store.read { try $0.holder(of: key) })
        #expect(holder == ("_User", "u1"))
        // Of other bytes or another scope it is another key.
        for other in [
            UniqueKey(scope: "_User.email", "ann"), UniqueKey(scope: "_User.username", "Ann"),
            UniqueKey(scope: "_User.username", ""),
            UniqueKey(scope: "_User.username", value: [0, 255]),
        ] {
            #expect(try store.read { try $0.holder(of: other) } == nil)
            try store.write { try $0.claim(other, for: "u2", of: "_User") }
            #expect(try store.read { try $0.holder(of: other) }?.objectId == "u2")
        }
        // Nobody takes it from another.
        try store.write { try $0.release(key, of: "_User", objectId: "u2") }
        try store.write { try $0.release(key, of: "Other", objectId: "u1") }
        #expect(try store.read { try $0.holder(of: key) }?.objectId == "u1")
        try store.write { try $0.release(key, of: "_User", objectId: "u1") }
        #expect(try store.read { try $0.holder(of: key) } == nil)
        try store.write { try $0.claim(key, for: "u1", of: "_User") }
        try store.write { _ = try $0.delete("_User", "u1") }
        #expect(try store.read { try $0.holder(of: key) } == nil)
        try store.write { try $0.claim(key, for: "u2", of: "_User") }
    }

    @Test("what a failed part or job has claimed and set is free again")
    func undo() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let key = Self.name
        try store.write { transaction in
            try transaction.insert(Self.user("u1"))
            try transaction.setSecret("password", of: "_User", "u1", to: [1])
            let result = try transaction.attempt { part in
                try part.claim(key, for: "u1", of: "_User")
                try part.setSecret("password", of: "_User", "u1", to: [2])
                throw Wanted()
            }
            #expect(throws: Wanted.self) { try result.get() }
            #expect(try transaction.holder(of: key) == nil)
            #expect(try transaction.secret("password", of: "_User", "u1") == [1])
            try transaction.claim(key, for: "u2", of: "_User")
        }
        #expect(throws: Wanted.self) {
            try store.write { transaction in
                try transaction.delete("_User", "u1")
                try transaction.release(key, of: "_User", objectId: "u2")
                try transaction.claim(key, for: "u3", of: "_User")
                throw Wanted()
            }
        }
        #expect(try store.read { try $0.holder(of: key) }?.objectId == "u2")
        #expect(try store.read { try $0.secret("password", of: "_User", "u1") } == [1])
    }

    @Test("secrets are set, replaced and removed, and go with the object")
    func secrets() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let password: [UInt8] = Array("a hash".utf8)
        try store.write { transaction in
            try transaction.insert(Self.user("u1"))
            try transaction.setSecret("password", of: "_User", "u1", to: password)
            try transaction.setSecret("mail", of: "_User", "u1", to: [])
            try transaction.setSecret("password", of: "_User", "u2", to: [7])
            #expect(try transaction.secret("password", of: "_User", "u1") == password)
        }
        func secret(_ name: String, _ id: String = "u1") throws -> [UInt8]? {
            try store.read { try $0.secret(name, of: "_User", id) }
        }
        #expect(try secret("password") == password)
        #expect(try secret("mail") == [])
        #expect(try secret("other") == nil)
        #expect(try store.read { try $0.secret("password", of: "None", "u1") } == nil)
        try store.write { transaction in
            try transaction.setSecret("password", of: "_User", "u1", to: [9])
            try transaction.setSecret("mail", of: "_User", "u1", to: nil)
            try transaction.setSecret("mail", of: "None", "u1", to: nil)
        }
        #expect(try secret("password") == [9])
        #expect(try secret("mail") == nil)
        #expect(store.catalog["None"] == nil)
        try store.write { _ = try $0.delete("_User", "u1") }
        #expect(try secret("password") == nil)
        #expect(try secret("password", "u2") == [7])
    }

    @Test("what is too large, and ids that are none, are refused by name")
    func refusals() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let longest = UniqueKey(scope: "s", value: [UInt8](repeating: 1, count: 512))
        try store.write { try $0.claim(longest, for: "a", of: "Spot") }
        #expect(try store.read { try $0.holder(of: longest) }?.objectId == "a")
        let long = UniqueKey(scope: "s", value: [UInt8](repeating: 1, count: 513))
        #expect(throws: StoreError.valueTooLarge(name: "s", bytes: 513, limitBytes: 512)) {
            try store.write { try $0.claim(long, for: "a", of: "Spot") }
        }
        #expect(throws: StoreError.valueTooLarge(name: "p", bytes: 65_537, limitBytes: 65_536)) {
            try store.write {
                try $0.setSecret("p", of: "Spot", "a", to: [UInt8](repeating: 1, count: 65_537))
            }
        }
        #expect(throws: SchemaError.invalidObjectId("no id")) {
            try store.write { try $0.claim(Self.name, for: "no id", of: "Spot") }
        }
        #expect(throws: SchemaError.invalidClassName("_No")) {
            try store.write { try $0.setSecret("p", of: "_No", "a", to: [1]) }
        }
        let text = "\(StoreError.keyTaken(Self.name, by: "u1"))"
        #expect(text.contains("_User.username") && !text.contains("ann") && !text.contains("u1"))
    }
}
