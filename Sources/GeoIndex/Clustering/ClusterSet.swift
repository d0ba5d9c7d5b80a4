/// Clusters of a window as parallel arrays, ascending by id.
public struct ClusterSet: Sendable {
    /// The zoom and radius that they were made for.
    public let options: ClusterOptions
    /// Ids; see ``ClusterID``.
    public private(set) var ids: [UInt64] = []
    /// The points of the seed cells.
    public private(set) var points: [WorldPoint] = []
    /// The numbers of members; 1 is a single object.
    public private(set) var counts: [Int] = []
    /// `memberCells[memberStarts[i]..<memberStarts[i + 1]]` are the cells of cluster i. Not kept
    /// for clusters of units, which have them.
    private var memberStarts: [Int] = [0]
    private var memberCells: [UInt64] = []
    /// The units that clusters were taken from, with the first that is from each.
    private var pieces: [(unit: ClusterUnit, start: Int)] = []
    /// A window in which new clusters may come up, and ranges of keys that were looked at.
    private var window: WorldWindow?
    private var consulted: [ClosedRange<UInt64>] = []

    init(options: ClusterOptions) {
        self.options = options
    }

    /// How many clusters and singles there are.
    public var count: Int { ids.count }

    /// The keys of all places that the clusters depend on: as long as nothing changes there, the
    /// answer stays the same. May overlap.
    public var dependencies: [ClosedRange<UInt64>] {
        var whole = window
        for piece in pieces {
            whole = whole?.union(piece.unit.dependency) ?? piece.unit.dependency
        }
        return consulted + (whole?.coarseKeyRanges(level: options.level) ?? [])
    }

    /// The keys of a cluster's cells, at the options' level, ascending.
    func cells(of index: Int) -> [UInt64] {
        if let (unit, place) = source(of: index) { return unit.cells(of: place) }
        return Array(memberCells[memberStarts[index]..<memberStarts[index + 1]])
    }

    /// The unit that a cluster is from, and its place there.
    func source(of index: Int) -> (unit: ClusterUnit, place: Int)? {
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].start <= index { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let unit = pieces[low - 1].unit
        // A number below 2^10: the cell lies in the unit.
        guard let place = unit.index(ofCell: UInt16(ids[index] - unit.firstID)) else {
            preconditionFailure("cluster \(ids[index]) is not from its unit")
        }
        return (unit, place)
    }

    mutating func append(
        id: UInt64, point: WorldPoint, count: Int, cells: some Sequence<UInt64>
    ) {
        ids.append(id)
        points.append(point)
        counts.append(count)
        memberCells.append(contentsOf: cells)
        memberStarts.append(memberCells.count)
    }

    /// Makes room for the clusters of units, and notes the window that they are asked for.
    mutating func reserve(_ units: [ClusterUnit], in window: WorldWindow) {
        self.window = self.window?.union(window) ?? window
        let more = units.reduce(count) { $0 + $1.seeds.count }
        pieces.reserveCapacity(pieces.count + units.count)
        guard more > ids.capacity else { return }
        let capacity = max(more, ids.capacity * 2)
        ids.reserveCapacity(capacity)
        points.reserveCapacity(capacity)
        counts.reserveCapacity(capacity)
    }

    /// Appends those clusters of a unit whose point lies in a window.
    ///
    /// - Precondition: the set has no clusters that come after the unit, and none that are not
    ///   from units.
    mutating func append(_ unit: ClusterUnit, in window: WorldWindow) {
        pieces.append((unit, count))
        let base = unit.firstID
        let column = unit.seeds
        let seeds = column.span
        if window.contains(unit.window) {
            for index in seeds.indices {
                let seed = seeds[index]
                ids.append(base + UInt64(seed.cell))
                points.append(WorldPoint(x: seed.x, y: seed.y))
                counts.append(Int(seed.count))
            }
        } else {
            for index in seeds.indices {
                let seed = seeds[index]
                guard window.contains(x: seed.x, y: seed.y) else { continue }
                ids.append(base + UInt64(seed.cell))
                points.append(WorldPoint(x: seed.x, y: seed.y))
                counts.append(Int(seed.count))
            }
        }
    }

    /// Appends one cluster of a unit.
    mutating func append(_ unit: ClusterUnit, only index: Int) {
        let seed = unit.seeds[index]
        pieces.append((unit, count))
        ids.append(unit.firstID + UInt64(seed.cell))
        points.append(WorldPoint(x: seed.x, y: seed.y))
        counts.append(Int(seed.count))
    }

    /// Appends the seeds of a field.
    ///
    /// - Parameter owned: For each cell the number of its seed in `seeds`, -1 for other seeds'.
    mutating func append(seeds: [Int], owned: [Int32], of field: borrowing CellField) {
        let shift = 64 - 2 * UInt64(options.level)
        consulted.append(
            contentsOf: field.consulted.map {
                ($0.lowerBound << shift)...($0.upperBound << shift | ((1 << shift) - 1))
            })
        let cells = field.cells.span
        let base = ids.count
        var starts = [Int](repeating: 0, count: seeds.count + 1)
        counts.append(contentsOf: repeatElement(0, count: seeds.count))
        for (number, slot) in owned.enumerated() where slot >= 0 {
            starts[Int(slot) + 1] += 1
            counts[base + Int(slot)] += Int(cells[number].count)
        }
        for slot in seeds.indices {
            let seed = cells[seeds[slot]]
            starts[slot + 1] += starts[slot]
            ids.append(ClusterID(level: options.level, cell: seed.key).number)
            points.append(seed.point)
            memberStarts.append(memberCells.count + starts[slot + 1])
        }
        let first = memberCells.count
        memberCells.append(contentsOf: repeatElement(0, count: starts[seeds.count]))
        for (number, slot) in owned.enumerated() where slot >= 0 {
            memberCells[first + starts[Int(slot)]] = cells[number].key
            starts[Int(slot)] += 1
        }
    }

    /// Brings clusters that came from several parts of a window in the order of their ids.
    mutating func sortByID() {
        let isSorted = zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }
        if isSorted { return }
        var sorted = ClusterSet(options: options)
        for index in ids.indices.sorted(by: { ids[$0] < ids[$1] }) {
            sorted.append(
                id: ids[index], point: points[index], count: counts[index], cells: cells(of: index))
        }
        sorted.consulted = consulted
        self = sorted
    }
}

extension WorldWindow {
    /// Whether all points of another window lie in this one.
    func contains(_ other: WorldWindow) -> Bool {
        north <= other.north && UInt64(north) + height >= UInt64(other.north) + other.height
            && (isWholeBelt || UInt64(other.west &- west) + other.width <= width)
    }
}
