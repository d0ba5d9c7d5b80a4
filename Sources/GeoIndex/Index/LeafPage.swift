/// What pages of one snapshot are made with.
struct PageContext: Sendable {
    /// By kind number.
    let kindHashes: [UInt64]
    /// That of the snapshot for which a page is made.
    let generation: UInt64
}

/// A page of the index: up to ``capacity`` entries in order, as columns in one block of memory of
/// about the size that they need (see ``PageBlocks``). Never changes.
///
/// Unchecked: nobody writes to the block once the initializer is done, and it goes with the page.
@safe final class LeafPage: @unchecked Sendable {
    /// Entries at which a page splits.
    static let capacity = 256
    /// Entries in a freshly built page: a little room before the first split, all groups of
    /// ``PageGroups`` full, and a block of 10 kB filled.
    static let built = 240
    /// Entries below which a page is joined with its neighbour.
    static let minimum = 64

    private let base: UnsafeMutableRawPointer
    let layout: PageLayout
    /// What the boxes of its groups are counted from.
    private let groupsHead: PageGroups.Head
    /// The generation of the first snapshot that has the page.
    let generation: UInt64
    let summary: NodeSummary

    /// Takes over a block that was filled.
    init(
        _ block: UnsafeMutableRawPointer, _ layout: PageLayout, groups: PageGroups.Head,
        summary: NodeSummary, generation: UInt64
    ) {
        unsafe base = block
        self.layout = layout
        groupsHead = groups
        self.summary = summary
        self.generation = generation
    }

    deinit { unsafe PageBlocks.shared.give(base, layout.bytes) }

    @inline(__always) var count: Int { layout.count }

    /// The block's start, for whoever makes a page of this one.
    var block: UnsafeRawPointer { unsafe UnsafeRawPointer(base) }

    /// The boxes of the page's groups, as long as the page lives.
    var groups: PageGroups { unsafe PageGroups(block, groupsHead) }

    /// Where the page is, for whoever keeps it.
    var place: ChildPlace { unsafe ChildPlace(self, block, layout, groupsHead) }
}

extension LeafPage {
    /// The packed ids.
    var objects: Span<UInt64> { @_lifetime(borrow self) get { column(layout.objects) } }
    /// Milliseconds since 1970.
    var times: Span<Int64> { @_lifetime(borrow self) get { column(layout.times) } }
    /// Hashes of all readable fields.
    var contents: Span<UInt64> { @_lifetime(borrow self) get { column(layout.contents) } }
    /// Columns and rows of the entries' points.
    var xs: Span<UInt32> { @_lifetime(borrow self) get { column(layout.xs) } }
    var ys: Span<UInt32> { @_lifetime(borrow self) get { column(layout.ys) } }
    /// Units of 1e-7°.
    var latE7: Span<Int32> { @_lifetime(borrow self) get { column(layout.lats) } }
    /// Units of 1/256.
    var weights: Span<UInt32> { @_lifetime(borrow self) get { column(layout.weights) } }
    /// Numbers of the layer's ``KindTable``.
    var kinds: Span<UInt16> { @_lifetime(borrow self) get { column(layout.kinds) } }

    /// When entries expire, in milliseconds since 1970, `Int64.max` for those that stay; empty
    /// when all of the page do.
    var expiries: Span<Int64> {
        @_lifetime(borrow self) get {
            column(layout.expiries, count: layout.hasExpiries ? count : 0)
        }
    }

    /// Hashes of the owners' ids, 0 for nobody; empty when no entry of the page has an owner.
    var owners: Span<UInt64> {
        @_lifetime(borrow self) get { column(layout.owners, count: layout.hasOwners ? count : 0) }
    }

    /// Whether entries have values of aggregated fields.
    var hasValues: Bool { layout.fields > 0 }

    /// The values of an aggregated field, ``EntryBatch/noValue`` where there is none; empty when
    /// no entry of the page has one.
    @_lifetime(borrow self)
    func values(_ field: Int) -> Span<Int64> {
        column(
            layout.values &+ 8 &* count &* field, count: field < layout.fields ? count : 0)
    }

    @_lifetime(borrow self)
    @inline(__always)
    private func column<Element: BitwiseCopyable>(_ offset: Int) -> Span<Element> {
        column(offset, count: layout.count)
    }

    @_lifetime(borrow self)
    @inline(__always)
    private func column<Element: BitwiseCopyable>(_ offset: Int, count: Int) -> Span<Element> {
        // The layout keeps columns within the block and aligned; the block lives as long as self.
        let start = unsafe UnsafePointer(
            (base + offset).assumingMemoryBound(to: Element.self))
        let span = unsafe Span(_unsafeStart: start, count: count)
        return unsafe _overrideLifetime(span, borrowing: self)
    }
}

extension LeafPage {
    /// The Morton key of an entry.
    @inline(__always)
    func key(_ index: Int) -> UInt64 {
        MortonKey.spread(xs[index]) | MortonKey.spread(ys[index]) << 1
    }

    var firstKey: UInt64 { key(0) }
    var lastKey: UInt64 { key(count - 1) }

    /// The longitude of an entry in units of 1e-7°.
    @inline(__always)
    func lonE7(_ index: Int) -> Int32 {
        if layout.hasEastEnd && isEastEnd(index) { return 1_800_000_000 }
        return ColumnLongitude.lonE7(ofColumn: xs[index])
    }

    /// Whether an entry has longitude +180°, which shares its column with -180°.
    func isEastEnd(_ index: Int) -> Bool {
        guard layout.hasEastEnd else { return false }
        let marks: Span<UInt8> = column(layout.eastEnds)
        return marks[index] != 0
    }

    /// When an entry expires; `Int64.max` for never.
    func expiry(_ index: Int) -> Int64 { layout.hasExpiries ? expiries[index] : .max }

    /// The hash of the owner's id; 0 for nobody.
    func owner(_ index: Int) -> UInt64 { layout.hasOwners ? owners[index] : 0 }

    /// An entry's value of an aggregated field.
    func value(_ field: Int, _ index: Int) -> Int64? {
        guard field < layout.fields else { return nil }
        let value = values(field)[index]
        return value == EntryBatch.noValue ? nil : value
    }

    /// The entry at an index.
    func entry(_ index: Int) -> IndexEntry {
        IndexEntry(
            key: key(index), object: objects[index], time: times[index],
            content: contents[index], latE7: latE7[index], weight: weights[index],
            kind: kinds[index], isEastEnd: isEastEnd(index))
    }

    /// The first index, of those from `start` on, whose key is at least `key`.
    ///
    /// One entry of each line of the cache is looked at, then those of one line: no look waits for
    /// the one before, as in a binary search of a page that is not in the cache.
    ///
    /// - Complexity: O(n / 16) for n entries of the page.
    func firstIndex(from key: UInt64, after start: Int = 0) -> Int {
        let (x, y) = (MortonKey.compact(key), MortonKey.compact(key >> 1))
        let (xs, ys) = (xs, ys)
        var first = start
        // Indices of a page: no sum overflows.
        var index = start &+ 15
        while index < xs.count {
            first = LeafPage.precedes(xs[index], ys[index], x, y) ? index &+ 1 : first
            index &+= 16
        }
        var result = first
        for index in first..<min(first &+ 15, xs.count) {
            result &+= LeafPage.precedes(xs[index], ys[index], x, y) ? 1 : 0
        }
        return result
    }

    /// Whether a point comes before another along the Z-curve.
    ///
    /// The coordinate that differs in the higher bit decides, the row when both differ in the same:
    /// T. Chan, "Closest-point problems simplified on the RAM", SODA 2002.
    @inline(__always)
    private static func precedes(_ x: UInt32, _ y: UInt32, _ otherX: UInt32, _ otherY: UInt32)
        -> Bool
    {
        let (dx, dy) = (x ^ otherX, y ^ otherY)
        let isByRow = dy >= dx || dy >= dx ^ dy
        return isByRow ? y < otherY : x < otherX
    }

    /// The entries whose keys lie in a range. O(log n).
    func indices(in range: ClosedRange<UInt64>) -> Range<Int> {
        let first = firstIndex(from: range.lowerBound)
        let end = range.upperBound == .max ? count : firstIndex(from: range.upperBound + 1)
        return first..<max(first, end)
    }

    /// How often each kind occurs. O(entries + kinds).
    var kindCounts: [KindCount] {
        var counter = KindCounter()
        counter.add(kinds)
        return counter.counts
    }

    /// Appends the cells of `level` between two cells to `runs`. O(entries).
    func appendCells(
        level: UInt8, from first: UInt64, through last: UInt64, to runs: inout CellRuns
    ) {
        let side = UInt32(32 - level)
        let xs = xs
        let ys = ys
        let weights = weights
        var index = first == 0 ? 0 : firstIndex(from: first << (64 - 2 * UInt64(level)))
        while index < xs.count {
            // At level 0 the shift by 32 gives 0, as a wide number does.
            let column = UInt64(xs[index]) &>> UInt64(side)
            let row = UInt64(ys[index]) &>> UInt64(side)
            let cell =
                MortonKey.spread(UInt32(truncatingIfNeeded: column))
                | MortonKey.spread(UInt32(truncatingIfNeeded: row)) << 1
            if cell > last { return }
            // A page has few entries: the sums are far below 2^64.
            var sumX: UInt64 = 0
            var sumY: UInt64 = 0
            var weight: UInt64 = 0
            let start = index
            repeat {
                sumX &+= UInt64(xs[index])
                sumY &+= UInt64(ys[index])
                weight &+= UInt64(weights[index])
                index &+= 1
            } while index < xs.count && UInt64(xs[index]) &>> UInt64(side) == column
                && UInt64(ys[index]) &>> UInt64(side) == row
            runs.append(
                CellRun(
                    key: cell, sumX: sumX, sumY: sumY, weight: weight,
                    count: UInt32(index - start)))
        }
    }
}
