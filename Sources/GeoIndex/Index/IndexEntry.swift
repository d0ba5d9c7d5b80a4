/// One object in the index: all that a map answer is computed from, but for what few have (see
/// ``EntryBatch``). 48 bytes.
struct IndexEntry: Sendable {
    var key: UInt64
    var object: UInt64
    /// Milliseconds since 1970.
    var time: Int64
    /// A hash of all readable fields.
    var content: UInt64
    var latE7: Int32
    /// Units of 1/256; see ``Weight``.
    var weight: UInt32
    /// A number of the layer's ``KindTable``.
    var kind: UInt16
    /// Whether the longitude is +180°: all others are told by the key.
    var isEastEnd: Bool

    /// The longitude in units of 1e-7°.
    var lonE7: Int32 {
        isEastEnd ? 1_800_000_000 : ColumnLongitude.lonE7(ofColumn: MortonKey.compact(key))
    }

    /// Entries are sorted by place, then by object.
    static func precedes(_ left: IndexEntry, _ right: IndexEntry) -> Bool {
        left.key != right.key ? left.key < right.key : left.object < right.object
    }

    /// A hash of what a picture shows of the entry: id, place, kind, weight and time.
    @inline(__always)
    static func shape(
        object: UInt64, lonE7: Int32, latE7: Int32, kindHash: UInt64, weight: UInt32, time: Int64
    ) -> UInt64 {
        let place = UInt64(UInt32(bitPattern: lonE7)) << 32 | UInt64(UInt32(bitPattern: latE7))
        // Odd factors keep each word's bits; products and sums are modulo 2^64 by definition.
        let first = StableHash.finalize(object &* 0x9e37_79b9_7f4a_7c15 ^ place)
        let rest =
            kindHash &+ UInt64(weight) &* 0xd6e8_feb8_6659_fd93
            ^ UInt64(bitPattern: time) &* 0xa076_1d64_78bd_642f
        return StableHash.finalize(first ^ rest)
    }

    /// The hash of this entry.
    @inline(__always)
    func shape(kindHash: UInt64) -> UInt64 {
        IndexEntry.shape(
            object: object, lonE7: lonE7, latE7: latE7, kindHash: kindHash, weight: weight,
            time: time)
    }
}

extension IndexEntry {
    init(object: ObjectKey, _ placement: Placement, kind: UInt16) {
        self.init(
            key: MortonKey(WorldPoint(placement.position)).bits, object: object.bits,
            time: placement.time, content: placement.content, latE7: placement.position.latE7,
            weight: Weight.units(of: placement.weight), kind: kind,
            isEastEnd: placement.position.lonE7 == 1_800_000_000)
    }
}

/// An object's weight in heat maps as fixed point.
public enum Weight {
    /// Units that make one.
    public static let unitsPerOne: UInt32 = 256

    /// The nearest fixed-point weight; what is negative or no number is 0, what is too large is
    /// the largest, 2^24 - 1.
    public static func units(of weight: Double) -> UInt32 {
        guard weight > 0 else { return 0 }
        return UInt32(min(weight, 0x1p24 - 1) * Double(unitsPerOne) + 0.5)
    }
}
