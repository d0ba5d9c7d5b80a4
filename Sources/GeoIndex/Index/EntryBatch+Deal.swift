extension EntryBatch {
    /// Deals the entries into parts that follow one another in the order of the keys, each in the
    /// order of coming.
    ///
    /// Both passes go through the entries in order and write to a few hundred places in order:
    /// later passes, which do not, then find a part in the cache.
    ///
    /// - Complexity: O(n).
    mutating func deal() -> [Range<Int>] {
        let entries = entries
        guard let parts = DealtParts(count, key: { entries[$0].key }) else { return [0..<count] }
        reorder(parts.starts) { parts.part(of: $0) }
        return parts.ranges(of: count)
    }

    /// Takes columns into an empty batch, dealt into parts at once: a record is written once, to
    /// where ``deal()`` would move it.
    ///
    /// - Returns: The parts, as of ``deal()``; nil when nothing was taken, because the objects are
    ///   few, or some need a column that few have.
    /// - Complexity: O(n).
    mutating func takeDealt(_ columns: ObjectColumns, kinds numbers: [UInt16]) -> [Range<Int>]? {
        guard count == 0, columns.expires.isEmpty, columns.owners.isEmpty, columns.values.isEmpty
        else { return nil }
        let size = columns.objects.count
        guard size > 2 * DealtParts.entries else { return nil }
        let keys = EntryBatch.keys(of: columns)
        guard let parts = DealtParts(size, key: { keys[$0] }) else { return nil }
        fill(size, starts: parts.starts) {
            parts.part(of: keys[$0])
        } entry: {
            columns.entry($0, key: keys[$0], kinds: numbers)
        }
        return parts.ranges(of: size)
    }
}

/// Parts that keys are dealt into, by the bits in which they differ.
struct DealtParts {
    /// Entries of a part that stays in the second-level cache while it is sorted and cut.
    static let entries = 5_120
    /// The most bits of the key that parts are told apart by: 16 MB of counters, of which only
    /// those are touched that stand for occupied cells.
    private static let mostBits = 22

    /// Where each part begins.
    private(set) var starts = [0]
    private let cell: DealCell
    /// The part of each cell.
    private var cells: [UInt32]

    /// - Returns: nil when the keys are few, or all the same.
    @inline(__always)
    init?(_ count: Int, key: (Int) -> UInt64) {
        guard count > 2 * DealtParts.entries else { return nil }
        var all = UInt64.max
        var any: UInt64 = 0
        for index in 0..<count {
            all &= key(index)
            any |= key(index)
        }
        guard all != any else { return nil }
        let differing = UInt64.bitWidth - (all ^ any).leadingZeroBitCount
        let bits = min(
            differing, DealtParts.mostBits, Int.bitWidth - count.leadingZeroBitCount)
        cell = DealCell(shift: UInt64(differing - bits), mask: (1 << UInt64(bits)) - 1)
        // How many entries each cell has, then the part that it belongs to.
        cells = unsafe [UInt32](unsafeUninitializedCapacity: 1 << bits) { room, count in
            unsafe HugePages.advise(room)
            unsafe room.initialize(repeating: 0)
            count = room.count
        }
        for index in 0..<count { cells[cell.number(of: key(index))] &+= 1 }
        var end = 0
        for index in cells.indices where cells[index] > 0 {
            end += Int(cells[index])
            cells[index] = UInt32(starts.count - 1)
            if end - starts[starts.count - 1] >= DealtParts.entries { starts.append(end) }
        }
    }

    @inline(__always)
    func part(of key: UInt64) -> Int { Int(cells[cell.number(of: key)]) }

    /// The parts; what is left over at the end goes with the part before.
    func ranges(of count: Int) -> [Range<Int>] {
        var starts = starts
        if starts.count > 1 && count - starts[starts.count - 1] < DealtParts.entries {
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
