/// Decides which cells are seeds and to which seed each cell belongs, exactly as if the whole
/// world had been looked at.
///
/// A cell is a seed when no seed before it in the order reaches it. The window is settled in one
/// greedy pass along the order. Where that pass cannot know, because a cell depends on cells
/// beyond the loaded margin, it says so; such a cell is settled afterwards, when it is needed, by
/// following its chain of earlier cells outwards to the end.
struct SeedResolver {
    enum State: UInt8 {
        case undecided, seed, covered, unknown
    }

    private(set) var field: CellField
    private var states: [State]
    /// The seed that each cell belongs to, -1 while it is not known.
    private var owners: [Int32]
    /// Whether an undecided cell before the owner may reach the cell too.
    private var isOwnerOpen: [Bool]
    /// Cells whose state was decided by following chains; for the bench and tests.
    private(set) var chainSteps = 0

    init(_ field: consuming CellField) {
        self.field = field
        states = []
        owners = []
        isOwnerOpen = []
        settleWindow()
    }

    /// The greedy pass over the grid's cells, in their order.
    private mutating func settleWindow() {
        let field = self.field
        let cells = field.count
        var states = [State](repeating: .undecided, count: cells)
        var owners = [Int32](repeating: -1, count: cells)
        var isOwnerOpen = [Bool](repeating: false, count: cells)
        // Whether an earlier cell, seed or not, is known of only that it may reach this one.
        var isTouched = [Bool](repeating: false, count: cells)
        markRim(&isTouched)
        let stride = field.stride
        let radius = ClusterOptions.reachCells
        let reach = field.options.reach
        let x = field.x.span
        let y = field.y.span
        let keys = field.keys.span
        let grid = field.grid.span
        for cell in RankOrder.sorted(field) {
            let index = Int(cell)
            if states[index] == .covered { continue }
            let isSeed = !isTouched[index]
            states[index] = isSeed ? .seed : .unknown
            if isSeed { owners[index] = cell }
            guard let centre = field.gridPosition(ofKey: keys[index]) else { continue }
            for row in -radius...radius {
                let start = centre + row * stride - radius
                for position in start...(start + 2 * radius) {
                    let neighbour = Int(grid[position])
                    guard neighbour >= 0, states[neighbour] == .undecided else { continue }
                    guard
                        CellField.reaches(
                            dx: x[index] &- x[neighbour],
                            dy: Int64(y[index]) - Int64(y[neighbour]), reach: reach)
                    else { continue }
                    if isSeed {
                        states[neighbour] = .covered
                        owners[neighbour] = cell
                        isOwnerOpen[neighbour] = isTouched[neighbour]
                    } else {
                        isTouched[neighbour] = true
                    }
                }
            }
        }
        self.states = states
        self.owners = owners
        self.isOwnerOpen = isOwnerOpen
    }

    /// Marks the cells whose neighbourhood sticks out of the grid where the world goes on.
    private func markRim(_ isTouched: inout [Bool]) {
        let rim = ClusterOptions.reachCells
        let padding = CellField.padding
        func mark(_ column: Int, _ row: Int) {
            let number = field.grid[(row + padding) * field.stride + column + padding]
            if number >= 0 { isTouched[Int(number)] = true }
        }
        for row in 0..<field.gridHeight {
            let isNorth = field.isCutInNorth && row < rim
            let isSouth = field.isCutInSouth && row >= field.gridHeight - rim
            if isNorth || isSouth {
                for column in 0..<field.gridWidth { mark(column, row) }
            } else if !field.wraps {
                for column in 0..<min(rim, field.gridWidth) { mark(column, row) }
                for column in max(0, field.gridWidth - rim)..<field.gridWidth {
                    mark(column, row)
                }
            }
        }
    }

    /// Whether a cell is a seed.
    ///
    /// - Complexity: O(1) when the window settled it; else the length of its chains.
    mutating func isSeed(_ cell: Int) -> Bool {
        growToField()
        if states[cell] == .seed { return true }
        if states[cell] == .covered { return false }
        // Depth first along earlier cells; each step goes down the order, so it ends. An explicit
        // stack: a chain can be as long as the map is wide.
        var stack = [cell]
        while let top = stack.last {
            if states[top] == .seed || states[top] == .covered {
                stack.removeLast()
                continue
            }
            var isCovered = false
            var open: Int?
            for neighbour in earlierNeighbours(of: top) {
                switch states[neighbour] {
                case .seed: isCovered = true
                case .covered: break
                case .undecided, .unknown:
                    if open.map({ field.precedes(neighbour, $0) }) ?? true { open = neighbour }
                }
            }
            if isCovered {
                states[top] = .covered
                isOwnerOpen[top] = true
                owners[top] = -1
                stack.removeLast()
            } else if let open {
                stack.append(open)
            } else {
                states[top] = .seed
                owners[top] = Int32(top)
                stack.removeLast()
            }
            chainSteps += 1
        }
        return states[cell] == .seed
    }

    /// The seed that a cell belongs to: the first in the order that reaches it.
    mutating func owner(of cell: Int) -> Int {
        if isSeed(cell) { return cell }
        if owners[cell] >= 0 && !isOwnerOpen[cell] { return Int(owners[cell]) }
        var first: Int?
        for neighbour in earlierNeighbours(of: cell) where isSeed(neighbour) {
            if first.map({ field.precedes(neighbour, $0) }) ?? true { first = neighbour }
        }
        guard let first else { preconditionFailure("a cell that is no seed is reached by one") }
        owners[cell] = Int32(first)
        isOwnerOpen[cell] = false
        return first
    }

    /// The cells that reach a cell and come before it.
    private mutating func earlierNeighbours(of cell: Int) -> [Int] {
        var near: [Int] = []
        field.forEachNeighbour(of: cell) { near.append($0) }
        growToField()
        return near.filter { field.precedes($0, cell) && field.reaches($0, cell) }
    }

    /// The cells that may belong to a seed: itself and all that it reaches.
    mutating func reached(from seed: Int) -> [Int] {
        var near: [Int] = []
        field.forEachNeighbour(of: seed) { near.append($0) }
        growToField()
        var seen = Set<Int>()
        return [seed] + near.filter { field.reaches($0, seed) && seen.insert($0).inserted }
    }

    /// The number of a cell by its key; nil when no object is in it.
    mutating func number(ofKey key: UInt64) -> Int? {
        let number = field.number(ofKey: key)
        growToField()
        return number
    }

    /// Makes room for cells that were loaded since.
    private mutating func growToField() {
        let missing = field.count - states.count
        guard missing > 0 else { return }
        states.append(contentsOf: repeatElement(.undecided, count: missing))
        owners.append(contentsOf: repeatElement(-1, count: missing))
        isOwnerOpen.append(contentsOf: repeatElement(true, count: missing))
    }

    /// Settles every cell that a window's clusters need, and gives the clusters.
    ///
    /// - Returns: Seeds whose point lies in the window, with the cells that belong to each.
    mutating func clusters(in window: WorldWindow) -> [(seed: Int, members: [Int])] {
        let loaded = states.count
        var seeds: [Int] = []
        for cell in 0..<loaded where window.contains(x: field.x[cell], y: field.y[cell]) {
            if isSeed(cell) { seeds.append(cell) }
        }
        return seeds.map { seed in
            (seed: seed, members: reached(from: seed).filter { owner(of: $0) == seed })
        }
    }
}

/// Sorts the cells of a field by their order.
enum RankOrder {
    /// The numbers of all cells, first in the order first.
    ///
    /// - Complexity: O(n): two counting passes over the upper 16 bits, then insertion.
    static func sorted(_ field: borrowing CellField) -> [Int32] {
        let ranks = field.ranks
        var order = (0..<Int32(ranks.count)).map { $0 }
        guard ranks.count > 1 else { return order }
        var other = order
        for shift: UInt64 in [48, 56] {
            var starts = [Int](repeating: 0, count: 257)
            for rank in ranks { starts[Int(rank >> shift & 255) + 1] += 1 }
            for bucket in 1...256 { starts[bucket] += starts[bucket - 1] }
            for cell in order {
                let bucket = Int(ranks[Int(cell)] >> shift & 255)
                other[starts[bucket]] = cell
                starts[bucket] += 1
            }
            swap(&order, &other)
        }
        for index in order.indices.dropFirst() {
            var position = index
            let cell = order[index]
            while position > 0 && field.precedes(Int(cell), Int(order[position - 1])) {
                order[position] = order[position - 1]
                position -= 1
            }
            order[position] = cell
        }
        return order
    }
}
