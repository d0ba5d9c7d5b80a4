/// All clusters of a low zoom, kept so that a write costs what it changes and not the whole world.
///
/// A cell is a seed when no seed before it in the order reaches it: a greedy maximal independent
/// set. When some cells change, only cells near them can become seeds or cease to be, and only
/// cells after those near those, and so on along the order. So they are decided anew first in the
/// order first, until nothing changes any more, with the same result as if all were (K. Censor-Hillel,
/// E. Haramaty, Z. Karnin, "Optimal dynamic distributed MIS", PODC 2016: for a random order the
/// expected number of nodes that change is at most one a change).
struct WorldClusters: Sendable {
    /// Levels of cells at which worlds are kept: at least seven columns, so that no cell is its own
    /// neighbour, and at most 512, a megabyte of grid.
    static let levels: ClosedRange<UInt8> = 4...9

    let question: ClusterQuestion
    /// The generation that the clusters are those of.
    private(set) var generation: UInt64
    private let filter: ResolvedFilter?
    /// Cells by number; those of `free` numbers are none.
    private var cells: [FieldCell]
    private var free: [Int32] = []
    /// The padded grid, as of ``CellField``.
    private var grid: [Int32]
    private let stride: Int
    /// The seed that each cell belongs to; a seed belongs to itself.
    private var owners: [Int32]
    /// By the unit's key; nil where there is no cluster.
    private var allUnits: [ClusterUnit?] = []

    /// Resolves the whole world.
    ///
    /// - Complexity: O(c log n) for c occupied cells.
    init(_ snapshot: IndexSnapshot, _ question: ClusterQuestion) {
        self.question = question
        generation = snapshot.generation
        filter = ResolvedFilter(question.filter, kinds: snapshot.kinds)
        let resolver = SeedResolver(
            CellField(snapshot, window: .world, options: question.options, filter: filter))
        let field = resolver.field
        cells = field.cells
        grid = field.grid
        stride = field.stride
        // Nothing lies beyond the world, so the pass settles every cell.
        owners = field.cells.indices.map { Int32(resolver.settledOwner(of: $0)) }
        let keys = 0..<(UInt64(1) << (2 * UInt64(question.unitLevel)))
        allUnits = keys.map { cut($0, of: snapshot) }
    }

    /// The units with clusters, ascending.
    var units: [ClusterUnit] { allUnits.compactMap { $0 } }

    /// About how much memory all of it takes.
    var bytes: Int {
        let cell = MemoryLayout<FieldCell>.stride + MemoryLayout<Int32>.stride
        var sum: Int = grid.count * MemoryLayout<Int32>.stride + cells.count * cell
        sum += allUnits.count * MemoryLayout<ClusterUnit?>.stride
        for case let unit? in allUnits { sum += unit.bytes + unit.detailBytes }
        return sum
    }

    /// About how much memory a world without objects takes.
    static func leastBytes(_ options: ClusterOptions) -> Int {
        MemoryLayout<Int32>.stride << (2 * Int(options.level))
    }

    /// Brings the clusters up to date.
    ///
    /// - Parameter changes: All places at which something changed since ``generation``.
    /// - Complexity: O(d log n) for d changed cells, and O(cells in a unit) for each unit in which a
    ///   cluster changed; O(c log n) for c occupied cells when so many changed that it is quicker.
    mutating func update(to snapshot: IndexSnapshot, _ changes: [ChangeLog.Entry]) {
        let shift = 64 - 2 * UInt64(question.options.level)
        let keys = Set(changes.map { MortonKey($0.place).bits >> shift })
        if keys.count > cells.count / 16 {
            self = WorldClusters(snapshot, question)
            return
        }
        var repair = Repair()
        for key in keys { load(key, from: snapshot, &repair) }
        for position in repair.centres { enqueueNeighbours(of: position, after: nil, &repair) }
        while let next = repair.queue.popFirst() { settle(next.number, &repair) }
        free.append(contentsOf: repair.gone)
        for key in repair.units { allUnits[Int(key)] = cut(key, of: snapshot) }
        for unit in allUnits { unit?.prove(snapshot.generation) }
        generation = snapshot.generation
    }
}

extension WorldClusters {
    /// What is still to be done.
    private struct Repair {
        /// Grid positions of cells that came, went, or have another place or rank.
        var centres: [Int] = []
        /// Numbers of cells that went.
        var gone: [Int32] = []
        /// Cells to be decided, and all that were ever put there.
        var queue = BinaryHeap<Turn>()
        var seen = Set<Int32>()
        /// Keys of units in which a cluster changed.
        var units = Set<UInt64>()
    }

    /// A cell that waits, first in the order first.
    private struct Turn: HeapElement {
        var cell: FieldCell
        var number: Int32

        func precedes(_ other: Turn) -> Bool { cell < other.cell }
    }

    /// Reads a cell anew.
    private mutating func load(_ key: UInt64, from snapshot: IndexSnapshot, _ repair: inout Repair)
    {
        var runs = CellRuns()
        snapshot.appendCells(
            level: question.options.level, from: key, through: key, filter: filter, to: &runs)
        let position = position(of: key)
        let number = grid[position]
        guard let run = runs.runs.first else {
            guard number >= 0 else { return }
            mark(owners[Int(number)], &repair)
            write(-1, at: position, key)
            repair.gone.append(number)
            repair.centres.append(position)
            return
        }
        let cell = FieldCell(run, position: Int32(position))
        guard number >= 0 else {
            add(cell)
            repair.centres.append(position)
            return
        }
        let old = cells[Int(number)]
        cells[Int(number)] = cell
        // A unit remembers more of its members than their number: kinds, bounds, fingerprints.
        mark(owners[Int(number)], &repair)
        guard old.rank != cell.rank || old.point != cell.point else { return }
        repair.centres.append(position)
    }

    /// Gives a new cell a number.
    private mutating func add(_ cell: FieldCell) {
        let number = free.popLast() ?? Int32(cells.count)
        if Int(number) == cells.count {
            cells.append(cell)
            owners.append(-1)
        } else {
            cells[Int(number)] = cell
            owners[Int(number)] = -1
        }
        write(number, at: Int(cell.position), cell.key)
    }

    /// Decides a cell, all cells before it being decided.
    private mutating func settle(_ number: Int32, _ repair: inout Repair) {
        let cell = cells[Int(number)]
        let reach = question.options.reach
        var owner = number
        forEachNeighbour(of: Int(cell.position)) { other in
            guard owners[Int(other)] == other else { return }
            let seed = cells[Int(other)]
            // The first of all seeds before it that reach it; itself when there is none.
            if seed < cells[Int(owner)], seed.reaches(cell, reach: reach) { owner = other }
        }
        let former = owners[Int(number)]
        guard owner != former else { return }
        if former >= 0 { mark(former, &repair) }
        mark(owner, &repair)
        owners[Int(number)] = owner
        if (former == number) != (owner == number) {
            enqueueNeighbours(of: Int(cell.position), after: cell, &repair)
        }
    }

    /// Queues the cell at a position and those that it may reach, but for those before one.
    private func enqueueNeighbours(
        of position: Int, after first: FieldCell?, _ repair: inout Repair
    ) {
        forEachNeighbour(of: position) { number in
            let cell = cells[Int(number)]
            if let first, !(first < cell) { return }
            guard repair.seen.insert(number).inserted else { return }
            repair.queue.insert(Turn(cell: cell, number: number))
        }
    }

    /// Notes that the cluster of a seed changes.
    private func mark(_ seed: Int32, _ repair: inout Repair) {
        repair.units.insert(cells[Int(seed)].key >> question.cellBits)
    }

    /// Calls `body` with the occupied cells at most three cells away from a position, and at it.
    @inline(__always)
    private func forEachNeighbour(of position: Int, _ body: (Int32) -> Void) {
        let radius = ClusterOptions.reachCells
        for row in -radius...radius {
            let middle = position + row * stride
            for place in (middle - radius)...(middle + radius) where grid[place] >= 0 {
                body(grid[place])
            }
        }
    }

    private func position(of key: UInt64) -> Int {
        let padding = CellField.padding
        return (Int(MortonKey.compact(key >> 1)) + padding) * stride + padding
            + Int(MortonKey.compact(key))
    }

    /// Sets a cell of the grid, in the padding of the other side too.
    private mutating func write(_ number: Int32, at position: Int, _ key: UInt64) {
        let width = stride - 2 * CellField.padding
        let column = Int(MortonKey.compact(key))
        grid[position] = number
        if column < CellField.padding { grid[position + width] = number }
        if column >= width - CellField.padding { grid[position - width] = number }
    }
}

extension WorldClusters {
    /// The clusters of a unit; nil when there are none.
    ///
    /// - Complexity: O(m log m) for m occupied cells in the unit and three cells around it.
    private func cut(_ key: UInt64, of snapshot: IndexSnapshot) -> ClusterUnit? {
        // The seed's number in the unit, then the member's key, then its number: 10, 18 and at most
        // 20 bits.
        var found: [UInt64] = []
        let bits = question.cellBits
        forEachPosition(around: key) { position in
            let number = grid[position]
            guard number >= 0 else { return }
            let seed = cells[Int(owners[Int(number)])].key
            guard seed >> bits == key else { return }
            found.append(
                (seed & ((1 << bits) - 1)) << 40 | cells[Int(number)].key << 20 | UInt64(number))
        }
        if found.isEmpty { return nil }
        found.sort()
        let members = found.map { Int32(truncatingIfNeeded: $0 & 0xf_ffff) }
        var seeds: [Int] = []
        var starts: [Int] = []
        for place in found.indices where place == 0 || found[place] >> 40 != found[place - 1] >> 40
        {
            seeds.append(Int(owners[Int(members[place])]))
            starts.append(place)
        }
        starts.append(found.count)
        let shape = UnitShape(question, key)
        return ClusterUnit(
            question, key: key,
            seeds: shape.seeds(seeds[...], members.span, starts.span, cells.span),
            members: shape.places(members.span, members.indices, cells.span),
            dependency: .world, of: snapshot)
    }

    /// Calls `body` once with each position of the grid in a unit or as near as its members.
    private func forEachPosition(around key: UInt64, _ body: (Int) -> Void) {
        let padding = CellField.padding
        let width = stride - 2 * padding
        let side = question.unitCells
        let north = Int(MortonKey.compact(key >> 1)) * side
        let west = Int(MortonKey.compact(key)) * side
        // Where the unit is the world, what is around it is in it.
        let margin = side == width ? 0 : ClusterOptions.reachCells
        for row in max(0, north - margin)..<min(width, north + side + margin) {
            let start = (row + padding) * stride + padding + west
            for position in (start - margin)..<(start + side + margin) { body(position) }
        }
    }
}
