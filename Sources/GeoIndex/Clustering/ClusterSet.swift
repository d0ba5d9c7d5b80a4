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
    /// `memberCells[memberStarts[i]..<memberStarts[i + 1]]` are the cells of the i-th cluster that
    /// is not from a unit: units have those of theirs.
    private var memberStarts: [Int] = [0]
    private var memberCells: [UInt64] = []
    /// Where clusters are from, ascending; none when all were resolved for this set.
    private var pieces: [Piece] = []
    /// A window in which new clusters may come up, and ranges of keys that were looked at.
    private var window: WorldWindow?
    private var consulted: [ClosedRange<UInt64>] = []

    /// Clusters that follow one another and are from one unit, or were resolved for this set.
    private struct Piece {
        var unit: ClusterUnit?
        /// The first of them.
        var start: Int
        /// How many clusters that are not from units come before.
        var resolved: Int
    }

    init(options: ClusterOptions) {
        self.options = options
    }

    /// How many clusters and singles there are.
    public var count: Int { ids.count }

    /// The keys of all places that the clusters depend on: as long as nothing changes there, the
    /// answer stays the same. May overlap.
    public var dependencies: [ClosedRange<UInt64>] {
        var whole = window
        for case let unit? in pieces.map(\.unit) {
            whole = whole?.union(unit.dependency) ?? unit.dependency
        }
        return consulted + (whole?.coarseKeyRanges(level: options.level) ?? [])
    }

    /// The keys of a cluster's cells, at the options' level, ascending.
    func cells(of index: Int) -> [UInt64] {
        if let (unit, place) = source(of: index) { return unit.cells(of: place) }
        let piece = piece(of: index)
        let number = piece.map { index - $0.start + $0.resolved } ?? index
        return Array(memberCells[memberStarts[number]..<memberStarts[number + 1]])
    }

    /// The unit that a cluster is from, and its place there.
    func source(of index: Int) -> (unit: ClusterUnit, place: Int)? {
        guard let unit = piece(of: index)?.unit else { return nil }
        // A number below 2^10: the cell lies in the unit.
        guard let place = unit.index(ofCell: UInt16(ids[index] - unit.firstID)) else {
            preconditionFailure("cluster \(ids[index]) is not from its unit")
        }
        return (unit, place)
    }

    private func piece(of index: Int) -> Piece? {
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].start <= index { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? pieces[low - 1] : nil
    }

    private mutating func begin(_ unit: ClusterUnit?) {
        pieces.append(Piece(unit: unit, start: count, resolved: memberStarts.count - 1))
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
    /// - Precondition: the set has no clusters that come after the unit.
    mutating func append(_ unit: ClusterUnit, in window: WorldWindow) {
        begin(unit)
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
        begin(unit)
        ids.append(unit.firstID + UInt64(seed.cell))
        points.append(WorldPoint(x: seed.x, y: seed.y))
        counts.append(Int(seed.count))
    }

    /// Appends some clusters of a set that was resolved without units.
    ///
    /// - Precondition: this set has no clusters that come after them.
    mutating func append(_ other: ClusterSet, _ range: Range<Int>) {
        if range.isEmpty { return }
        begin(nil)
        ids.append(contentsOf: other.ids[range])
        points.append(contentsOf: other.points[range])
        counts.append(contentsOf: other.counts[range])
        let first = other.memberStarts[range.lowerBound]
        let shift = memberCells.count - first
        memberCells.append(
            contentsOf: other.memberCells[first..<other.memberStarts[range.upperBound]])
        memberStarts.append(
            contentsOf: range.lazy.map { other.memberStarts[$0 + 1] + shift })
    }

    /// Notes that the answer depends on all that another one does.
    mutating func depend(on other: ClusterSet) {
        consulted.append(contentsOf: other.consulted)
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
