import CSQLite
import GeoIndex
import GeoStore
import JSONText
import Testing

@Suite("Databases of older versions")
struct MigrationTests {
    /// Gives a database of this version the tables of version 1, with what is in it.
    private static func makeVersion1(_ scratch: Scratch) throws {
        var handle: OpaquePointer?
        let opened = unsafe sqlite3_open(scratch.path + "/geoservice.sqlite", &handle)
        defer { unsafe sqlite3_close(handle) }
        try #require(opened == SQLITE_OK)
        let code = unsafe sqlite3_exec(
            handle,
            """
            ALTER TABLE objects DROP COLUMN public;
            ALTER TABLE objects RENAME COLUMN readers TO public;
            DROP TABLE reader_sets;
            DROP TABLE reader_principals;
            DROP TABLE unique_keys;
            DROP TABLE secrets;
            DROP TABLE relations;
            DROP TABLE class_settings;
            ALTER TABLE classes DROP COLUMN deleted;
            ALTER TABLE fields DROP COLUMN removing;
            ALTER TABLE objects DROP COLUMN accuracy;
            ALTER TABLE objects DROP COLUMN owner;
            UPDATE objects SET content = 0 WHERE id = 'coarse';
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
}
