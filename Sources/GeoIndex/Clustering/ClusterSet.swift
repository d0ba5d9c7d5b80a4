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
    /// - Complexity: O(c log n) for c occupied cells in the window and along the chains of cells
    ///   that it depends on; the number of objects plays no part.
    public func clusters(
        in window: WorldWindow, options: ClusterOptions, filter: EntryFilter = .all
    ) -> ClusterSet {
        let resolved = ResolvedFilter(filter, kinds: kinds)
        var found = ClusterSet(options: options)
        for part in ClusterParts.of(window, level: options.level, in: self) {
            var resolver = SeedResolver(
                CellField(self, window: part, options: options, filter: resolved))
            resolver.appendClusters(in: part, to: &found)
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

/// Cuts a window that is too large for one dense grid into parts that are not: the clusters of a
/// window are those of its parts together.
enum ClusterParts {
    /// Cells of a grid that is made without asking how full it would be: half a megabyte.
    private static let freeCells: UInt64 = 1 << 17
    /// Cells of a grid for each object in it, above that.
    private static let cellsPerObject: UInt64 = 64
    private static let leastCells: UInt64 = 1 << 10

    static func of(_ window: WorldWindow, level: UInt8, in snapshot: IndexSnapshot)
        -> [WorldWindow]
    {
        if window.isEmpty { return [] }
        let side = 32 - UInt64(level)
        if gridCells(window, side: side) <= freeCells { return [window] }
        var parts: [WorldWindow] = []
        var rest = [window]
        while let next = rest.popLast() {
            let count = UInt64(snapshot.roughCount(in: next, level: level))
            if count == 0 { continue }
            let most = min(freeCells, leastCells + cellsPerObject * count)
            if gridCells(next, side: side) <= most {
                parts.append(next)
            } else {
                rest.append(contentsOf: halves(of: next, side: side))
            }
        }
        return parts
    }

    private static func gridCells(_ window: WorldWindow, side: UInt64) -> UInt64 {
        let margin = 2 * UInt64(CellField.marginCells)
        return ((window.width >> side) + margin) * ((window.height >> side) + margin)
    }

    /// Cuts across the longer side, on a cell's edge where there is one.
    private static func halves(of window: WorldWindow, side: UInt64) -> [WorldWindow] {
        if window.width >= window.height {
            let half = max(1, ((window.width / 2) >> side) << side)
            return [
                WorldWindow(
                    west: window.west, width: half, north: window.north, height: window.height),
                WorldWindow(
                    west: UInt32(truncatingIfNeeded: UInt64(window.west) + half),
                    width: window.width - half, north: window.north, height: window.height),
            ]
        }
        let half = max(1, ((window.height / 2) >> side) << side)
        return [
            WorldWindow(
                west: window.west, width: window.width, north: window.north, height: half),
            WorldWindow(
                west: window.west, width: window.width,
                north: UInt32(UInt64(window.north) + half), height: window.height - half),
        ]
    }
}

extension IndexSnapshot {
    /// At least as many objects as lie in a window, and none only when there are none near.
    ///
    /// - Complexity: O(log n) for each of about a hundred ranges.
    func roughCount(in window: WorldWindow, level: UInt8) -> Int {
        QuadCover.rectangles(of: window, level: level).reduce(0) { total, rectangle in
            let ranges = QuadCover.cellRanges(of: rectangle, slack: rectangle.coarseSlack)
            let shift = 64 - 2 * UInt64(level)
            return total
                + sum(
                    over: ranges.map {
                        ($0.lowerBound << shift)...($0.upperBound << shift
                            | (shift == 64 ? .max : (1 << shift) - 1))
                    }
                ).count
        }
    }
}
