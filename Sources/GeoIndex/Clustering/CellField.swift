/// The occupied cells of a window, and of what lies around it as far as it was asked for.
///
/// Inside the window a cell is found in a dense grid; outside, blocks of 8 × 8 cells are loaded
/// when the first of their cells is looked up. Cells are numbered in the order of loading.
struct CellField {
    /// Cells around the window that are loaded with it. What a cluster's members depend on mostly
    /// lies within; chains of cells that reach further are followed one by one.
    static let marginCells = 7
    /// log2 of a block's side in cells.
    private static let blockBits: UInt64 = 3
    /// Empty columns and rows round the grid, so that a cell's neighbours need no bounds check.
    static let padding = ClusterOptions.reachCells

    let snapshot: IndexSnapshot
    let options: ClusterOptions
    let filter: ResolvedFilter?

    /// The keys of the cells at the options' level.
    var keys: [UInt64] = []
    var counts: [UInt32] = []
    /// The cells' points: the floored means of their members' places.
    var x: [UInt32] = []
    var y: [UInt32] = []
    /// The cells' place in the order: smaller comes first. Equal only when the hash's upper
    /// 58 bits are.
    var ranks: [UInt64] = []

    /// Columns and rows of the grid, without the padding.
    let gridWidth: Int
    let gridHeight: Int
    private let gridWest: UInt32
    private let gridNorth: UInt32
    /// Whether the grid goes all the way round.
    let wraps: Bool
    /// Whether rows beyond the grid's upper and lower edge exist.
    let isCutInNorth: Bool
    let isCutInSouth: Bool
    /// Numbers of cells by grid position; -1 where no object is.
    private(set) var grid: [Int32] = []
    /// Cells at a level less one: the mask of columns.
    private let columnMask: UInt32

    /// Cells outside of the grid by their key, and the blocks that were loaded for them.
    private var outside: [UInt64: Int32] = [:]
    private var loadedBlocks: Set<UInt64> = []

    /// Loads the cells of a window and of a margin around it.
    ///
    /// - Complexity: O(cells in the window).
    init(
        _ snapshot: IndexSnapshot, window: WorldWindow, options: ClusterOptions,
        filter: ResolvedFilter?
    ) {
        self.snapshot = snapshot
        self.options = options
        self.filter = filter
        let level = options.level
        let side = 32 - UInt64(level)
        columnMask = UInt32((UInt64(1) << UInt64(level)) - 1)
        let wide = window.expanded(by: UInt64(CellField.marginCells) << side)
        let columns = Int(columnMask) + 1
        let west = Int(wide.west >> UInt32(side))
        let lastColumn = Int((UInt64(wide.west) + max(wide.width, 1) - 1) >> side)
        wraps = lastColumn - west + 1 >= columns
        gridWidth = wraps ? columns : lastColumn - west + 1
        gridWest = wraps ? 0 : UInt32(west)
        gridNorth = wide.north >> UInt32(side)
        let lastRow = Int((UInt64(wide.north) + max(wide.height, 1) - 1) >> side)
        gridHeight = lastRow - Int(gridNorth) + 1
        isCutInNorth = gridNorth > 0
        isCutInSouth = lastRow < columns - 1
        loadGrid()
    }

    var count: Int { keys.count }
    /// The distance between two rows of the padded grid.
    var stride: Int { gridWidth + 2 * CellField.padding }

    /// The position in the padded grid of a cell that lies in it. O(1).
    @inline(__always)
    func gridPosition(ofKey key: UInt64) -> Int? {
        let column = Int((MortonKey.compact(key) &- gridWest) & columnMask)
        let row = Int(MortonKey.compact(key >> 1)) - Int(gridNorth)
        guard column < gridWidth, row >= 0, row < gridHeight else { return nil }
        return (row + CellField.padding) * stride + column + CellField.padding
    }

    private mutating func loadGrid() {
        var runs = CellRuns()
        for range in QuadCover.coarseRanges(of: gridRectangles()) {
            snapshot.appendCells(
                level: options.level, from: range.lowerBound, through: range.upperBound,
                filter: filter, to: &runs)
        }
        var grid = [Int32](
            repeating: -1, count: stride * (gridHeight + 2 * CellField.padding))
        reserve(runs.count)
        for index in 0..<runs.count {
            guard let position = gridPosition(ofKey: runs.keys[index]) else { continue }
            grid[position] = Int32(count)
            append(runs, index)
        }
        if wraps { CellField.mirrorEdges(of: &grid, width: gridWidth, stride: stride) }
        self.grid = grid
    }

    private func gridRectangles() -> [QuadCover.Rectangle] {
        let rows = gridNorth...(gridNorth + UInt32(gridHeight - 1))
        let last = UInt64(gridWest) + UInt64(gridWidth) - 1
        guard last > UInt64(columnMask) else {
            return [.init(level: options.level, x: gridWest...UInt32(last), y: rows)]
        }
        let wrapped = UInt32(last - UInt64(columnMask) - 1)
        return [
            .init(level: options.level, x: 0...wrapped, y: rows),
            .init(level: options.level, x: gridWest...columnMask, y: rows),
        ]
    }

    /// Fills the padding to the left and right of a grid that goes round with what is there.
    private static func mirrorEdges(of grid: inout [Int32], width: Int, stride: Int) {
        for start in Swift.stride(from: 0, to: grid.count, by: stride) {
            for offset in 0..<padding {
                // A world of less than three columns goes round more than once.
                let left = ((-1 - offset) % width + width) % width
                grid[start + padding - 1 - offset] = grid[start + padding + left]
                grid[start + padding + width + offset] = grid[start + padding + offset % width]
            }
        }
    }

    private mutating func reserve(_ capacity: Int) {
        keys.reserveCapacity(capacity)
        counts.reserveCapacity(capacity)
        x.reserveCapacity(capacity)
        y.reserveCapacity(capacity)
        ranks.reserveCapacity(capacity)
    }

    private mutating func append(_ runs: borrowing CellRuns, _ index: Int) {
        let count = runs.counts[index]
        keys.append(runs.keys[index])
        counts.append(count)
        x.append(CellField.flooredMean(runs.sumX[index], count))
        y.append(CellField.flooredMean(runs.sumY[index], count))
        ranks.append(CellField.rank(key: runs.keys[index], count: count))
    }

    /// The order of cells: ⌊log2 count⌋ descending in the upper 6 bits, then the hash ascending.
    private static func rank(key: UInt64, count: UInt32) -> UInt64 {
        let magnitude = UInt64(31 - count.leadingZeroBitCount)
        return (63 - magnitude) << 58 | StableHash.finalize(key) >> 6
    }

    /// ⌊sum / count⌋. A division of doubles and a correction: a third of an integer division.
    @inline(__always)
    private static func flooredMean(_ sum: UInt64, _ count: UInt32) -> UInt32 {
        if count == 1 { return UInt32(truncatingIfNeeded: sum) }
        // The quotient is below 2^32 and the sum's rounding is at most 2^-53 of it, so the
        // estimate is off by one at most.
        var mean = Int64(Double(sum) / Double(count))
        let rest = Int64(bitPattern: sum) - mean * Int64(count)
        if rest < 0 { mean -= 1 } else if rest >= Int64(count) { mean += 1 }
        return UInt32(truncatingIfNeeded: mean)
    }

    /// Whether the first cell comes before the second in the order.
    @inline(__always)
    func precedes(_ first: Int, _ second: Int) -> Bool {
        if ranks[first] != ranks[second] { return ranks[first] < ranks[second] }
        return StableHash.finalize(keys[first]) < StableHash.finalize(keys[second])
    }

    /// Whether two cells reach one another.
    @inline(__always)
    func reaches(_ first: Int, _ second: Int) -> Bool {
        CellField.reaches(
            dx: x[first] &- x[second], dy: Int64(y[first]) - Int64(y[second]),
            reach: options.reach)
    }

    /// dx² + dy² < reach²; `dx` is a difference of columns modulo 2^32.
    @inline(__always)
    static func reaches(dx: UInt32, dy: Int64, reach: Int64) -> Bool {
        let east = Int64(Int32(bitPattern: dx))
        // Both are below 2^31 after the first test, so the squares' sum is below 2^63.
        guard abs(east) < reach && abs(dy) < reach else { return false }
        return east * east + dy * dy < reach * reach
    }

    /// Calls `body` with each occupied cell at most three cells away in either direction, loading
    /// what is not there yet. A cell may come more than once where the world is less than seven
    /// cells wide.
    mutating func forEachNeighbour(of cell: Int, _ body: (Int) -> Void) {
        let column = MortonKey.compact(keys[cell])
        let row = Int(MortonKey.compact(keys[cell] >> 1))
        for dy in -ClusterOptions.reachCells...ClusterOptions.reachCells {
            guard (0...Int(columnMask)).contains(row + dy) else { continue }
            for dx in -ClusterOptions.reachCells...ClusterOptions.reachCells {
                let neighbour = UInt32(truncatingIfNeeded: Int(column) + dx) & columnMask
                let index = number(ofColumn: neighbour, row: UInt32(row + dy))
                if index >= 0 && index != cell { body(index) }
            }
        }
    }

    /// The number of the cell in a column and row, -1 when it is empty. Loads its block at need.
    private mutating func number(ofColumn column: UInt32, row: UInt32) -> Int {
        let key = MortonKey(WorldPoint(x: column, y: row)).bits
        return number(ofKey: key) ?? -1
    }

    /// The number of a cell by its key; nil when it is empty. Loads its block at need.
    mutating func number(ofKey key: UInt64) -> Int? {
        if let position = gridPosition(ofKey: key) {
            return grid[position] >= 0 ? Int(grid[position]) : nil
        }
        let bits = min(2 * CellField.blockBits, 2 * UInt64(options.level))
        let block = key >> bits
        if loadedBlocks.insert(block).inserted {
            var runs = CellRuns()
            let first = block << bits
            snapshot.appendCells(
                level: options.level, from: first, through: first | ((1 << bits) - 1),
                filter: filter, to: &runs)
            for index in 0..<runs.count where gridPosition(ofKey: runs.keys[index]) == nil {
                outside[runs.keys[index]] = Int32(count)
                append(runs, index)
            }
        }
        return outside[key].map(Int.init)
    }
}
