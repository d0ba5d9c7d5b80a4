/// A page of the index: up to ``capacity`` entries in order, as parallel arrays. Never changes.
final class LeafPage: Sendable {
    /// Entries at which a page splits.
    static let capacity = 1024
    /// Entries in a freshly built page: a little room before the first split.
    static let built = 832
    /// Entries below which a page is joined with its neighbour.
    static let minimum = 256
    /// Entries of one block of ``shapeBlocks``.
    static let blockSize = 64
    /// Entries a cell must hold on average for its level to be kept in ``cells``.
    private static let entriesPerKeptCell = 4

    let keys: [UInt64]
    let objects: [UInt64]
    let lonE7: [Int32]
    let latE7: [Int32]
    let kinds: [UInt16]
    let weights: [UInt32]
    let times: [Int64]
    let contents: [UInt64]
    /// Σ shape of each block of 64 entries; the mixes themselves are not kept.
    let shapeBlocks: [UInt64]
    let summary: NodeSummary
    let cells: CellPyramid
    /// How often each kind occurs, ascending by number, kinds that do not occur left out.
    let kindCounts: [KindCount]

    /// Creates a page of entries `range` of sorted columns.
    ///
    /// - Precondition: the range is not empty.
    init(_ columns: borrowing EntryColumns, _ range: Range<Int>, kindHashes: [UInt64]) {
        precondition(!range.isEmpty, "a page holds at least one entry")
        let part = columns.slice(range)
        let pyramid = LeafPage.pyramid(of: part.keys)
        let sums = PageSums(of: part, cells: pyramid, kindHashes: kindHashes)
        keys = part.keys
        objects = part.objects
        lonE7 = part.lonE7
        latE7 = part.latE7
        kinds = part.kinds
        weights = part.weights
        times = part.times
        contents = part.contents
        summary = sums.summary
        shapeBlocks = sums.shapeBlocks
        kindCounts = sums.kindCounts
        cells = pyramid
    }

    var count: Int { keys.count }
    var firstKey: UInt64 { keys[0] }
    var lastKey: UInt64 { keys[keys.count - 1] }

    /// The entry at an index.
    func entry(_ index: Int) -> IndexEntry {
        IndexEntry(
            key: keys[index], object: objects[index], lonE7: lonE7[index], latE7: latE7[index],
            kind: kinds[index], weight: weights[index], time: times[index],
            content: contents[index])
    }

    /// The first index whose key is at least `key`. O(log n).
    func firstIndex(from key: UInt64) -> Int {
        let column = keys
        let keys = column.span
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The entries whose keys lie in a range. O(log n).
    func indices(in range: ClosedRange<UInt64>) -> Range<Int> {
        let first = firstIndex(from: range.lowerBound)
        let end = range.upperBound == .max ? count : firstIndex(from: range.upperBound + 1)
        return first..<max(first, end)
    }

    /// Appends the cells of `level` between two cells to `runs`.
    ///
    /// - Complexity: O(cells) where the level is kept, else O(entries).
    func appendCells(
        level: UInt8, from first: UInt64, through last: UInt64, to runs: inout CellRuns
    ) {
        let shift = 64 - 2 * UInt64(level)
        if let kept = cells.index(ofLevel: level) {
            cells.levels[kept].appendCells(from: first, through: last, to: &runs)
            return
        }
        let column = keys
        let keys = column.span
        var index = firstIndex(from: first << shift)
        while index < keys.count {
            let cell = keys[index] >> shift
            if cell > last { return }
            var sumX: UInt64 = 0
            var sumY: UInt64 = 0
            let start = index
            repeat {
                sumX += UInt64(MortonKey.compact(keys[index]))
                sumY += UInt64(MortonKey.compact(keys[index] >> 1))
                index += 1
            } while index < keys.count && keys[index] >> shift == cell
            runs.append(CellRun(key: cell, sumX: sumX, sumY: sumY, count: UInt32(index - start)))
        }
    }

    /// The sums of a page's cells at each level with at least four entries a cell on average.
    private static func pyramid(of keys: [UInt64]) -> CellPyramid {
        // Two neighbours part at the level after their common quadkey prefix.
        var partings = [Int](repeating: 0, count: Int(QuadCell.maxLevel) + 2)
        for index in keys.indices.dropFirst() {
            partings[(keys[index - 1] ^ keys[index]).leadingZeroBitCount / 2 + 1] += 1
        }
        var cells = 1
        var finest: UInt8 = 0
        for level in 1...QuadCell.maxLevel {
            cells += partings[Int(level)]
            if cells * entriesPerKeptCell > keys.count { break }
            finest = level
        }
        guard finest > 0 else { return CellPyramid() }
        var runs = CellRuns()
        runs.reserve(keys.count / entriesPerKeptCell + 1)
        let shift = 64 - 2 * UInt64(finest)
        let keys = keys.span
        var run = CellRun(key: keys[0] >> shift, of: keys[0])
        for index in 1..<keys.count {
            let entry = CellRun(key: keys[index] >> shift, of: keys[index])
            if entry.key == run.key {
                run.count += 1
                run.sumX += entry.sumX
                run.sumY += entry.sumY
            } else {
                runs.append(run)
                run = entry
            }
        }
        runs.append(run)
        return CellPyramid(finest: runs, level: finest)
    }
}
