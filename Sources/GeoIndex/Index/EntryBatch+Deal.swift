extension EntryBatch {
    /// Entries of a part that stays in the second-level cache while it is sorted and cut.
    private static let partEntries = 12_288
    /// The most bits of the key that parts are told apart by: 16 MB of counters, of which only
    /// those are touched that stand for occupied cells.
    private static let mostBits = 22

    /// Deals the entries into parts that follow one another in the order of the keys, each in the
    /// order of coming.
    ///
    /// Both passes go through the entries in order and write to a few hundred places in order:
    /// later passes, which do not, then find a part in the cache.
    ///
    /// - Complexity: O(n).
    mutating func deal() -> [Range<Int>] {
        guard count > 2 * EntryBatch.partEntries else { return [0..<count] }
        var all = UInt64.max
        var any: UInt64 = 0
        for entry in entries {
            all &= entry.key
            any |= entry.key
        }
        guard all != any else { return [0..<count] }
        let differing = UInt64.bitWidth - (all ^ any).leadingZeroBitCount
        let bits = min(
            differing, EntryBatch.mostBits, Int.bitWidth - count.leadingZeroBitCount)
        let cell = DealCell(shift: UInt64(differing - bits), mask: (1 << UInt64(bits)) - 1)
        // How many entries each cell has, then the part that it belongs to.
        var cells = [UInt32](repeating: 0, count: 1 << bits)
        for entry in entries { cells[cell.number(of: entry.key)] &+= 1 }
        var starts = [0]
        var end = 0
        for index in cells.indices where cells[index] > 0 {
            end += Int(cells[index])
            cells[index] = UInt32(starts.count - 1)
            if end - starts[starts.count - 1] >= EntryBatch.partEntries { starts.append(end) }
        }
        reorder(starts) { Int(cells[cell.number(of: $0)]) }
        // What is left over at the end goes with the part before.
        if starts.count > 1 && count - starts[starts.count - 1] < EntryBatch.partEntries {
            starts.removeLast()
        }
        return starts.indices.map { part in
            starts[part]..<(part + 1 < starts.count ? starts[part + 1] : count)
        }
    }
}

/// Which of the cells of a deal a key lies in.
private struct DealCell {
    let shift: UInt64
    let mask: UInt64

    @inline(__always)
    func number(of key: UInt64) -> Int { Int(truncatingIfNeeded: (key &>> shift) & mask) }
}
