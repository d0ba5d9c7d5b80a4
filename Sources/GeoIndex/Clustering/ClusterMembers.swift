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

    /// The members of a cluster, ordered by objectId.
    ///
    /// - Complexity: O(m log m) for m members.
    public func leaves(of set: ClusterSet, limit: Int, offset: Int, filter: EntryFilter = .all)
        -> [PlacedObject]
    {
        var collector = LeafCollector(filter: ResolvedFilter(filter, kinds: kinds))
        for range in memberRanges(of: set) { walk(range, &collector) }
        let sorted = collector.hits.sorted {
            ids.precedes(ObjectKey(bits: $0.object), ObjectKey(bits: $1.object))
        }
        return sorted.dropFirst(offset).prefix(limit).map { hit in
            PlacedObject(
                id: ids.id(of: ObjectKey(bits: hit.object)),
                position: RoundedPosition(trustedLonE7: hit.lonE7, latE7: hit.latE7))
        }
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

    /// The keys of all places in a cluster's cells.
    private func memberRanges(of set: ClusterSet) -> [ClosedRange<UInt64>] {
        let shift = 64 - 2 * UInt64(set.options.level)
        return set.cells(of: 0).map { cell in
            (cell << shift)...(cell << shift | ((1 << shift) - 1))
        }
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
        // Cells far apart are resolved apart: a dense grid over all of them could be huge.
        var parts = MemberParts(runs: runs, options: options)
        parts.resolve(in: self, filter: resolved, into: &result)
        return result
    }
}

/// Finds the owners of given cells and counts each owner's share of them.
private struct MemberParts {
    let runs: CellRuns
    let options: ClusterOptions

    mutating func resolve(
        in snapshot: IndexSnapshot, filter: ResolvedFilter?, into set: inout ClusterSet
    ) {
        struct Share {
            var point: WorldPoint
            var count = 0
            var cells: [UInt64] = []
        }
        var shares: [UInt64: Share] = [:]
        // Runs ascend along the Z-curve; those of one block of 32 × 32 cells come together.
        var start = 0
        while start < runs.count {
            let block = runs[start].key >> 10
            var end = start
            while end < runs.count && runs[end].key >> 10 == block { end += 1 }
            var resolver = SeedResolver(
                CellField(
                    snapshot, window: window(ofBlock: block), options: options, filter: filter))
            for index in start..<end {
                guard let cell = resolver.number(ofKey: runs[index].key) else {
                    preconditionFailure("the cell \(runs[index].key) was loaded")
                }
                let owner = resolver.owner(of: cell)
                let key = resolver.field.cells[owner].key
                let point = resolver.field.cells[owner].point
                shares[key, default: Share(point: point)].count += Int(runs[index].count)
                shares[key, default: Share(point: point)].cells.append(runs[index].key)
            }
            start = end
        }
        for (key, share) in shares.sorted(by: { $0.key < $1.key }) {
            set.append(
                id: ClusterID(level: options.level, cell: key).number, point: share.point,
                count: share.count, cells: share.cells)
        }
    }

    private func window(ofBlock block: UInt64) -> WorldWindow {
        let bits = min(5, UInt64(options.level))
        let side = WorldWindow.worldSize >> (UInt64(options.level) - bits)
        let corner = MortonKey(bits: block).point
        // At levels below 5 the world itself is the one block.
        return WorldWindow(
            west: UInt32(truncatingIfNeeded: UInt64(corner.x) * side), width: side,
            north: UInt32(truncatingIfNeeded: UInt64(corner.y) * side), height: side)
    }
}

private struct LeafCollector: RangeVisitor {
    struct Hit {
        var object: UInt64
        var lonE7: Int32
        var latE7: Int32
    }

    let filter: ResolvedFilter?
    var hits: [Hit] = []

    init(filter: ResolvedFilter?) { self.filter = filter }

    func enters(_ summary: NodeSummary) -> Bool { filter?.mayKeep(summary) ?? true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        for index in range
        where filter?.keeps(page, index) ?? true {
            hits.append(
                Hit(
                    object: page.objects[index], lonE7: page.lonE7(index),
                    latE7: page.latE7[index]))
        }
    }
}
