/// An occupied quadtree cell and what clusters need of it.
struct CellRun: Sendable, Equatable {
    /// The cell's number along the Z-curve of its level.
    var key: UInt64
    var sumX: UInt64
    var sumY: UInt64
    /// Σ weight in units of ``Weight``.
    var weight: UInt64
    var count: UInt32

    init(key: UInt64, sumX: UInt64, sumY: UInt64, weight: UInt64, count: UInt32) {
        self.key = key
        self.sumX = sumX
        self.sumY = sumY
        self.weight = weight
        self.count = count
    }

    /// A cell with one entry of a page.
    @inline(__always)
    init(key: UInt64, of page: LeafPage, _ index: Int) {
        self.init(
            key: key, sumX: UInt64(page.xs[index]), sumY: UInt64(page.ys[index]),
            weight: UInt64(page.weights[index]), count: 1)
    }

    /// A cell that holds all entries of a node.
    @inline(__always)
    init(key: UInt64, of node: NodeSummary) {
        self.init(
            key: key, sumX: node.sumX, sumY: node.sumY, weight: node.weight,
            count: UInt32(node.count))
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
            runs[last].weight += run.weight
        } else {
            runs.append(run)
        }
    }

    /// The same cells one level up.
    func parents() -> CellRuns {
        var parents = CellRuns()
        guard var parent = runs.first else { return parents }
        parent.key >>= 2
        // Counted first: nodes keep the result, and growth would leave it half empty.
        var number = 1
        var key = parent.key
        for run in runs where run.key >> 2 != key {
            number += 1
            key = run.key >> 2
        }
        parents.reserve(number)
        for run in runs.dropFirst() {
            if run.key >> 2 == parent.key {
                parent.count += run.count
                parent.sumX += run.sumX
                parent.sumY += run.sumY
                parent.weight += run.weight
            } else {
                parents.runs.append(parent)
                parent = run
                parent.key >>= 2
            }
        }
        parents.runs.append(parent)
        return parents
    }

    /// Appends some of other cells, which come after those here.
    mutating func copy(_ other: CellRuns, _ range: Range<Int>) {
        runs.append(contentsOf: other.runs[range])
    }

    /// The first run, of those from `start` on, whose key is at least `key`. O(log n).
    func firstIndex(from key: UInt64, after start: Int = 0) -> Int {
        let runs = runs.span
        var low = start
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
