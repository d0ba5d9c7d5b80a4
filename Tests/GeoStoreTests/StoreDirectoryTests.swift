import GeoStore
import Glibc
import JSONText
import Testing

@Suite("The data directory")
struct StoreDirectoryTests {
    private static func mode(_ path: String) -> UInt32? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return UInt32(status.st_mode) & 0o777
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let file = unsafe try #require(fopen(path, "w"))
        _ = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        unsafe fclose(file)
    }

    @Test("directory and files are for their owner alone")
    func modes() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/data"
        let store = try SQLiteStore(StoreDirectory(path: path))
        try store.write { try $0.insert(try .spot("a")) }
        #expect(Self.mode(path) == 0o700)
        for name in ["lock", "geoservice.sqlite", "geoservice.sqlite-wal"] {
            #expect(Self.mode(path + "/" + name) == 0o600, "\(name)")
        }
        store.close()
    }

    @Test("a second opener is refused by the holder's number until the first lets go")
    func lock() throws {
        let scratch = try Scratch()
        do {
            let first = try StoreDirectory(path: scratch.path)
            #expect(throws: StoreError.locked(processID: getpid())) {
                try StoreDirectory(path: scratch.path)
            }
            _ = consume first
        }
        _ = try StoreDirectory(path: scratch.path)
    }

    @Test("a directory that cannot be made says why")
    func unusable() {
        #expect {
            try StoreDirectory(path: "/proc/none/such")
        } throws: { error in
            if case StoreError.directoryNotUsable = error { true } else { false }
        }
    }

    @Test("a file that is no database is refused and left as it is")
    func notADatabase() throws {
        let scratch = try Scratch()
        let text = Array(String(repeating: "not a database ", count: 100).utf8)
        try Self.write(text, to: scratch.path + "/geoservice.sqlite")
        #expect(throws: StoreError.notADatabase) { try scratch.open() }
        var status = stat()
        #expect(unsafe stat(scratch.path + "/geoservice.sqlite", &status) == 0)
        #expect(Int(status.st_size) == text.count)
    }

    @Test("a damaged database is refused, at the start or at the first read of the damage")
    func damaged() throws {
        let scratch = try Scratch()
        try scratch.open().write { transaction in
            for number in 0..<2000 {
                try transaction.insert(
                    try .spot("id\(number)", ["text": .string("word \(number)")]))
            }
        }
        let path = scratch.path + "/geoservice.sqlite"
        let file = unsafe try #require(fopen(path, "r+"))
        let junk = [UInt8](repeating: 0xFF, count: 2048)
        for page in 1..<100 {
            unsafe fseek(file, page * 4096, SEEK_SET)
            _ = unsafe junk.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        }
        unsafe fclose(file)
        #expect(throws: StoreError.corrupt) {
            let store = try scratch.open()
            try store.read { try $0.scan("Spot") { _ in true } }
        }
    }
}
