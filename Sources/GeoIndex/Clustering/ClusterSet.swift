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
    /// `memberCells[memberStarts[i]..<memberStarts[i + 1]]` are the cells of cluster i.
    private(set) var memberStarts: [Int] = [0]
    private(set) var memberCells: [UInt64] = []

    /// The keys of all places that the clusters depend on: as long as nothing changes there, the
    /// answer stays the same. May overlap.
    public private(set) var dependencies: [ClosedRange<UInt64>] = []

    init(options: ClusterOptions) {
        self.options = options
    }

    /// How many clusters and singles there are.
    public var count: Int { ids.count }

    /// The keys of a cluster's cells, at the options' level, ascending.
    func cells(of index: Int) -> ArraySlice<UInt64> {
        memberCells[memberStarts[index]..<memberStarts[index + 1]]
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

    /// Appends the seeds of a field.
    ///
    /// - Parameter owned: For each cell the number of its seed in `seeds`, -1 for other seeds'.
    mutating func append(seeds: [Int], owned: [Int32], of field: borrowing CellField) {
        let shift = 64 - 2 * UInt64(options.level)
        dependencies.append(
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
}

extension IndexSnapshot {
    /// The clusters and singles whose point lies in a window.
    ///
    /// The answer is the part of the world's clustering that falls in the window, however it was
    /// cut. API.md, "Clusters", has the definition and its seven laws.
    ///
    /// - Parameter most: With more clusters than this the work may end early, and the set is not
    ///   whole: it has more than `most`.
    /// - Complexity: O(c log n) for c occupied cells in the window and along the chains of cells
    ///   that it depends on; the number of objects plays no part.
    public func clusters(
        in window: WorldWindow, options: ClusterOptions, filter: EntryFilter = .all,
        atMost most: Int = .max
    ) -> ClusterSet {
        let resolved = ResolvedFilter(filter, kinds: kinds)
        var found = ClusterSet(options: options)
        for part in ClusterParts.of(window, level: options.level, in: self) {
            var resolver = SeedResolver(
                CellField(self, window: part, options: options, filter: resolved))
            resolver.appendClusters(in: part, to: &found)
            if found.count > most { break }
        }
        found.sortByID()
        return found
    }

    /// The cluster with an id; nil when its seed cell is no seed (any more).
    public func cluster(_ id: ClusterID, options: ClusterOptions, filter: EntryFilter = .all)
        -> ClusterSet?
    {
        let cell = QuadCell(level: id.level, key: id.cell)
        let side = WorldWindow.worldSize >> UInt64(id.level)
        // A cell's point lies in the cell.
        let window = WorldWindow(
            west: UInt32(UInt64(cell.x) * side), width: side,
            north: UInt32(UInt64(cell.y) * side), height: side)
        let found = clusters(in: window, options: options, filter: filter)
        return found.count == 1 ? found : nil
    }
}

extension ClusterSet {
    /// Brings clusters that came from several parts of a window in the order of their ids.
    fileprivate mutating func sortByID() {
        let isSorted = zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }
        if isSorted { return }
        var sorted = ClusterSet(options: options)
        for index in ids.indices.sorted(by: { ids[$0] < ids[$1] }) {
            sorted.append(
                id: ids[index], point: points[index], count: counts[index], cells: cells(of: index))
        }
        sorted.dependencies = dependencies
        self = sorted
    }
}
