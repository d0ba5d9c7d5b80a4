/// The parts of a cluster one zoom deeper.
public enum ClusterChildren: Sendable {
    /// Clusters of the next zoom, with the ids they have there, each counted with the members of
    /// the parent only; the cells hold those members.
    case clusters(ClusterSet)
    /// There is no deeper zoom for this radius: the objects themselves, by id.
    case objects([PlacedObject], total: Int)
}

extension IndexSnapshot {
    /// The clusters one zoom deeper that hold the members of a cluster.
    ///
    /// - Parameters:
    ///   - set: One cluster, from ``cluster(_:options:filter:)``.
    ///   - limit: How many objects to give where there are no deeper clusters.
    /// - Complexity: O(c log n) for c cells of the cluster's members at the next zoom.
    public func children(of set: ClusterSet, limit: Int, filter: EntryFilter = .all)
        -> ClusterChildren
    {
        guard let deeper = set.options.deeper else {
            return .objects(
                leaves(of: set, limit: limit, offset: 0, filter: filter), total: set.counts[0])
        }
        return .clusters(split(set, options: deeper, filter: filter))
    }

    /// A page of a cluster's members, ordered by objectId; how many there are in all says the set.
    ///
    /// - Complexity: O(m + l log l) for m members and l on the page; ids of more than ten
    ///   characters are looked up, which takes several times longer.
    public func leaves(of set: ClusterSet, limit: Int, offset: Int, filter: EntryFilter = .all)
        -> [PlacedObject]
    {
        var leaves = LeafSelection(filter: ResolvedFilter(filter, kinds: kinds))
        for range in memberRanges(of: set) { walk(range, &leaves) }
        return leaves.page(limit: limit, offset: offset, ids: ids)
    }

    /// The lowest zoom at which a cluster's members are in two clusters or more; nil when never.
    ///
    /// - Complexity: O(c log n) a zoom for c cells of the members there; O(1) zooms for most.
    public func expansionZoom(of set: ClusterSet, filter: EntryFilter = .all) -> UInt8? {
        var options = set.options
        while let deeper = options.deeper {
            if split(set, options: deeper, filter: filter).count > 1 { return deeper.zoom }
            options = deeper
        }
        return nil
    }

    /// The keys of all places in a cluster's cells; cells that follow one another are one range.
    private func memberRanges(of set: ClusterSet) -> [ClosedRange<UInt64>] {
        let shift = 64 - 2 * UInt64(set.options.level)
        var ranges: [ClosedRange<UInt64>] = []
        for cell in set.cells(of: 0) {
            let first = cell << shift
            let last = first | ((1 << shift) - 1)
            if let previous = ranges.last, previous.upperBound &+ 1 == first {
                ranges[ranges.count - 1] = previous.lowerBound...last
            } else {
                ranges.append(first...last)
            }
        }
        return ranges
    }

    /// A cluster's members in the clusters of a deeper zoom.
    private func split(_ set: ClusterSet, options: ClusterOptions, filter: EntryFilter)
        -> ClusterSet
    {
        let resolved = ResolvedFilter(filter, kinds: kinds)
        var runs = CellRuns()
        let levels = 2 * UInt64(options.level - set.options.level)
        for cell in set.cells(of: 0) {
            appendCells(
                level: options.level, from: cell << levels,
                through: cell << levels | ((1 << levels) - 1), filter: resolved, to: &runs)
        }
        var result = ClusterSet(options: options)
        guard let first = runs.runs.first else { return result }
        let members = runs.runs.reduce(WorldWindow(options.cell(first.key))) {
            $0.union(WorldWindow(options.cell($1.key)))
        }
        // A cell's seed is at most three cells away from it.
        let reach = UInt64(ClusterOptions.reachCells) << (32 - UInt64(options.level))
        let found = clusters(in: members.expanded(by: reach), options: options, filter: filter)
        for index in 0..<found.count {
            var count = 0
            var cells: [UInt64] = []
            for cell in found.cells(of: index) {
                let place = runs.firstIndex(from: cell)
                guard place < runs.count, runs[place].key == cell else { continue }
                count += Int(runs[place].count)
                cells.append(cell)
            }
            guard count > 0 else { continue }
            result.append(
                id: found.ids[index], point: found.points[index], count: count, cells: cells)
        }
        return result
    }
}

extension ClusterOptions {
    /// The cell with a key at the options' level.
    fileprivate func cell(_ key: UInt64) -> QuadCell { QuadCell(level: level, key: key) }
}
