import GeoIndex
import GeoStore
import JSONText
import Synchronization
import TestSupport

/// A data directory of its own for one test, removed with the value.
final class Scratch: Sendable {
    private let directory: ScratchDirectory
    var path: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    /// A store in this directory; the directory's lock goes with the store.
    func open(_ options: StoreOptions = StoreOptions()) throws -> SQLiteStore {
        try SQLiteStore(StoreDirectory(path: path), options: options)
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
