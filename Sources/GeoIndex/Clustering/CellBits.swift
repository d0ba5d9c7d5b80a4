/// A set of positions of a field's padded grid, a bit each: what lies round a cell is found by seven
/// looks at memory that is always near, most of which show that there is nothing.
struct CellBits {
    private var words: [UInt64]

    /// The columns and rows that a cell can reach, itself in the middle.
    private static let span = 2 * ClusterOptions.reachCells + 1
    private static let mask = (UInt64(1) << UInt64(span)) - 1

    /// An empty set of positions below `count`.
    init(count: Int) {
        // One more word, so that a row may end in the next one.
        words = [UInt64](repeating: 0, count: count / 64 + 2)
    }

    @inline(__always)
    mutating func insert(_ position: Int) { words[position >> 6] |= 1 &<< UInt64(position & 63) }

    @inline(__always)
    mutating func remove(_ position: Int) {
        words[position >> 6] &= ~(1 &<< UInt64(position & 63))
    }

    /// The seven positions from one on, the first in the lowest bit.
    @inline(__always)
    func row(from start: Int) -> UInt64 {
        let bit = UInt64(start & 63)
        let low = words[start >> 6] &>> bit
        // In two steps, since a shift by 64 would be none.
        let high = (words[start >> 6 &+ 1] &<< (63 &- bit)) &<< 1
        return (low | high) & CellBits.mask
    }
}
