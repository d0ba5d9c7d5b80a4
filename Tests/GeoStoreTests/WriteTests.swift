import GeoIndex
import GeoStore
import JSONText
import Testing

@Suite("Writing and reading objects")
struct WriteTests {
    @Test("a document comes back as it was written, also after a restart")
    func roundTrip() throws {
        let scratch = try Scratch()
        let fields = try #require(
            JSONParser.parse(
                text: #"""
                    {"z":null,"title":"Zoë \u0000 😀","n":9007199254740993,"x":0.1,"list":[1,{"k":null}],
                     "when":{"__type":"Date","iso":"2026-05-04T03:02:01.000Z"}}
                    """#
            ).objectValue)
        var acl = AccessList(everybody: .read)
        acl["user1"] = [.read, .write]
        for (id, acl) in [("a", nil), ("b", acl), ("c", AccessList())] {
            let document = try Document.spot(id, lon: -180, lat: -0.5, acl: acl, fields)
            try scratch.open().write { try $0.insert(document) }
            let read = try scratch.open().read { try $0.object("Spot", id) }
            #expect(read == document)
            #expect(read?.fields.keys == document.fields.keys)
            #expect(read?.location?.position == document.location?.position)
        }
    }

    @Test("insert, replace, upsert and delete do what they say and report it")
    func operations() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        let first = try Document.spot("a", ["x": 1, "y": 2])
        try store.write { try $0.insert(first) }
        #expect(throws: StoreError.objectExists(className: "Spot", objectId: "a")) {
            try store.write { try $0.insert(first) }
        }
        #expect(throws: StoreError.objectNotFound(className: "Spot", objectId: "b")) {
            try store.write { try $0.replace(try .spot("b")) }
        }
        #expect(throws: StoreError.objectNotFound(className: "None", objectId: "b")) {
            try store.write {
                try $0.replace(
                    Document(
                        className: "None", objectId: "b", createdAt: Timestamp(milliseconds: 1),
                        fields: [:]))
            }
        }
        let second = try Document.spot("a", lon: 1, at: 2000, ["x": 3])
        try store.write { try $0.replace(second) }

        var patch = second
        patch.fields = ["y": 5]
        patch.createdAt = Timestamp(milliseconds: 7)
        patch.updatedAt = Timestamp(milliseconds: 9000)
        let sent = patch
        #expect(try store.write { try $0.upsert(sent) } == .updated)
        #expect(try store.write { try $0.upsert(sent) } == .unchanged)
        var third = second
        third.fields["y"] = 5
        third.updatedAt = Timestamp(milliseconds: 9000)
        #expect(try store.read { try $0.object("Spot", "a") } == third)
        #expect(try store.write { try $0.delete("Spot", "a") } == third)
        #expect(try store.write { try $0.delete("Spot", "a") } == nil)
        #expect(try store.write { try $0.delete("None", "a") } == nil)
        #expect(try store.read { try $0.count(of: "Spot") } == 0)

        let changes = seen.all.flatMap { $0 }
        #expect(changes.map(\.before) == [nil, first, second, third])
        #expect(changes.map(\.after) == [first, second, third, nil])
        #expect(changes.map { $0.locatedBefore?.position.lon } == [nil, 13.4, 1, 1])
        #expect(changes.map { $0.locatedAfter?.position.lon } == [13.4, 1, 1, nil])
        #expect(seen.all.allSatisfy { !$0.isEmpty })
    }

    @Test("an import keeps an object's rights unless it brings some")
    func upsertRights() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { try $0.insert(try .spot("a", acl: AccessList())) }
        #expect(try store.write { try $0.upsert(try .spot("a")) } == .unchanged)
        let open = AccessList(everybody: [.read, .write])
        #expect(try store.write { try $0.upsert(try .spot("a", acl: open)) } == .updated)
        #expect(try store.read { try $0.object("Spot", "a") }?.acl == open)
    }

    @Test("a job sees its own writes; nobody else does before it ends")
    func isolation() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { transaction in
            try transaction.insert(try .spot("a"))
            let own = try transaction.object("Spot", "a")
            #expect(own != nil)
            let catalog = transaction.catalog
            #expect(catalog["Spot"] != nil)
            let ids = try transaction.objectIds(of: "Spot")
            #expect(ids == ["a"])
            #expect(try store.read { try $0.object("Spot", "a") } == nil)
            #expect(store.catalog["Spot"] == nil)
        }
        #expect(try store.read { try $0.object("Spot", "a") } != nil)
    }

    @Test("a reader keeps its state while others write")
    func snapshot() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { try $0.insert(try .spot("a")) }
        try store.read { reader in
            let before = try reader.count(of: "Spot")
            try store.write { try $0.insert(try .spot("b")) }
            #expect(before == 1)
            let after = try reader.count(of: "Spot")
            #expect(after == 1)
        }
        #expect(try store.read { try $0.count(of: "Spot") } == 2)
    }

    @Test("objects are given in the order asked, repeated and missing ones included")
    func order() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { transaction in
            for id in ["c", "a", "b"] { try transaction.insert(try .spot(id)) }
        }
        let asked = ["b", "zz", "a", "b", "c", ""]
        let found = try store.read { try $0.objects("Spot", ids: asked) }
        #expect(found.map { $0?.objectId } == ["b", nil, "a", "b", "c", nil])
        #expect(try store.read { try $0.objects("None", ids: asked) }.allSatisfy { $0 == nil })
    }

    @Test("a scan goes through a class by id, from anywhere, and stops when told")
    func scan() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { transaction in
            for id in ["b", "B", "_", "9", "a", "-"] { try transaction.insert(try .spot(id)) }
            try transaction.insert(
                Document(
                    className: "Other", objectId: "b", createdAt: Timestamp(milliseconds: 1),
                    fields: [:]))
        }
        func ids(after: String, limit: Int) throws -> [String] {
            try store.read { reader in
                var ids: [String] = []
                try reader.scan("Spot", after: after) { document in
                    ids.append(document.objectId)
                    return ids.count < limit
                }
                return ids
            }
        }
        #expect(try ids(after: "", limit: 100) == ["-", "9", "B", "_", "a", "b"])
        #expect(try ids(after: "B", limit: 2) == ["_", "a"])
        #expect(try ids(after: "b", limit: 2) == [])
    }

    @Test("a document beyond the limit is refused and brings no field into its class")
    func documentLimit() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumDocumentBytes = 1000
        let store = try scratch.open(options)
        let large = try Document.spot("a", ["big": .string(String(repeating: "x", count: 1000))])
        try store.write { transaction in
            do {
                try transaction.insert(large)
                Issue.record("a document of more than the limit was taken")
            } catch StoreError.documentTooLarge(_, limitBytes: 1000) {}
            try transaction.insert(try .spot("b"))
        }
        #expect(store.catalog["Spot"]?.fields.keys.sorted() == ["place"])
    }
}
