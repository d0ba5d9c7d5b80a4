/// Objects of enough owners in one cell and one span of hours: see ``HeatProtection``.
struct HeatShare: Hashable, Sendable {
    /// The level of the cell.
    var level: UInt8
    /// Its number.
    var key: UInt64
    /// The hours, counted from 1970.
    var hours: ClosedRange<Int64>
    /// Σ weight in units of 1/256.
    var weight: UInt64
    /// How many objects.
    var count: Int
}

/// Puts the entries of cells into shares, as they come in Morton order.
struct HeatShares {
    fileprivate struct Entry {
        var key: UInt64
        var owner: UInt64
        var hour: Int64
        var weight: UInt32
    }

    private var maker: ShareMaker
    /// Entries of the finest cell at hand.
    private var open: [Entry] = []
    /// Entries of the cells before it that are in no share yet, cell by cell.
    private var left: [Entry] = []

    init(minOwners: Int) { maker = ShareMaker(owners: OwnerTally(needed: minOwners)) }

    /// The shares so far.
    var shares: [HeatShare] { maker.shares }

    /// Takes in an entry. What weighs nothing does not show, so it is not there.
    mutating func add(_ page: LeafPage, _ index: Int) {
        guard page.weights[index] > 0 else { return }
        let key = page.key(index)
        let shift = HeatShares.shift(HeatProtection.finestLevel)
        if let last = open.last, last.key >> shift != key >> shift {
            maker.share(&open, level: HeatProtection.finestLevel, rest: &left)
        }
        open.append(
            Entry(
                key: key, owner: page.owner(index),
                hour: HeatProtection.hour(ofMilliseconds: page.times[index]),
                weight: page.weights[index]))
    }

    /// Goes on to coarser cells, down to a level.
    ///
    /// - Complexity: O(entries that are in no share yet) for each level.
    mutating func finish(level: UInt8) {
        maker.share(&open, level: HeatProtection.finestLevel, rest: &left)
        var next = HeatProtection.finestLevel
        while next > level, !left.isEmpty {
            next -= 1
            let shift = HeatShares.shift(next)
            var rest: [Entry] = []
            var run: [Entry] = []
            for entry in left {
                if let last = run.last, last.key >> shift != entry.key >> shift {
                    maker.share(&run, level: next, rest: &rest)
                }
                run.append(entry)
            }
            maker.share(&run, level: next, rest: &rest)
            left = rest
        }
    }

    fileprivate static func shift(_ level: UInt8) -> UInt64 { 64 - 2 * UInt64(level) }
}

/// Makes shares of cells.
private struct ShareMaker {
    var owners: OwnerTally
    var shares: [HeatShare] = []

    /// Makes shares of the entries of one cell, and empties the list.
    mutating func share(
        _ entries: inout [HeatShares.Entry], level: UInt8, rest: inout [HeatShares.Entry]
    ) {
        defer { entries.removeAll(keepingCapacity: true) }
        owners.reset()
        for entry in entries where !owners.isEnough { owners.count(entry.owner) }
        guard owners.isEnough else {
            rest.append(contentsOf: entries)
            return
        }
        entries.sort { $0.hour > $1.hour }
        owners.reset()
        var first = 0
        for index in entries.indices {
            owners.count(entries[index].owner)
            let isHoursLast =
                index + 1 == entries.count || entries[index + 1].hour != entries[index].hour
            guard isHoursLast, owners.isEnough else { continue }
            let part = entries[first...index]
            shares.append(
                HeatShare(
                    level: level, key: part[first].key >> HeatShares.shift(level),
                    hours: part[index].hour...part[first].hour,
                    // At most 2^32 entries of less than 2^32 each.
                    weight: part.reduce(0) { $0 &+ UInt64($1.weight) }, count: part.count))
            first = index + 1
            owners.reset()
        }
        rest.append(contentsOf: entries[first...])
    }
}

extension IndexSnapshot {
    /// The shares of all cells of a level that lie in a window, and of few around it.
    ///
    /// - Complexity: O(log n + entries of those cells), whose owners are looked at.
    func heatShares(in window: WorldWindow, level: UInt8, minOwners: Int) -> [HeatShare] {
        var visitor = ShareVisitor(shares: HeatShares(minOwners: minOwners))
        for range in window.coarseKeyRanges(level: level) { walk(range, &visitor) }
        visitor.shares.finish(level: level)
        return visitor.shares.shares
    }

    /// What may be told of the cells of a zoom in a window, and of few around it, in Morton order.
    ///
    /// - Complexity: as ``heatShares(in:level:minOwners:)``.
    public func protectedCells(
        in window: WorldWindow, zoom: UInt8, _ protection: HeatProtection
    ) -> [ProtectedCell] {
        let level = HeatProtection.level(zoom: zoom)
        var cells: [UInt64: ProtectedCell] = [:]
        let shares = heatShares(in: window, level: level, minOwners: protection.minOwners)
        for share in shares where protection.asksFor(share.hours) {
            var weight = share.weight
            if let decay = protection.decay {
                weight = UInt64(
                    decay.faded(
                        UInt32(clamping: weight),
                        time: share.hours.upperBound * HeatProtection.millisecondsPerHour))
            }
            // What has faded to nothing is gone.
            guard weight > 0 else { continue }
            let key = share.key >> (2 * UInt64(share.level - level))
            cells[key, default: ProtectedCell(key: key, weight: 0, count: 0)].weight &+= weight
            cells[key]?.count += share.count
        }
        return cells.values.sorted { $0.key < $1.key }
    }

    /// Adds what may be told to a grid: each cell's weight evenly over all of its pixels, so that
    /// nothing finer than the cell shows.
    ///
    /// - Complexity: as ``protectedCells(in:zoom:_:)``, and O(pixels).
    public func addProtectedHeat(_ protection: HeatProtection, to grid: inout DensityGrid) {
        let zoom = grid.window.zoom
        let area = WorldWindow(grid.window, marginPixels: grid.marginPixels)
        // Both are powers of two, the world the greater one: a cell has at least 16 pixels a side.
        let side = grid.window.worldSizePixels >> Int(HeatProtection.level(zoom: zoom))
        for cell in protectedCells(in: area, zoom: zoom, protection) {
            grid.spread(
                cell.weight, column: Int(MortonKey.compact(cell.key)) * side,
                row: Int(MortonKey.compact(cell.key >> 1)) * side, side: side)
        }
    }
}

private struct ShareVisitor: RangeVisitor {
    var shares: HeatShares

    func enters(_ summary: NodeSummary) -> Bool { true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        for index in range { shares.add(page, index) }
    }
}
