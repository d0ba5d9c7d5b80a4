/// Sorts 64-bit keys by their bits, most significant first.
///
/// Each pass deals a part by the highest bits in which its keys differ, so a part soon fits in the
/// cache, and what keys have in common (all of a city) costs no pass.
/// Source: P. McIlroy, K. Bostic, M. McIlroy, "Engineering radix sort", Computing Systems 6, 1993.
enum RadixSort {
    /// The most bits dealt by in one pass: 2,048 counters stay in the first-level cache.
    private static let mostBits = 11
    /// Parts of at most so many are sorted by insertion.
    private static let fewItems = 24

    private struct Item: BitwiseCopyable {
        var key: UInt64
        var index: UInt32
    }

    private typealias Items = UnsafeMutableBufferPointer<Item>

    /// The indices of some entries in ascending order of the key, ties in ascending order of the object.
    ///
    /// - Complexity: O(n · 64 / log n) at worst; about three passes for places on a map.
    static func order(of entries: [IndexEntry], in range: Range<Int>) -> [UInt32] {
        precondition(entries.count <= Int(UInt32.max), "an index holds fewer than 2^32 objects")
        var items = range.map { Item(key: entries[$0].key, index: UInt32($0)) }
        var other = items
        unsafe items.withUnsafeMutableBufferPointer { items in
            unsafe other.withUnsafeMutableBufferPointer { other in
                unsafe sort(items, other, staying: true, entries)
            }
        }
        return items.map(\.index)
    }

    /// Sorts `items`; the result stands in them when it is `staying`, else in `other`, which is as
    /// long. No index below passes the count of either.
    private static func sort(
        _ items: Items, _ other: Items, staying: Bool, _ entries: [IndexEntry]
    ) {
        let count = items.count
        guard count > fewItems else {
            unsafe sortFew(items, entries)
            if !staying { unsafe _ = other.update(fromContentsOf: items) }
            return
        }
        var all = UInt64.max
        var any: UInt64 = 0
        for index in 0..<count {
            unsafe all &= items[index].key
            unsafe any |= items[index].key
        }
        guard all != any else {
            var tied = unsafe items
            unsafe tied.sort { first, second in
                entries[Int(first.index)].object < entries[Int(second.index)].object
            }
            if !staying { unsafe _ = other.update(fromContentsOf: items) }
            return
        }
        let differing = UInt64.bitWidth - (all ^ any).leadingZeroBitCount
        let bits = min(mostBits, differing, Int.bitWidth - count.leadingZeroBitCount - 3)
        let shift = UInt64(differing - bits)
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 1 << bits) { ends in
            unsafe ends.initialize(repeating: 0)
            unsafe deal(items, to: other, shift: shift, ends)
            var start = 0
            for bucket in 0..<(1 << bits) {
                let end = unsafe Int(ends[bucket])
                if end > start {
                    unsafe sort(
                        Items(rebasing: other[start..<end]), Items(rebasing: items[start..<end]),
                        staying: !staying, entries)
                }
                start = end
            }
        }
    }

    /// Deals items into buckets, in their order; `ends` are zeros first, then where each ends.
    private static func deal(
        _ items: Items, to other: Items, shift: UInt64,
        _ ends: UnsafeMutableBufferPointer<UInt32>
    ) {
        // A power of two: the mask keeps what lies above the differing bits out.
        let mask = UInt64(ends.count - 1)
        for index in 0..<items.count {
            unsafe ends[Int(truncatingIfNeeded: items[index].key &>> shift & mask)] &+= 1
        }
        var sum: UInt32 = 0
        for bucket in 0..<ends.count {
            let size = unsafe ends[bucket]
            unsafe ends[bucket] = sum
            sum &+= size
        }
        for index in 0..<items.count {
            let item = unsafe items[index]
            let bucket = Int(truncatingIfNeeded: item.key &>> shift & mask)
            unsafe other[Int(ends[bucket])] = item
            unsafe ends[bucket] &+= 1
        }
    }

    private static func sortFew(_ items: Items, _ entries: [IndexEntry]) {
        for end in 1..<max(1, items.count) {
            let item = unsafe items[end]
            var place = end
            while place > 0, unsafe precedes(item, items[place - 1], entries) {
                unsafe items[place] = items[place - 1]
                place -= 1
            }
            unsafe items[place] = item
        }
    }

    @inline(__always)
    private static func precedes(_ first: Item, _ second: Item, _ entries: [IndexEntry]) -> Bool {
        if first.key != second.key { return first.key < second.key }
        return entries[Int(first.index)].object < entries[Int(second.index)].object
    }
}
