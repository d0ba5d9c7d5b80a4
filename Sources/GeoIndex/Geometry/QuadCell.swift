/// A quadtree cell of the Web Mercator square: one of 4^level, numbered along the Z-curve.
///
/// Level 0 is the world; a tile at zoom z is a cell at level z. Levels go to 32, one unit of
/// ``WorldPoint``.
public struct QuadCell: Hashable, Sendable {
    /// The deepest level: a cell of one ``WorldPoint``.
    public static let maxLevel: UInt8 = 32

    /// How often the world was quartered, in `0...maxLevel`.
    public let level: UInt8
    /// The number along the Z-curve, below 4^level.
    public let key: UInt64

    /// Creates the cell with a number at a level.
    ///
    /// - Precondition: the level exists and the number is below 4^level.
    public init(level: UInt8, key: UInt64) {
        precondition(level <= QuadCell.maxLevel, "level \(level) does not exist")
        precondition(level == 32 || key >> (2 * UInt64(level)) == 0, "key \(key) is past the level")
        self.level = level
        self.key = key
    }

    /// Creates the cell in a column and row of a level.
    ///
    /// - Precondition: the level exists and both are below 2^level.
    public init(level: UInt8, x: UInt32, y: UInt32) {
        self.init(level: level, key: MortonKey(WorldPoint(x: x, y: y)).bits)
    }

    /// Creates the cell at a level that contains a point.
    ///
    /// - Precondition: the level exists.
    public init(level: UInt8, containing point: WorldPoint) {
        precondition(level <= QuadCell.maxLevel, "level \(level) does not exist")
        self.level = level
        // A shift by 64, at level 0, gives 0 in Swift.
        self.key = MortonKey(point).bits >> (64 - 2 * UInt64(level))
    }

    /// The column, from the west.
    public var x: UInt32 { MortonKey.compact(key) }
    /// The row, from the north.
    public var y: UInt32 { MortonKey.compact(key >> 1) }

    /// The keys of all points in the cell, first and last.
    public var keys: ClosedRange<UInt64> {
        let shift = 64 - 2 * UInt64(level)
        let first = key << shift
        return first...(first | (shift == 64 ? .max : (1 << shift) - 1))
    }
}
