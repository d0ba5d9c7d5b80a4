/// Sorts 64-bit keys by their bytes, least significant first.
enum RadixSort {
    /// Bits sorted by in one pass: 2,048 counters stay in the first-level cache.
    private static let digitBits: UInt64 = 11

    /// The indices of entries in ascending order of the key, ties in ascending order of the object.
    ///
    /// - Complexity: O(n): six passes, fewer when a digit is the same in all keys, and a sort of
    ///   each run of equal keys.
    static func order(of entries: [IndexEntry]) -> [UInt32] {
        precondition(entries.count <= Int(UInt32.max), "an index holds fewer than 2^32 objects")
        var items = entries.indices.map { Item(key: entries[$0].key, index: UInt32($0)) }
        var other = items
        var shift: UInt64 = 0
        while shift < 64 {
            if pass(from: items, to: &other, shift: shift) { swap(&items, &other) }
            shift += digitBits
        }
        sortTies(&items, of: entries)
        return items.map(\.index)
    }

    private struct Item {
        var key: UInt64
        var index: UInt32
    }

    /// One stable counting pass; false when all keys share the digit, so that nothing moves.
    private static func pass(from items: [Item], to other: inout [Item], shift: UInt64) -> Bool {
        let buckets = 1 << Int(digitBits)
        let mask = UInt64(buckets - 1)
        var starts = [Int](repeating: 0, count: buckets + 1)
        for item in items { starts[Int(item.key >> shift & mask) + 1] += 1 }
        if starts.contains(items.count) { return false }
        for bucket in 1...buckets { starts[bucket] += starts[bucket - 1] }
        for item in items {
            let bucket = Int(item.key >> shift & mask)
            other[starts[bucket]] = item
            starts[bucket] += 1
        }
        return true
    }

    private static func sortTies(_ items: inout [Item], of entries: [IndexEntry]) {
        var start = 0
        while start < items.count {
            var end = start + 1
            while end < items.count && items[end].key == items[start].key { end += 1 }
            if end - start > 1 {
                items[start..<end].sort {
                    entries[Int($0.index)].object < entries[Int($1.index)].object
                }
            }
            start = end
        }
    }
}
