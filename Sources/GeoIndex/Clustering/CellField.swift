/// The occupied cells of a window, and of what lies around it as far as it was asked for.
///
/// Inside the window a cell is found in a dense grid; outside, blocks of 8 × 8 cells are loaded
/// when the first of their cells is looked up. Cells are numbered in the order of loading.
struct CellField {
    /// Cells around the window that are loaded with it. What a cluster's members depend on mostly
    /// lies within; chains of cells that reach further are followed one by one.
    static let marginCells = 9
    /// log2 of a block's side in cells.
    private static let blockBits: UInt64 = 3
    /// Empty columns and rows round the grid, so that a cell's neighbours need no bounds check.
    static let padding = ClusterOptions.reachCells

    let snapshot: IndexSnapshot
    let options: ClusterOptions
    let filter: ResolvedFilter?

    private(set) var cells: [FieldCell] = []

    /// Columns and rows of the grid, without the padding.
    let gridWidth: Int
    let gridHeight: Int
    let gridWest: UInt32
    let gridNorth: UInt32
    /// Whether the grid goes all the way round.
    let wraps: Bool
    /// Whether rows beyond the grid's upper and lower edge exist.
    let isCutInNorth: Bool
    let isCutInSouth: Bool
    /// The rows of the grid that hold the window and three more on each side.
    private let nearRows: Range<Int>
    /// Numbers of cells by grid position; -1 where no object is.
    private(set) var grid: [Int32] = []
    /// Cells at a level less one: the mask of columns.
    private let columnMask: UInt32

    /// Cells outside of the grid by their key, and the blocks that were loaded for them.
    private var outside: [UInt64: Int32] = [:]
    private var loadedBlocks: Set<UInt64> = []
    /// The blocks that were loaded outside of the grid.
    var blocks: [QuadCell] {
        let level = options.level - UInt8(min(CellField.blockBits, UInt64(options.level)))
        return loadedBlocks.map { QuadCell(level: level, key: $0) }
    }
    /// All cells that were looked at, by key: what is found out depends on these and no others.
    private(set) var consulted: [ClosedRange<UInt64>] = []

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
        let firstRow = Int(window.north >> UInt32(side)) - Int(gridNorth)
        let endRow =
            Int((UInt64(window.north) + max(window.height, 1) - 1) >> side) - Int(gridNorth) + 1
        nearRows = (firstRow - ClusterOptions.reachCells)..<(endRow + ClusterOptions.reachCells)
        isCutInNorth = gridNorth > 0
        isCutInSouth = lastRow < columns - 1
        loadGrid()
    }

    /// Whether a cell of the grid lies so near to the window that a cell in it may reach it.
    @inline(__always)
    func isNearWindow(_ number: Int) -> Bool {
        let place = place(of: cells[number].position)
        guard nearRows.contains(place.row - CellField.padding) else { return false }
        if wraps { return true }
        let column = place.column - CellField.padding
        let far = CellField.marginCells - ClusterOptions.reachCells
        return column >= far && column < gridWidth - far
    }

    var count: Int { cells.count }
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
        // To begin with a range takes as long as to pass over dozens of cells: few and long ones.
        for range in QuadCover.coarseRanges(of: gridRectangles(), moreSlack: 1) {
            consulted.append(range)
            snapshot.appendCells(
                level: options.level, from: range.lowerBound, through: range.upperBound,
                filter: filter, to: &runs)
        }
        var grid = [Int32](
            repeating: -1, count: stride * (gridHeight + 2 * CellField.padding))
        cells.reserveCapacity(runs.count)
        for run in runs.runs {
            guard let position = gridPosition(ofKey: run.key) else { continue }
            grid[position] = Int32(cells.count)
            cells.append(FieldCell(run, position: Int32(position)))
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

    /// Row and column of a position in the padded grid. In 32 bits: that division takes half as
    /// long.
    @inline(__always)
    func place(of position: Int32) -> (row: Int, column: Int) {
        let (row, column) = UInt32(bitPattern: position).quotientAndRemainder(
            dividingBy: UInt32(truncatingIfNeeded: stride))
        return (Int(row), Int(column))
    }

    /// How many cells away, in columns or rows, a cell may be at most. Less than 2^31 columns,
    /// however large the world is.
    @inline(__always)
    func distance(_ first: FieldCell, _ second: FieldCell) -> Int32 {
        let dx = abs(Int64(Int32(bitPattern: first.x &- second.x)))
        let dy = abs(Int64(first.y) - Int64(second.y))
        return Int32(truncatingIfNeeded: max(dx, dy) >> Int64(32 - options.level)) + 1
    }

    /// Whether two cells reach one another.
    @inline(__always)
    func reaches(_ first: Int, _ second: Int) -> Bool {
        cells[first].reaches(cells[second], reach: options.reach)
    }

    /// Whether the first cell comes before the second in the order.
    @inline(__always)
    func precedes(_ first: Int, _ second: Int) -> Bool { cells[first] < cells[second] }

    /// The padded grid's positions of a cell: one, or more where the grid goes round and repeats
    /// it in its padding.
    @inline(__always)
    func forEachPosition(of cell: FieldCell, _ body: (Int) -> Void) {
        let position = Int(cell.position)
        body(position)
        guard wraps else { return }
        let place = place(of: cell.position)
        let row = position - place.column
        let column = place.column - CellField.padding
        for copy in 1...CellField.padding {
            let west = CellField.padding + column - copy * gridWidth
            let east = CellField.padding + column + copy * gridWidth
            if west >= 0 { body(row + west) }
            if east < stride { body(row + east) }
        }
    }

    /// The occupied cells at most three cells away in either direction; what is not there yet is
    /// loaded. A cell may come more than once where the world is less than seven cells wide.
    mutating func neighbours(of cell: Int) -> [Int] {
        let column = MortonKey.compact(cells[cell].key)
        let row = Int(MortonKey.compact(cells[cell].key >> 1))
        var near: [Int] = []
        for dy in -ClusterOptions.reachCells...ClusterOptions.reachCells {
            guard (0...Int(columnMask)).contains(row + dy) else { continue }
            for dx in -ClusterOptions.reachCells...ClusterOptions.reachCells {
                let neighbour = UInt32(truncatingIfNeeded: Int(column) + dx) & columnMask
                let index = number(ofColumn: neighbour, row: UInt32(row + dy))
                if index >= 0 && index != cell { near.append(index) }
            }
        }
        return near
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
            let last = first | ((1 << bits) - 1)
            consulted.append(first...last)
            snapshot.appendCells(
                level: options.level, from: first, through: last, filter: filter, to: &runs)
            for run in runs.runs where gridPosition(ofKey: run.key) == nil {
                outside[run.key] = Int32(count)
                cells.append(FieldCell(run, position: -1))
            }
        }
        return outside[key].map(Int.init)
    }
}
