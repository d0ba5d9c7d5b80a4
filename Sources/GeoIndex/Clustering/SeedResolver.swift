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
    /// For each seed that the pass settled, how many cells away the furthest cell may be that made
    /// it one; 0 for other cells. Empty unless it was asked for.
    private(set) var extents: [Int32] = []

    /// Settles the cells of a field as far as it goes.
    ///
    /// - Parameter tracksExtents: Whether to note what each seed depends on.
    init(_ field: consuming CellField, tracksExtents: Bool = false) {
        self.field = field
        states = []
        owners = []
        isOwnerOpen = []
        settleWindow(tracksExtents: tracksExtents)
    }

    /// The greedy pass over the grid's cells, in their order.
    private mutating func settleWindow(tracksExtents: Bool) {
        let field = self.field
        let count = field.count
        var states = [State](repeating: .undecided, count: count)
        var owners = [Int32](repeating: -1, count: count)
        var isOwnerOpen = [Bool](repeating: false, count: count)
        // Whether an earlier cell, seed or not, is known of only that it may reach this one.
        var isTouched = rim(of: field)
        let cells = field.cells.span
        let grid = field.grid.span
        // Settled cells are taken out of the first and those that a seed covers put in the second.
        var undecided = CellBits(count: grid.count)
        var covered = CellBits(count: tracksExtents ? grid.count : 0)
        for index in cells.indices {
            field.forEachPosition(of: cells[index]) { undecided.insert($0) }
        }
        let reach = field.options.reach
        let stride = field.stride
        let radius = ClusterOptions.reachCells
        var extents = [Int32](repeating: 0, count: tracksExtents ? count : 0)
        for number in RankOrder.sorted(field) {
            let index = Int(number)
            if states[index] == .covered { continue }
            let cell = cells[index]
            let isSeed = !isTouched[index]
            states[index] = isSeed ? .seed : .unknown
            if isSeed { owners[index] = number }
            field.forEachPosition(of: cell) { undecided.remove($0) }
            var extent = Int32(radius)
            var start = Int(cell.position) - radius * stride - radius
            for _ in -radius...radius {
                if tracksExtents && isSeed {
                    var row = covered.row(from: start)
                    while row != 0 {
                        let neighbour = Int(grid[start &+ row.trailingZeroBitCount])
                        row &= row &- 1
                        let owner = Int(owners[neighbour])
                        let further = field.distance(cells[owner], cell) + extents[owner]
                        // An earlier cell that reaches this one: what made it no seed counts.
                        guard further > extent, cells[neighbour].rank <= cell.rank,
                            cells[neighbour].reaches(cell, reach: reach)
                        else { continue }
                        extent = further
                    }
                }
                var row = undecided.row(from: start)
                while row != 0 {
                    let neighbour = Int(grid[start &+ row.trailingZeroBitCount])
                    row &= row &- 1
                    let other = cells[neighbour]
                    guard other.reaches(cell, reach: reach) else { continue }
                    if isSeed {
                        states[neighbour] = .covered
                        owners[neighbour] = number
                        isOwnerOpen[neighbour] = isTouched[neighbour]
                        field.forEachPosition(of: other) {
                            undecided.remove($0)
                            if tracksExtents { covered.insert($0) }
                        }
                    } else {
                        isTouched[neighbour] = true
                    }
                }
                start += stride
            }
            if tracksExtents && isSeed { extents[index] = extent }
        }
        self.states = states
        self.owners = owners
        self.isOwnerOpen = isOwnerOpen
        self.extents = extents
    }

    /// Whether the pass could not tell if a cell is a seed. To be asked before
    /// ``isSeed(_:)`` is.
    func isUnknown(_ cell: Int) -> Bool { states[cell] == .unknown || states[cell] == .undecided }

    /// The seed that the pass found for a cell, for certain the one that it belongs to; -1 where
    /// that is not known.
    func settledOwner(of cell: Int) -> Int {
        isOwnerOpen[cell] ? -1 : Int(owners[cell])
    }

    /// Marks the cells whose neighbourhood sticks out of the grid where the world goes on.
    private func rim(of field: borrowing CellField) -> [Bool] {
        var isRim = [Bool](repeating: false, count: field.count)
        let rim = ClusterOptions.reachCells
        let padding = CellField.padding
        for (number, cell) in field.cells.enumerated() {
            var (row, column) = field.place(of: cell.position)
            row -= padding
            column -= padding
            isRim[number] =
                field.isCutInNorth && row < rim
                || field.isCutInSouth && row >= field.gridHeight - rim
                || !field.wraps && (column < rim || column >= field.gridWidth - rim)
        }
        return isRim
    }

    /// Whether a cell is a seed.
    ///
    /// - Complexity: O(1) when the window settled it; else the length of its chains.
    mutating func isSeed(_ cell: Int) -> Bool {
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
        let near = field.neighbours(of: cell)
        growToField()
        return near.filter { field.precedes($0, cell) && field.reaches($0, cell) }
    }

    /// Makes room for cells that were loaded since.
    private mutating func growToField() {
        let missing = field.count - states.count
        guard missing > 0 else { return }
        states.append(contentsOf: repeatElement(.undecided, count: missing))
        owners.append(contentsOf: repeatElement(-1, count: missing))
        isOwnerOpen.append(contentsOf: repeatElement(true, count: missing))
    }
}

extension SeedResolver {
    /// Appends the seeds whose point lies in a window, each with the cells that belong to it.
    ///
    /// - Parameter window: The window that the field was loaded for, without its margin: so all
    ///   members lie in the grid.
    mutating func appendClusters(in window: WorldWindow, to set: inout ClusterSet) {
        let loaded = field.count
        // The place in the answer of each seed that is in it.
        var slots = [Int32](repeating: -1, count: loaded)
        var seeds: [Int] = []
        let cells = field.cells
        for number in 0..<loaded {
            let cell = cells[number]
            if window.contains(x: cell.x, y: cell.y) && isSeed(number) {
                slots[number] = Int32(seeds.count)
                seeds.append(number)
            }
        }
        var owned = [Int32](repeating: -1, count: loaded)
        for number in 0..<loaded {
            if isOwnerOpen[number] || owners[number] < 0 {
                guard field.isNearWindow(number), isReached(number, byAnyOf: slots) else {
                    continue
                }
                let owner = owner(of: number)
                owned[number] = owner < loaded ? slots[owner] : -1
            } else if Int(owners[number]) < loaded {
                owned[number] = slots[Int(owners[number])]
            }
        }
        set.append(seeds: seeds, owned: owned, of: field)
    }

    /// Whether a seed that has a slot reaches a cell of the grid.
    func isReached(_ number: Int, byAnyOf slots: [Int32]) -> Bool {
        let cell = field.cells[number]
        let radius = ClusterOptions.reachCells
        for row in -radius...radius {
            let start = Int(cell.position) + row * field.stride - radius
            for position in start...(start + 2 * radius) {
                let neighbour = Int(field.grid[position])
                guard neighbour >= 0, slots[neighbour] >= 0 else { continue }
                if field.reaches(number, neighbour) { return true }
            }
        }
        return false
    }
}

/// Sorts the cells of a field by their order.
enum RankOrder {
    /// The numbers of all cells, first in the order first.
    ///
    /// - Complexity: O(n): two counting passes over 16 of the upper bits, then insertion.
    static func sorted(_ field: borrowing CellField) -> [Int32] {
        let cells = field.cells.span
        let count = cells.count
        // The upper bits of a rank and the cell's number below them: what is compared stands side
        // by side. A rank's highest bit is always set.
        let mask = UInt64.max >> UInt64((UInt64(count) | 1).leadingZeroBitCount)
        var order = [UInt64](capacity: count) { output in
            for index in cells.indices {
                output.append(cells[index].rank << 1 & ~mask | UInt64(index))
            }
        }
        guard count > 1 else { return order.map { Int32(truncatingIfNeeded: $0 & mask) } }
        var other = order
        for shift: UInt64 in [48, 56] {
            var starts = [Int](repeating: 0, count: 257)
            for key in order { starts[Int(key >> shift & 255) &+ 1] &+= 1 }
            for bucket in 1...256 { starts[bucket] &+= starts[bucket &- 1] }
            for key in order {
                let bucket = Int(key >> shift & 255)
                other[starts[bucket]] = key
                starts[bucket] &+= 1
            }
            swap(&order, &other)
        }
        for index in 1..<count {
            let key = order[index]
            var position = index
            while position > 0 {
                let previous = order[position &- 1]
                // Where only the numbers differ the cells have to be compared.
                let isEarlier =
                    key ^ previous > mask
                    ? key < previous : cells[Int(key & mask)] < cells[Int(previous & mask)]
                guard isEarlier else { break }
                order[position] = previous
                position &-= 1
            }
            order[position] = key
        }
        return order.map { Int32(truncatingIfNeeded: $0 & mask) }
    }
}
