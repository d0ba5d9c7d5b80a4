import GeoStore
import Glibc
import JSONText
import Testing

@Suite("The write-ahead log")
struct WriteAheadLogTests {
    private static func logBytes(_ scratch: Scratch) -> Int {
        var status = stat()
        guard unsafe stat(scratch.path + "/geoservice.sqlite-wal", &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    private static func write(_ count: Int, _ store: SQLiteStore, from first: Int = 0) throws {
        let filler = JSONValue.string(String(repeating: "x", count: 10_000))
        for number in first..<first + count {
            try store.write { try $0.insert(try .spot("id\(number)", ["t": filler])) }
        }
    }

    @Test("the log stays bounded, grows under a long read, and is cut after it")
    func bound() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumLogBytes = 300_000
        let store = try scratch.open(options)
        // One group of one document adds less than this.
        let slack = 100_000
        try Self.write(100, store)
        #expect(Self.logBytes(scratch) <= options.maximumLogBytes + slack)
        try store.read { reader in
            let before = try reader.count(of: "Spot")
            try Self.write(100, store, from: 100)
            let after = try reader.count(of: "Spot")
            #expect(before == 100 && after == 100)
            #expect(Self.logBytes(scratch) > options.maximumLogBytes + slack)
        }
        try Self.write(20, store, from: 200)
        #expect(Self.logBytes(scratch) <= options.maximumLogBytes + slack)
        store.close()
        #expect(Self.logBytes(scratch) == 0)
        #expect(try scratch.reopenedCount(after: store) == 220)
    }

    @Test("what was acknowledged is there when the process dies without closing")
    func copyWhileOpen() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try Self.write(30, store)
        // A copy of the files, as a dead process would leave them.
        let copy = try Scratch()
        for name in ["geoservice.sqlite", "geoservice.sqlite-wal"] {
            let from = try #require(Self.contents(scratch.path + "/" + name))
            try Self.put(from, copy.path + "/" + name)
        }
        #expect(try copy.open().read { try $0.count(of: "Spot") } == 30)
        // A log that ends in the middle of a commit loses that commit and no other.
        let torn = try Scratch()
        let database = try #require(Self.contents(scratch.path + "/geoservice.sqlite"))
        let log = try #require(Self.contents(scratch.path + "/geoservice.sqlite-wal"))
        try Self.put(database, torn.path + "/geoservice.sqlite")
        try Self.put(Array(log.dropLast(2000)), torn.path + "/geoservice.sqlite-wal")
        #expect(try torn.open().read { try $0.count(of: "Spot") } == 29)
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while true {
            let next = unsafe fgetc(file)
            guard next >= 0 else { return bytes }
            bytes.append(UInt8(truncatingIfNeeded: next))
        }
    }

    private static func put(_ bytes: [UInt8], _ path: String) throws {
        let file = unsafe try #require(fopen(path, "w"))
        _ = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        unsafe fclose(file)
    }
}

extension Scratch {
    /// How many spots a second store finds in a copy of this directory's database, which the
    /// closed `store` still locks.
    fileprivate func reopenedCount(after store: SQLiteStore) throws -> Int {
        let copy = try Scratch()
        unsafe rename(path + "/geoservice.sqlite", copy.path + "/geoservice.sqlite")
        return try withExtendedLifetime(store) {
            try copy.open().read { try $0.count(of: "Spot") }
        }
    }
}
