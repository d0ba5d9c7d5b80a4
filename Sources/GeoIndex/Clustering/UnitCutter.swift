/// Resolves units that lie side by side in one field, with one margin, and cuts them apart.
struct UnitCutter {
    private let question: ClusterQuestion
    private let snapshot: IndexSnapshot
    private var resolver: SeedResolver
    /// The window of all units, and the first of their columns and rows.
    private let window: WorldWindow
    private let west: Int
    private let north: Int
    private let columns: Int
    private let rows: Int
    /// The place in `wanted` of each unit of the rectangle, -1 for others.
    private var places: [Int32]
    private let wanted: ArraySlice<UInt64>
    private var extents: [Extent]

    /// How far, in cells of the grid, what a unit depends on goes.
    private struct Extent {
        var west: Int
        var east: Int
        var north: Int
        var south: Int
        /// Whether cells outside of the grid may matter.
        var isChained = false

        @inline(__always)
        mutating func add(column: Int, row: Int, reach: Int) {
            west = min(west, column - reach)
            east = max(east, column + reach + 1)
            north = min(north, row - reach)
            south = max(south, row + reach + 1)
        }
    }

    /// Loads and settles the field of some units.
    ///
    /// - Parameters:
    ///   - wanted: Keys of units, ascending.
    ///   - columns: The columns of a rectangle of units that holds them.
    ///   - rows: Its rows.
    init(
        _ snapshot: IndexSnapshot, _ question: ClusterQuestion, filter: ResolvedFilter?,
        wanted: ArraySlice<UInt64>, columns: ClosedRange<UInt32>, rows: ClosedRange<UInt32>
    ) {
        let side = WorldWindow.worldSize >> UInt64(question.unitLevel)
        self.question = question
        self.snapshot = snapshot
        self.wanted = wanted
        west = Int(columns.lowerBound)
        north = Int(rows.lowerBound)
        self.columns = columns.count
        self.rows = rows.count
        window = WorldWindow(
            west: UInt32(UInt64(columns.lowerBound) * side), width: UInt64(columns.count) * side,
            north: UInt32(UInt64(rows.lowerBound) * side), height: UInt64(rows.count) * side)
        resolver = SeedResolver(
            CellField(snapshot, window: window, options: question.options, filter: filter),
            tracksExtents: true)
        places = [Int32](repeating: -1, count: columns.count * rows.count)
        extents = []
        extents.reserveCapacity(wanted.count)
        let cells = question.unitCells
        let margin = CellField.marginCells
        for (place, key) in wanted.enumerated() {
            let column = Int(MortonKey.compact(key)) - west
            let row = Int(MortonKey.compact(key >> 1)) - north
            places[row * self.columns + column] = Int32(place)
            // In cells from the window's corner.
            extents.append(
                Extent(
                    west: column * cells - margin, east: (column + 1) * cells + margin,
                    north: row * cells - margin, south: (row + 1) * cells + margin))
        }
    }

    /// Calls `body` with the place of each wanted unit of which a cell is at most `distance` cells
    /// away, in columns and rows, and with the cell's column and row, counted from the window's
    /// corner on the unit's side of the world.
    @inline(__always)
    private func forEachUnit(
        within distance: Int, of cell: FieldCell,
        _ body: (_ place: Int, _ column: Int, _ row: Int) -> Void
    ) {
        let (column, cellRow) = gridPlace(of: cell)
        let bits = Int(question.options.level - question.unitLevel)
        let firstRow = max(0, (cellRow - distance) >> bits)
        let lastRow = min(rows - 1, (cellRow + distance) >> bits)
        var firstColumn = (column - distance) >> bits
        var lastColumn = (column + distance) >> bits
        let around = 1 << Int(question.unitLevel)
        if !resolver.field.wraps {
            firstColumn = max(0, firstColumn)
            lastColumn = min(columns - 1, lastColumn)
        }
        guard firstRow <= lastRow, firstColumn <= lastColumn else { return }
        for row in firstRow...lastRow {
            for unit in firstColumn...lastColumn {
                // Where the grid goes round, a unit at one edge is near to cells at the other.
                let inside = unit & (around - 1)
                guard inside < columns else { continue }
                let place = Int(places[row * columns + inside])
                if place >= 0 { body(place, column - (unit - inside) << bits, cellRow) }
            }
        }
    }

    /// Column and row of a cell of the grid, counted from the window's corner.
    @inline(__always)
    private func gridPlace(of cell: FieldCell) -> (column: Int, row: Int) {
        let mask = Int((UInt64(1) << UInt64(question.options.level)) - 1)
        let bits = Int(question.options.level - question.unitLevel)
        let margin = CellField.marginCells
        // From the margin's first column on, modulo the world's width.
        let column = (Int(MortonKey.compact(cell.key)) - (west << bits) + margin) & mask
        return (column - margin, Int(MortonKey.compact(cell.key >> 1)) - (north << bits))
    }

    /// The units, in the order in which they were wanted.
    mutating func cut() -> [ClusterUnit] {
        let loaded = resolver.field.count
        noteSettledSeeds()
        let (seeds, slots) = findSeeds(loaded)
        let owned = findMembers(loaded, slots)
        return units(seeds: seeds, owned: owned)
    }

    /// What the pass settled depends on what its seeds depend on.
    private mutating func noteSettledSeeds() {
        let cells = resolver.field.cells
        // Taken out, so that the loop's copy is the only one.
        var extents: [Extent] = []
        swap(&extents, &self.extents)
        for (number, extent) in resolver.extents.enumerated() where extent > 0 {
            let reach = Int(extent)
            forEachUnit(within: CellField.marginCells, of: cells[number]) { place, column, row in
                extents[place].add(column: column, row: row, reach: reach)
            }
        }
        self.extents = extents
    }

    /// A cell's seed is found along chains that may leave the grid.
    private mutating func noteChain(from cell: FieldCell) {
        // Taken out, so that the loop's copy is the only one.
        var extents: [Extent] = []
        swap(&extents, &self.extents)
        forEachUnit(within: ClusterOptions.reachCells, of: cell) { place, _, _ in
            extents[place].isChained = true
        }
        self.extents = extents
    }

    /// The seeds in the window, ascending, and for each cell its place among them.
    private mutating func findSeeds(_ loaded: Int) -> (seeds: [Int], slots: [Int32]) {
        let unknown = (0..<loaded).map { resolver.isUnknown($0) }
        var slots = [Int32](repeating: -1, count: loaded)
        var seeds: [Int] = []
        let cells = resolver.field.cells
        for number in 0..<loaded {
            let cell = cells[number]
            guard window.contains(x: cell.x, y: cell.y) else { continue }
            if unknown[number] { noteChain(from: cell) }
            if resolver.isSeed(number) {
                slots[number] = Int32(seeds.count)
                seeds.append(number)
            }
        }
        return (seeds, slots)
    }

    /// For each cell the place of its seed, -1 for seeds outside of the window.
    private mutating func findMembers(_ loaded: Int, _ slots: [Int32]) -> [Int32] {
        var owned = [Int32](repeating: -1, count: loaded)
        for number in 0..<loaded {
            var owner = resolver.settledOwner(of: number)
            if owner < 0 {
                guard resolver.field.isNearWindow(number),
                    resolver.isReached(number, byAnyOf: slots)
                else { continue }
                noteChain(from: resolver.field.cells[number])
                owner = resolver.owner(of: number)
            }
            if owner < loaded { owned[number] = slots[owner] }
        }
        return owned
    }

    private func units(seeds: [Int], owned: [Int32]) -> [ClusterUnit] {
        let cells = resolver.field.cells
        // The members of all clusters, cluster after cluster.
        var starts = [Int](repeating: 0, count: seeds.count + 1)
        for slot in owned where slot >= 0 { starts[Int(slot) + 1] += 1 }
        for slot in seeds.indices { starts[slot + 1] += starts[slot] }
        var members = [Int32](repeating: 0, count: starts[seeds.count])
        var next = starts
        for (number, slot) in owned.enumerated() where slot >= 0 {
            members[next[Int(slot)]] = Int32(number)
            next[Int(slot)] += 1
        }
        let grid = gridWindow
        let everything = consultedWindow(grid)
        let bits = question.cellBits
        var units: [ClusterUnit] = []
        units.reserveCapacity(wanted.count)
        var slot = 0
        for (place, key) in wanted.enumerated() {
            while slot < seeds.count && cells[seeds[slot]].key >> bits < key { slot += 1 }
            let first = slot
            while slot < seeds.count && cells[seeds[slot]].key >> bits == key { slot += 1 }
            let window = extents[place].isChained ? everything : dependency(extents[place])
            let shape = UnitShape(question, key)
            units.append(
                ClusterUnit(
                    question, key: key,
                    seeds: shape.seeds(seeds[first..<slot], members.span, starts.span, cells.span),
                    members: shape.places(
                        members.span, starts[first]..<starts[slot], cells.span),
                    dependency: window, of: snapshot))
        }
        return units
    }

    /// The window of the field's grid.
    private var gridWindow: WorldWindow {
        let side = UInt64(32 - question.options.level)
        let field = resolver.field
        return WorldWindow(
            west: field.gridWest << UInt32(side), width: UInt64(field.gridWidth) << side,
            north: field.gridNorth << UInt32(side), height: UInt64(field.gridHeight) << side)
    }

    /// The grid's window and all that was looked at beyond.
    private func consultedWindow(_ grid: WorldWindow) -> WorldWindow {
        resolver.field.blocks.reduce(grid) { $0.union(WorldWindow($1)) }
    }

    private func dependency(_ extent: Extent) -> WorldWindow {
        let side = UInt64(32 - question.options.level)
        let bits = Int(question.options.level - question.unitLevel)
        // The pass knows nothing of what lies beyond the grid, so nothing depends on it.
        let margin = resolver.field.wraps ? 1 << Int(question.options.level) : CellField.marginCells
        let left = max(extent.west, -margin) + west << bits
        let right = min(extent.east, (columns << bits) + margin) + west << bits
        let top = max(extent.north, Int(resolver.field.gridNorth) - north << bits) + north << bits
        let bottom = min(
            extent.south + north << bits,
            Int(resolver.field.gridNorth) + resolver.field.gridHeight)
        return WorldWindow(
            west: UInt32(truncatingIfNeeded: left << Int(side)),
            width: UInt64(right - left) << side, north: UInt32(top << Int(side)),
            height: UInt64(bottom - top) << side)
    }
}

/// How a unit writes down cells.
struct UnitShape {
    private let west: Int
    private let north: Int
    private let mask: Int
    private let inUnit: UInt64

    init(_ question: ClusterQuestion, _ key: UInt64) {
        let side = question.unitCells
        mask = Int((UInt64(1) << UInt64(question.options.level)) - 1)
        west = Int(MortonKey.compact(key)) * side - ClusterOptions.reachCells
        north = Int(MortonKey.compact(key >> 1)) * side - ClusterOptions.reachCells
        inUnit = (UInt64(1) << question.cellBits) - 1
    }

    /// The seeds of the unit, whose members follow one another from `starts[seeds.startIndex]` on.
    func seeds(
        _ seeds: ArraySlice<Int>, _ members: Span<Int32>, _ starts: Span<Int>,
        _ cells: Span<FieldCell>
    ) -> [ClusterUnit.Seed] {
        var found: [ClusterUnit.Seed] = []
        found.reserveCapacity(seeds.count)
        for slot in seeds.indices {
            var count: UInt32 = 0
            for index in starts[slot]..<starts[slot + 1] {
                count += cells[Int(members[index])].count
            }
            let seed = cells[seeds[slot]]
            found.append(
                ClusterUnit.Seed(
                    x: seed.x, y: seed.y, count: count,
                    // At most 2^10 cells in a unit, and 38² around it.
                    cell: UInt16(seed.key & inUnit),
                    end: UInt16(starts[slot + 1] - starts[seeds.startIndex])))
        }
        return found
    }

    /// The places of members in the unit and the columns and rows around it.
    func places(
        _ members: Span<Int32>, _ range: Range<Int>, _ cells: Span<FieldCell>
    ) -> [UInt16] {
        var places: [UInt16] = []
        places.reserveCapacity(range.count)
        for index in range {
            let key = cells[Int(members[index])].key
            let column = (Int(MortonKey.compact(key)) - west) & mask
            let row = Int(MortonKey.compact(key >> 1)) - north
            places.append(UInt16(row * ClusterUnit.memberStride + column))
        }
        return places
    }
}
