/// The Morton (Z-order) code of a ``WorldPoint``: the bits of `x` and `y` interleaved, `y` first.
///
/// Two bits are one digit of the quadkey, so every tile and every quadtree cell at every level is
/// one contiguous range of keys. Source: G. M. Morton, "A computer oriented geodetic data base",
/// IBM 1966.
public struct MortonKey: Hashable, Comparable, Sendable {
    /// The 64 interleaved bits.
    public let bits: UInt64

    /// Creates a key from its bits.
    @inlinable
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// The key of a point. O(1).
    @inlinable
    public init(_ point: WorldPoint) {
        bits = MortonKey.spread(point.x) | MortonKey.spread(point.y) << 1
    }

    /// The point of this key. O(1).
    @inlinable public var point: WorldPoint {
        WorldPoint(x: MortonKey.compact(bits), y: MortonKey.compact(bits >> 1))
    }

    /// Order along the Z-curve.
    @inlinable
    public static func < (left: MortonKey, right: MortonKey) -> Bool { left.bits < right.bits }

    /// Moves bit i to bit 2i.
    @inlinable
    public static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value)
        bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff
        bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff
        bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// Moves bit 2i to bit i and drops the odd ones.
    @inlinable
    public static func compact(_ value: UInt64) -> UInt32 {
        var bits = value & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f
        bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff
        bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff
        return UInt32(truncatingIfNeeded: bits | bits >> 16)
    }
}
