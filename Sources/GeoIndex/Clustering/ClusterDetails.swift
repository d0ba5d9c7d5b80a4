/// What all members of a cluster have in common or sum up to.
public struct ClusterDetails: Sendable {
    /// How many members are of each kind, by name ascending; members without a kind are left out.
    public let kinds: [(kind: String, count: Int)]
    /// The box of the members in degrees; `west > east` runs over ±180°.
    public let bounds: BoundingBox
    /// The fingerprint of all members' readable fields.
    public let content: UInt64
    /// The sums of the layer's aggregated fields, in their order.
    public let aggregates: [AggregateSum]
    /// One of the members; the object itself when there is only one.
    public let sample: PlacedObject
    /// The time of that member, in milliseconds since 1970.
    public let sampleTime: Int64
    /// The most frequent kind, ties by name; nil when no member has one.
    public var dominantKind: String? {
        kinds.max { ($0.count, $1.kind) < ($1.count, $0.kind) }?.kind
    }
}

extension IndexSnapshot {
    /// Sums up the members of a cluster.
    ///
    /// - Complexity: O(log n) a cell and the entries of pages that a cell's edge cuts; O(1) when
    ///   they are remembered.
    public func details(of index: Int, in set: ClusterSet, filter: EntryFilter = .all)
        -> ClusterDetails
    {
        if let (unit, place) = set.source(of: index) {
            if unit.answers(filter, for: self) {
                return unit.details(of: place, for: memo) {
                    sumUp(index, in: set, filter: filter)
                }
            }
            // What a view has from the layer below is the same there, and remembered there.
            if let underlay, unit.answers(filter, for: underlay.base),
                !underlay.differs(in: unit.dependency)
            {
                return underlay.base.details(of: index, in: set, filter: filter)
            }
        }
        return sumUp(index, in: set, filter: filter)
    }

    private func sumUp(_ index: Int, in set: ClusterSet, filter: EntryFilter) -> ClusterDetails {
        var collector = DetailCollector(
            filter: ResolvedFilter(filter, kinds: kinds), origin: set.points[index],
            fields: fields)
        let shift = 64 - 2 * UInt64(set.options.level)
        // Cells that follow one another are looked up together.
        var pending: ClosedRange<UInt64>?
        for cell in set.cells(of: index) {
            let turn = collector.turn(of: QuadCell(level: set.options.level, key: cell))
            let first = cell << shift
            let last = first | ((1 << shift) - 1)
            if let range = pending {
                if range.upperBound &+ 1 == first && turn == collector.turn {
                    pending = range.lowerBound...last
                    continue
                }
                walk(range, &collector)
            }
            collector.turn = turn
            pending = first...last
        }
        if let range = pending { walk(range, &collector) }
        return ClusterDetails(
            kinds: named(collector.kinds.counts), bounds: collector.bounds,
            content: collector.content, aggregates: collector.aggregates,
            sample: PlacedObject(
                id: ids.id(of: ObjectKey(bits: collector.object)),
                position: RoundedPosition(
                    trustedLonE7: collector.lonE7, latE7: collector.latE7)),
            sampleTime: collector.time)
    }
}

/// Collects kinds, box and fingerprint over the cells of a cluster.
private struct DetailCollector: RangeVisitor {
    let filter: ResolvedFilter?
    /// Columns are counted from here, so that a cluster across ±180° has one box.
    let origin: WorldPoint
    /// Added to longitudes of the current cells: a turn when they lie beyond ±180° of the origin.
    var turn: Int64 = 0

    private(set) var kinds = KindCounter()
    private(set) var content: UInt64 = 0
    private(set) var aggregates: [AggregateSum]
    /// The member with the smallest key.
    private(set) var object: UInt64 = 0
    private(set) var lonE7: Int32 = 0
    private(set) var latE7: Int32 = 0
    private(set) var time: Int64 = 0
    private var firstKey: UInt64?
    private var west = Int64.max
    private var east = Int64.min
    private var south = Int32.max
    private var north = Int32.min

    init(filter: ResolvedFilter?, origin: WorldPoint, fields: Int) {
        self.filter = filter
        aggregates = [AggregateSum](repeating: AggregateSum(), count: fields)
        self.origin = origin
    }

    /// What is added to longitudes of a cell.
    func turn(of cell: QuadCell) -> Int64 {
        let column = cell.x << (32 - UInt32(cell.level))
        let east = Int64(Int32(bitPattern: column &- origin.x)) + Int64(origin.x)
        return east < 0 ? -3_600_000_000 : east >= 1 << 32 ? 3_600_000_000 : 0
    }

    func enters(_ summary: NodeSummary) -> Bool { filter?.mayKeep(summary) ?? true }

    mutating func takes(_ node: TreeNode) -> Bool {
        // The member to show is found in a page.
        guard filter == nil, firstKey != nil else { return false }
        add(node.summary)
        add(node.aggregates)
        kinds.add(node.kindCounts)
        return true
    }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        if filter == nil && range.count == page.count {
            note(page, range.lowerBound)
            add(page.summary)
            if page.hasValues { add(page.aggregates(fields: aggregates.count)) }
            kinds.add(page.kinds)
            return
        }
        guard let filter else {
            note(page, range.lowerBound)
            addBox(of: page, range)
            for index in range { addEntry(page, index) }
            return
        }
        for index in range where filter.keeps(page, index) {
            note(page, index)
            addBox(of: page, index..<(index + 1))
            addEntry(page, index)
        }
    }

    @inline(__always)
    private mutating func addEntry(_ page: LeafPage, _ index: Int) {
        content &+= page.contents[index]
        kinds.add(1, of: page.kinds[index])
        guard page.hasValues else { return }
        for field in aggregates.indices {
            if let value = page.value(field, index) { aggregates[field].add(value) }
        }
    }

    /// Longitudes ascend with columns: only the edges' are made.
    private mutating func addBox(of page: LeafPage, _ range: Range<Int>) {
        let xs = page.xs
        let lats = page.latE7
        var (left, right) = (UInt32.max, UInt32.min)
        for index in range {
            left = min(left, xs[index])
            right = max(right, xs[index])
            south = min(south, lats[index])
            north = max(north, lats[index])
        }
        // Column 0 gives -180 for +180 too: one meridian.
        west = min(west, Int64(ColumnLongitude.lonE7(ofColumn: left)) + turn)
        east = max(east, Int64(ColumnLongitude.lonE7(ofColumn: right)) + turn)
    }

    private mutating func note(_ page: LeafPage, _ index: Int) {
        guard firstKey.map({ page.key(index) < $0 }) ?? true else { return }
        firstKey = page.key(index)
        object = page.objects[index]
        lonE7 = page.lonE7(index)
        latE7 = page.latE7[index]
        time = page.times[index]
    }

    private mutating func add(_ sums: [AggregateSum]) {
        for field in aggregates.indices { aggregates[field].add(sums[field]) }
    }

    private mutating func add(_ summary: NodeSummary) {
        west = min(west, Int64(summary.west) + turn)
        east = max(east, Int64(summary.east) + turn)
        south = min(south, summary.south)
        north = max(north, summary.north)
        content &+= summary.content
    }

    var bounds: BoundingBox {
        func degrees(_ units: Int64) -> Double {
            let wrapped =
                units < -1_800_000_000
                ? units + 3_600_000_000 : units > 1_800_000_000 ? units - 3_600_000_000 : units
            return Double(wrapped) / 1e7
        }
        return BoundingBox(
            trustedWest: degrees(west), south: Double(south) / 1e7, east: degrees(east),
            north: Double(north) / 1e7)
    }
}
