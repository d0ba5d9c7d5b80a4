import CSQLite
import GeoStore
import JSONText
import Testing

@Suite("Databases of others")
struct ForeignDatabaseTests {
    private static func execute(_ sql: String, in scratch: Scratch) throws {
        var handle: OpaquePointer?
        let opened = unsafe sqlite3_open(scratch.path + "/geoservice.sqlite", &handle)
        defer { unsafe sqlite3_close(handle) }
        try #require(opened == SQLITE_OK)
        try #require(unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    @Test("a database of another program is refused")
    func foreign() throws {
        let scratch = try Scratch()
        try Self.execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)", in: scratch)
        #expect(throws: StoreError.foreignDatabase) { try scratch.open() }
    }

    @Test("a database of a newer version is refused")
    func newer() throws {
        let scratch = try Scratch()
        try scratch.open().close()
        try Self.execute("PRAGMA user_version = 99", in: scratch)
        #expect {
            try scratch.open()
        } throws: { error in
            if case StoreError.newerVersion(found: 99, _) = error { true } else { false }
        }
    }

    @Test("a row whose body is not what the store writes is damage, not a crash")
    func badBody() throws {
        let scratch = try Scratch()
        try scratch.open().write { try $0.insert(try .spot("a")) }
        for (column, value) in [("body", "x'5b5d'"), ("body", "x''"), ("acl", "x'31'")] {
            try Self.execute("UPDATE objects SET \(column) = \(value)", in: scratch)
            let store = try scratch.open()
            #expect(throws: StoreError.corrupt) { try store.read { try $0.object("Spot", "a") } }
        }
    }
}
