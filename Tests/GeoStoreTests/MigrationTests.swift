import CSQLite
import Foundation
import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("Databases of older versions")
struct MigrationTests {
    /// Gives a database of this version the tables of version 1, with what is in it.
    private static func makeVersion1(_ scratch: Scratch, _ more: String = "") throws {
        var handle: OpaquePointer?
        let opened = unsafe sqlite3_open(scratch.path + "/geoservice.sqlite", &handle)
        defer { unsafe sqlite3_close(handle) }
        try #require(opened == SQLITE_OK)
        let code = unsafe sqlite3_exec(
            handle,
            """
            DROP INDEX objects_by_created;
            DROP INDEX objects_placed_apart;
            DROP TABLE value_indexes;
            DROP TABLE value_keys;
            DROP TABLE rule_counts;
            ALTER TABLE classes DROP COLUMN shown;
            ALTER TABLE objects DROP COLUMN public;
            ALTER TABLE objects RENAME COLUMN readers TO public;
            DROP TABLE reader_sets;
            DROP TABLE reader_principals;
            DROP TABLE unique_keys;
            DROP TABLE secrets;
            DROP TABLE secret_slots;
            DROP TABLE free_slots;
            DROP TABLE relations;
            DROP TABLE class_settings;
            ALTER TABLE classes DROP COLUMN deleted;
            ALTER TABLE fields DROP COLUMN removing;
            ALTER TABLE objects DROP COLUMN accuracy;
            ALTER TABLE objects DROP COLUMN owner;
            UPDATE objects SET content = 0 WHERE id = 'coarse';
            \(more)
            DROP TABLE positions;
            PRAGMA user_version = 1;
            """, nil, nil, nil)
        try #require(code == SQLITE_OK)
    }

    @Test("version 1 gets owners, accuracies and the content that is shown")
    func version1() throws {
        let scratch = try Scratch()
        func user(_ id: String) -> JSONValue {
            ["__type": "Pointer", "className": "_User", "objectId": .string(id)]
        }
        let documents = [
            try Document.spot("plain", ["title": "a"]),
            try Document.spot("author", ["author": user("ann"), "owner": user("bob")]),
            try Document.spot("owner", ["owner": user("bob"), "by": "author"]),
            try Document.spot("coarse", acl: AccessList(), ["locationAccuracy": 700]),
        ]
        var store: SQLiteStore? = try scratch.open()
        try store?.write { transaction in
            for document in documents { try transaction.insert(document) }
        }
        var before: [LocatedObject] = []
        try store?.read { try $0.scanLocated("Spot") { before.append($0) } }
        #expect(before.map(\.owner) == [nil, "ann", "bob", nil])
        #expect(before.map { $0.accuracy?.meters } == [nil, nil, nil, 700])
        store = nil
        try Self.makeVersion1(scratch)
        let migrated = try scratch.open()
        var after: [LocatedObject] = []
        try migrated.read { try $0.scanLocated("Spot") { after.append($0) } }
        #expect(after == before)
        #expect(try migrated.read { try $0.position(of: "Spot") } != nil)
        for document in documents {
            #expect(try migrated.read { try $0.object("Spot", document.objectId) } == document)
        }
        #expect(try migrated.write { try $0.delete("Spot", "plain") } == documents[0])
    }

    @Test(
        "a place whose accuracy says nothing is hidden as far as can be",
        arguments: ["-5", "1e9", "\"700\"", "true", "[700]", "{\"m\":7}"])
    func wrongAccuracy(value: String) throws {
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        try store?.write { try $0.insert(.spot("old", ["locationAccuracy": 777])) }
        store = nil
        // Version 1 took any value.
        try Self.makeVersion1(
            scratch,
            """
            UPDATE objects SET body = CAST(replace(CAST(body AS TEXT), '777', '\(value)') AS BLOB);
            """)
        let migrated = try scratch.open()
        defer { migrated.close() }
        var places: [LocatedObject] = []
        try migrated.read { try $0.scanLocated("Spot") { places.append($0) } }
        let place = try #require(places.first)
        #expect(place.accuracy == .coarsest)
        #expect(place.position == LocationAccuracy.coarsest.shown(place.exactPosition))
        #expect(place.position != place.exactPosition)
        let shown = try migrated.read { try $0.object("Spot", "old") }?.shown
        #expect(shown?.location?.position == place.position)
        #expect(shown?.contentHash == place.content)
        // Whoever writes it again has to say something.
        let document = try #require(try migrated.read { try $0.object("Spot", "old") })
        #expect(throws: SchemaError.self) { try migrated.write { try $0.replace(document) } }
        _ = try migrated.write { try $0.delete("Spot", "old") }
    }

    /// The access lists of the objects in `fixtures/store/version3.sqlite`, by their numbers.
    private static let lists: [JSONValue?] = [
        nil, [:], ["*": ["read": true]], ["*": ["write": true]],
        ["u1": ["read": true, "write": true]], ["u1": ["write": true]],
        ["u1": ["read": true], "role:editors": ["read": true]],
        ["role:editors": ["read": true], "u1": ["read": true, "write": true]],
        ["*": ["read": true], "u1": ["read": true, "write": true]],
        ["role:caf\u{e9}": ["read": true]], ["role:cafe\u{301}": ["read": true]],
    ]

    private static func version3() throws -> Scratch {
        let scratch = try Scratch()
        try FileManager.default.copyItem(
            atPath: Golden.fixtures.appending(path: "store/version3.sqlite")
                .path(percentEncoded: false),
            toPath: scratch.path + "/geoservice.sqlite")
        return scratch
    }

    @Test("version 3 gets readers, and its layers a position that no copy has")
    func readers() throws {
        let lists = try Self.lists.map { try $0.map { try AccessList($0) } }
        var positions: Set<CommitPosition> = []
        for _ in 0..<2 {
            let scratch = try Self.version3()
            let former = try scratch.integer("SELECT epoch FROM positions")
            let store = try scratch.open()
            for name in ["Spot", "Note"] {
                var documents: [Document] = []
                try store.read {
                    try $0.scan(name) {
                        documents.append($0); return true
                    }
                }
                #expect(documents.count == lists.count)
                for document in documents {
                    let title = try #require(document.fields["title"]?.stringValue)
                    let number = try #require(Int(title.dropFirst(name.count + 1)))
                    #expect(document.acl == lists[number])
                }
                for caller in [
                    .anonymous, .master, Principals(user: "u1", roles: []),
                    Principals(user: "u2", roles: ["editors", "cafe\u{301}"]),
                ] {
                    let ids = try store.read {
                        try $0.objectIds(
                            of: name, in: ObjectScope(readers: caller), skip: 0, limit: 99)
                    }
                    let twin = documents.filter { RandomAccess.may(.read, caller, $0.acl) }
                    #expect(ids == twin.map(\.objectId))
                }
            }
            try store.read { reader in
                try reader.scanLocated("Spot") { located in
                    let document = try reader.object("Spot", located.objectId)
                    #expect(located.readers == ReaderSet(document?.acl))
                }
            }
            let position = try #require(try store.read { try $0.position(of: "Spot") })
            #expect(Int(truncatingIfNeeded: position.epoch) != former)
            positions.insert(position)
            // And it goes on: sets that are there are used.
            let sets = try scratch.integer("SELECT count(*) FROM reader_sets")
            #expect(sets == 2 + 4)
            try store.write { try $0.insert(try .spot("a", acl: lists[6])) }
            #expect(try scratch.integer("SELECT count(*) FROM reader_sets") == sets)
        }
        #expect(positions.count == 2)
    }

    @Test("a step that fails leaves the version before it whole, and is done the next time")
    func brokenOff() throws {
        let scratch = try Self.version3()
        let list = try scratch.texts(
            "SELECT acl FROM objects WHERE CAST(acl AS TEXT) LIKE '%editors%'", column: 0)
        try #require(list.count == 4)
        let before = try scratch.texts("SELECT name || sql FROM sqlite_schema", column: 0)
        // Found by what is derived, when the tables have been changed already.
        try scratch.execute("UPDATE objects SET acl = CAST('[' AS BLOB) WHERE place = 18")
        #expect(throws: StoreError.corrupt) { try scratch.open() }
        #expect(try scratch.integer("PRAGMA user_version") == 3)
        #expect(try scratch.texts("SELECT name || sql FROM sqlite_schema", column: 0) == before)
        #expect(try scratch.integer("SELECT sum(public) FROM objects") == 6)
        try scratch.execute("UPDATE objects SET acl = CAST('{}' AS BLOB) WHERE place = 18")
        let store = try scratch.open()
        #expect(try store.read { try $0.count(of: "Note") } == 11)
        #expect(try scratch.integer("PRAGMA user_version") == 6)
    }
}
