/// An occupied quadtree cell and what clusters need of it.
struct CellRun: Sendable {
    /// The cell's number along the Z-curve of its level.
    var key: UInt64
    var sumX: UInt64
    var sumY: UInt64
    var count: UInt32

    init(key: UInt64, sumX: UInt64, sumY: UInt64, count: UInt32) {
        self.key = key
        self.sumX = sumX
        self.sumY = sumY
        self.count = count
    }

    /// A cell with one entry, whose Morton key is given.
    @inline(__always)
    init(key: UInt64, of entry: UInt64) {
        self.init(
            key: key, sumX: UInt64(MortonKey.compact(entry)),
            sumY: UInt64(MortonKey.compact(entry >> 1)), count: 1)
    }

    /// A cell that holds all entries of a node.
    @inline(__always)
    init(key: UInt64, of node: NodeSummary) {
        self.init(key: key, sumX: node.sumX, sumY: node.sumY, count: UInt32(node.count))
    }
}

/// Occupied quadtree cells of one level in ascending order.
struct CellRuns: Sendable {
    private(set) var runs: [CellRun] = []

    var count: Int { runs.count }

    subscript(index: Int) -> CellRun { runs[index] }

    mutating func reserve(_ capacity: Int) { runs.reserveCapacity(capacity) }

    /// Adds a part of a cell; parts of one cell come one after the other and are joined.
    @inline(__always)
    mutating func append(_ run: CellRun) {
        let last = runs.count - 1
        if last >= 0 && runs[last].key == run.key {
            runs[last].count += run.count
            runs[last].sumX += run.sumX
            runs[last].sumY += run.sumY
        } else {
            runs.append(run)
        }
    }

    /// The same cells one level up.
    func parents() -> CellRuns {
        var parents = CellRuns()
        for run in runs {
            var parent = run
            parent.key >>= 2
            parents.append(parent)
        }
        return parents
    }

    /// The first run whose key is at least `key`. O(log n).
    func firstIndex(from key: UInt64) -> Int {
        let runs = runs.span
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Appends the runs between two cells to `others`. O(log n + cells).
    func appendCells(from first: UInt64, through last: UInt64, to others: inout CellRuns) {
        let start = firstIndex(from: first)
        let end = last == .max ? count : firstIndex(from: last + 1)
        guard start < end else { return }
        // Only the first can go on with a cell that is there already.
        others.append(runs[start])
        others.runs.append(contentsOf: runs[(start + 1)..<end])
    }
}

/// A node's cell sums at the levels at which they are few: computed once when the immutable node
/// is made, so that a viewport over millions of entries reads sums, not entries.
struct CellPyramid: Sendable {
    /// The level of `levels[0]`, the coarsest at which the node lies in more than one cell.
    private(set) var coarsest: UInt8 = 0
    private(set) var levels: [CellRuns] = []

    /// Builds all levels from the finest one down to the last with more than one cell.
    init(finest: CellRuns, level: UInt8) {
        guard finest.count > 1 else { return }
        var rising = [finest]
        var current = level
        while current > 0 {
            let parents = rising[rising.count - 1].parents()
            if parents.count == 1 { break }
            rising.append(parents)
            current -= 1
        }
        coarsest = current
        levels = rising.reversed()
    }

    init() {}

    /// The level of the last of `levels`; there must be one.
    var finestLevel: UInt8 { coarsest + UInt8(levels.count) - 1 }

    /// The cells at a level, when they are kept.
    @inline(__always)
    func index(ofLevel level: UInt8) -> Int? {
        let index = Int(level) - Int(coarsest)
        return levels.indices.contains(index) ? index : nil
    }
}
