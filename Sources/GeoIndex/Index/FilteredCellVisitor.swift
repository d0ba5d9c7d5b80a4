/// Adds up the entries of ranges that a filter keeps, cell by cell.
struct FilteredCellVisitor: RangeVisitor {
    private let filter: ResolvedFilter
    /// log2 of a cell's side.
    private let side: UInt64
    private(set) var runs: CellRuns
    private var kept = KeptEntries()

    /// Goes on after cells that come before all that will be visited.
    init(filter: ResolvedFilter, level: UInt8, runs: CellRuns) {
        self.filter = filter
        side = 32 - UInt64(level)
        self.runs = runs
    }

    func enters(_ summary: NodeSummary) -> Bool { filter.mayKeep(summary) }

    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        let shift = 2 * side
        let cell = page.key(range.lowerBound) >> shift
        // Many pages lie in one cell whole.
        if cell == page.key(range.upperBound - 1) >> shift,
            let run = filter.cell(cell, of: page, range)
        {
            if run.count > 0 { runs.append(run) }
            return
        }
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + KeptEntries.most, range.upperBound)
            filter.find(in: page, start..<end, &kept)
            addKept(of: page, start..<end)
            start = end
        }
    }

    private mutating func addKept(of page: LeafPage, _ range: Range<Int>) {
        let xs = page.xs.extracting(range)
        let ys = page.ys.extracting(range)
        let weights = page.weights.extracting(range)
        var place = 0
        while place < kept.count {
            let start = place
            let first = Int(kept.distances[place])
            // At level 0 the shift by 32 gives 0, as a wide number does.
            let column = UInt64(xs[first]) &>> side
            let row = UInt64(ys[first]) &>> side
            // A page has few entries: the sums are far below 2^64.
            var sumX: UInt64 = 0
            var sumY: UInt64 = 0
            var weight: UInt64 = 0
            repeat {
                let index = Int(kept.distances[place])
                let (x, y) = (UInt64(xs[index]), UInt64(ys[index]))
                guard x &>> side == column && y &>> side == row else { break }
                sumX &+= x
                sumY &+= y
                weight &+= UInt64(weights[index])
                place &+= 1
            } while place < kept.count
            let cell =
                MortonKey.spread(UInt32(truncatingIfNeeded: column))
                | MortonKey.spread(UInt32(truncatingIfNeeded: row)) << 1
            runs.append(
                CellRun(
                    key: cell, sumX: sumX, sumY: sumY, weight: weight,
                    count: UInt32(place - start)))
        }
    }
}
