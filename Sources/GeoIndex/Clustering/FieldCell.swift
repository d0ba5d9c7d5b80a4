/// An occupied cell of a clustering: its point, its count and its place in the order.
struct FieldCell: Comparable {
    /// The key at the options' level.
    let key: UInt64
    /// ⌊log2 count⌋ descending in the upper 6 bits, then the upper 58 bits of the hash: smaller
    /// comes first in the order. Cells of equal rank are told apart by the whole hash.
    let rank: UInt64
    /// The cell's point: the floored mean of its members' places.
    let x: UInt32
    let y: UInt32
    let count: UInt32
    /// The position in the grid of its field; -1 outside of it.
    let position: Int32

    init(_ run: CellRun, position: Int32) {
        key = run.key
        count = run.count
        x = FieldCell.flooredMean(run.sumX, run.count)
        y = FieldCell.flooredMean(run.sumY, run.count)
        let magnitude = UInt64(31 - run.count.leadingZeroBitCount)
        rank = (63 - magnitude) << 58 | StableHash.finalize(run.key) >> 6
        self.position = position
    }

    var point: WorldPoint { WorldPoint(x: x, y: y) }

    /// The order in which seeds are chosen.
    @inline(__always)
    static func < (left: FieldCell, right: FieldCell) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        return StableHash.finalize(left.key) < StableHash.finalize(right.key)
    }

    @inline(__always)
    static func == (left: FieldCell, right: FieldCell) -> Bool { left.key == right.key }

    /// Whether the cells' points are nearer than `reach`: dx² + dy² < reach², dx modulo 2^32.
    @inline(__always)
    func reaches(_ other: FieldCell, reach: Int64) -> Bool {
        let east = Int64(Int32(bitPattern: x &- other.x))
        let south = Int64(y) - Int64(other.y)
        // Both are below 2^31 after the first test, so the squares' sum is below 2^63.
        guard abs(east) < reach && abs(south) < reach else { return false }
        return east * east + south * south < reach * reach
    }

    /// ⌊sum / count⌋. A division of doubles and a correction: a third of an integer division.
    @inline(__always)
    private static func flooredMean(_ sum: UInt64, _ count: UInt32) -> UInt32 {
        if count == 1 { return UInt32(truncatingIfNeeded: sum) }
        // The quotient is below 2^32 and the sum's rounding is at most 2^-53 of it, so the
        // estimate is off by one at most.
        var mean = Int64(Double(sum) / Double(count))
        let rest = Int64(bitPattern: sum) - mean * Int64(count)
        if rest < 0 { mean -= 1 } else if rest >= Int64(count) { mean += 1 }
        return UInt32(truncatingIfNeeded: mean)
    }
}
