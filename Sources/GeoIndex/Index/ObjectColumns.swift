/// Objects side by side in columns: the fastest way into a ``BulkBuilder``.
public struct ObjectColumns: Sendable {
    /// The ids' keys, by ``IDTable/key(for:)`` of the builder's table.
    public var objects: [ObjectKey] = []
    /// Where they are, in units of 1e-7°.
    public var lonE7: [Int32] = []
    /// Degrees north, likewise.
    public var latE7: [Int32] = []
    /// Their kinds as indices in ``kindNames``; empty when none has one.
    public var kinds: [UInt16] = []
    /// The kinds' names; "" is no kind.
    public var kindNames: [String] = []
    /// Weights in units of 1/256; empty when all weigh 1.
    public var weights: [UInt32] = []
    /// Milliseconds since 1970; empty for 0.
    public var times: [Int64] = []
    /// Hashes of all readable fields; empty for 0.
    public var contents: [UInt64] = []
    /// When each is gone, in milliseconds since 1970, `Int64.max` for never; empty when all stay.
    public var expires: [Int64] = []
    /// Hashes of the owners' ids, 0 for nobody; empty when none has an owner.
    public var owners: [UInt64] = []
    /// The values of the layer's aggregated fields, object by object, `Int64.min` for none; empty
    /// when none has a value.
    public var values: [Int64] = []

    /// Creates empty columns.
    public init() {}
}

extension BulkBuilder {
    /// Adds objects in columns. Each id may come once only.
    ///
    /// - Precondition: columns that are not empty are as long as ``ObjectColumns/objects`` (values:
    ///   times the number of aggregated fields), positions are on the globe, and kinds have names.
    /// - Complexity: O(n).
    public mutating func add(_ columns: ObjectColumns) {
        let count = columns.objects.count
        func check(_ length: Int, _ name: String) {
            precondition(length == 0 || length == count, "\(length) \(name) of \(count) objects")
        }
        precondition(columns.lonE7.count == count, "\(columns.lonE7.count) longitudes of \(count)")
        precondition(columns.latE7.count == count, "\(columns.latE7.count) latitudes of \(count)")
        check(columns.kinds.count, "kinds")
        check(columns.weights.count, "weights")
        check(columns.times.count, "times")
        check(columns.contents.count, "contents")
        check(columns.expires.count, "expiries")
        check(columns.owners.count, "owners")
        if !columns.values.isEmpty {
            precondition(columns.values.count == count * fields, "values do not match the fields")
        }
        let numbers = columns.kindNames.map { number(adding: $0) }
        append(columns, numbers)
    }
}

extension ObjectColumns {
    /// The record of an object; `numbers` are those of the kinds' names.
    @inline(__always)
    func entry(_ index: Int, key: UInt64, kinds numbers: [UInt16]) -> IndexEntry {
        IndexEntry(
            key: key, object: objects[index].bits, time: times.isEmpty ? 0 : times[index],
            content: contents.isEmpty ? 0 : contents[index], latE7: latE7[index],
            weight: weights.isEmpty ? Weight.unitsPerOne : weights[index],
            kind: kinds.isEmpty ? 0 : numbers[Int(kinds[index])],
            isEastEnd: lonE7[index] == 1_800_000_000)
    }
}

extension EntryBatch {
    /// The Morton keys of objects in columns. O(n).
    static func keys(of columns: ObjectColumns) -> [UInt64] {
        let (lonE7, latE7) = (columns.lonE7.span, columns.latE7.span)
        let rows = MercatorRows.shared
        return [UInt64](capacity: lonE7.count) { keys in
            unsafe keys.withUnsafeMutableBufferPointer { room, _ in unsafe HugePages.advise(room) }
            for index in lonE7.indices {
                let (lon, lat) = (lonE7[index], latE7[index])
                precondition(
                    lon.magnitude <= 1_800_000_000 && lat.magnitude <= 900_000_000,
                    "lonE7 \(lon), latE7 \(lat) is not on the globe")
                keys.append(
                    MortonKey.spread(WorldPoint.column(ofLon: Double(lon) / 1e7))
                        | MortonKey.spread(rows.row(ofLat: Double(lat) / 1e7)) << 1)
            }
        }
    }

    /// Appends objects in columns, whose lengths match. O(n).
    mutating func append(_ columns: ObjectColumns, kinds numbers: [UInt16]) {
        let keys = EntryBatch.keys(of: columns)
        reserve(count + keys.count)
        for index in keys.indices {
            append(
                columns.entry(index, key: keys[index], kinds: numbers),
                expires: columns.expires.isEmpty ? .max : columns.expires[index],
                owner: columns.owners.isEmpty ? 0 : columns.owners[index])
            if !columns.values.isEmpty {
                setValues(
                    columns.values[(index * fields)..<((index + 1) * fields)].map {
                        $0 == EntryBatch.noValue ? nil : $0
                    })
            }
        }
    }
}
