/// What is known of all entries below a node of the tree, without looking at them.
struct NodeSummary: Sendable, Equatable {
    /// Σ weight² in squared units of ``Weight``, exact: 2^32 squares below 2^64 fit.
    var weightSquares: UInt128 = 0
    var count = 0
    /// Sums of the columns and rows of the entries' points; 2^32 entries fit.
    var sumX: UInt64 = 0
    var sumY: UInt64 = 0
    /// Σ weight in units of ``Weight``.
    var weight: UInt64 = 0
    /// Wrapping sums of the entries' mixes: equal for equal sets, whatever the order.
    var shape: UInt64 = 0
    var content: UInt64 = 0
    /// The box of the entries, in units of 1e-7°; longitude 180 counts as -180, the same meridian.
    var west = Int32.max
    var south = Int32.max
    var east = Int32.min
    var north = Int32.min
    var earliest = Int64.max
    var latest = Int64.min
    /// When the first entry expires; `Int64.max` when all stay.
    var expires = Int64.max
    /// Bit `number mod 64` is set for every kind that occurs.
    var kinds: UInt64 = 0

    mutating func add(_ other: NodeSummary) {
        count += other.count
        sumX += other.sumX
        sumY += other.sumY
        weight += other.weight
        weightSquares += other.weightSquares
        shape &+= other.shape  // a sum modulo 2^64 by definition
        content &+= other.content
        west = min(west, other.west)
        south = min(south, other.south)
        east = max(east, other.east)
        north = max(north, other.north)
        earliest = min(earliest, other.earliest)
        latest = max(latest, other.latest)
        expires = min(expires, other.expires)
        kinds |= other.kinds
    }

    /// A weight's square, which has 64 bits.
    @inline(__always)
    static func square(_ weight: UInt32) -> UInt128 { UInt128(UInt64(weight) &* UInt64(weight)) }

    /// Adds an entry of a page, but for its expiry. Sums of fewer than 2^32 numbers of 32 bits
    /// stay below 2^64.
    @inline(__always)
    mutating func add(_ entry: IndexEntry, x: UInt32, y: UInt32, kindHash: UInt64) {
        // Column 0 gives -180 for +180 too, which is what the box wants.
        let lon = ColumnLongitude.lonE7(ofColumn: x)
        count &+= 1
        sumX &+= UInt64(x)
        sumY &+= UInt64(y)
        weight &+= UInt64(entry.weight)
        weightSquares &+= NodeSummary.square(entry.weight)
        content &+= entry.content
        shape &+= IndexEntry.shape(
            object: entry.object, lonE7: entry.isEastEnd ? 1_800_000_000 : lon,
            latE7: entry.latE7, kindHash: kindHash, weight: entry.weight, time: entry.time)
        west = min(west, lon)
        east = max(east, lon)
        south = min(south, entry.latE7)
        north = max(north, entry.latE7)
        earliest = min(earliest, entry.time)
        latest = max(latest, entry.time)
        kinds |= 1 << UInt64(entry.kind & 63)
    }
}
