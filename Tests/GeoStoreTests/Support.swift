import GeoIndex
import GeoStore
import Glibc
import JSONText
import Synchronization
import Testing

/// SplitMix64: the same numbers for the same seed on every machine.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}

/// A directory of its own for one test, removed with the value.
final class Scratch: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/geostore-test-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A store in this directory; the directory's lock goes with the store.
    func open(_ options: StoreOptions = StoreOptions()) throws -> SQLiteStore {
        try SQLiteStore(StoreDirectory(path: path), options: options)
    }

    deinit {
        for name in ["", "-wal", "-shm"] { unsafe unlink(path + "/geoservice.sqlite" + name) }
        unsafe unlink(path + "/lock")
        unsafe rmdir(path)
    }
}

/// Collects values from other threads.
final class Collector<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

extension Document {
    /// A document of class Spot at a place.
    static func spot(
        _ id: String, lon: Double = 13.4, lat: Double = 52.5, at milliseconds: Int64 = 1000,
        acl: AccessList? = nil, _ more: JSONObject = [:]
    ) throws -> Document {
        var fields: JSONObject = ["place": GeoPointField.json(try LonLat(lon: lon, lat: lat))]
        for member in more { fields[member.key] = member.value }
        return Document(
            className: "Spot", objectId: id, createdAt: Timestamp(milliseconds: milliseconds),
            acl: acl, fields: fields)
    }
}
