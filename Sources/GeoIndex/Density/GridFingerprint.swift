/// A hash of a grid's cells that skips the empty ones.
public enum GridFingerprint {
    /// Equal for equal cells, and for all that matters only for them.
    ///
    /// The mixes of occupied cells, with their places, are summed up: they do not wait for one
    /// another, and empty cells, which most are, are passed over eight at a time.
    ///
    /// - Complexity: O(cells).
    @inlinable
    public static func of<Cell: FixedWidthInteger & UnsignedInteger>(_ cells: Span<Cell>) -> UInt64
    {
        var sum: UInt64 = 0
        var start = 0
        while start < cells.count {
            let end = min(start &+ 8, cells.count)
            var any: Cell = 0
            for index in start..<end { any |= cells[index] }
            if any != 0 {
                for index in start..<end where cells[index] != 0 {
                    // A sum modulo 2^64 by definition.
                    sum &+= StableHash.finalize(UInt64(index) << 32 | UInt64(cells[index]))
                }
            }
            start = end
        }
        return sum
    }
}
