/// An object that a proximity query found.
public struct NearbyObject: Sendable {
    /// Its id.
    public let id: String
    /// Where it is.
    public let position: RoundedPosition
    /// How far it is from the query's centre, on the model of the Earth that was asked for.
    public let distance: Distance
}

/// An object that a proximity query found, by its key.
public struct NearbyKey: Sendable, Hashable {
    /// What the layer's ``IDTable`` knows it by.
    public let object: ObjectKey
    /// Where it is.
    public let position: RoundedPosition
    /// How far it is from the query's centre, on the model of the Earth that was asked for.
    public let distance: Distance
}

extension IndexSnapshot {
    /// The objects nearest to a place, by ascending distance, ties by ascending id.
    ///
    /// Exact on either model of the Earth, across the antimeridian and at the poles.
    ///
    /// - Parameters:
    ///   - model: On what distances are measured.
    ///   - limit: How many to give at most.
    ///   - radius: Objects farther than this are left out; nil is no bound.
    ///   - after: Gives only what comes after this one in the order, for paging.
    /// - Complexity: O(log n + k log k) for k found among evenly spread objects; a filter that
    ///   keeps few objects makes the search wider.
    public func nearest(
        to centre: RoundedPosition, limit: Int, radius: Distance? = nil,
        after last: NearbyCursor? = nil, on model: EarthModel = .sphere,
        filter: EntryFilter = .all
    ) -> [NearbyObject] {
        guard limit > 0, count > 0 else { return [] }
        return switch model {
        case .sphere:
            nearest(SphereMetric(centre), limit: limit, radius: radius, after: last, filter) {
                NearbyObject($0, $1, ids)
            }
        case .ellipsoid:
            nearest(EllipsoidMetric(centre), limit: limit, radius: radius, after: last, filter) {
                NearbyObject($0, $1, ids)
            }
        }
    }

    /// The same, by key: without the texts of the ids.
    public func nearestKeys(
        to centre: RoundedPosition, limit: Int, radius: Distance? = nil,
        after last: NearbyCursor? = nil, on model: EarthModel = .sphere,
        filter: EntryFilter = .all
    ) -> [NearbyKey] {
        guard limit > 0, count > 0 else { return [] }
        return switch model {
        case .sphere:
            nearest(SphereMetric(centre), limit: limit, radius: radius, after: last, filter) {
                NearbyKey($0, $1)
            }
        case .ellipsoid:
            nearest(EllipsoidMetric(centre), limit: limit, radius: radius, after: last, filter) {
                NearbyKey($0, $1)
            }
        }
    }

    /// What an answer is made of each object found, in order.
    private func nearest<Metric: ProximityMetric, Found>(
        _ metric: Metric, limit: Int, radius: Distance?, after last: NearbyCursor?,
        _ filter: EntryFilter, _ found: (NearbyHit, Metric) -> Found
    ) -> [Found] {
        let resolved = ResolvedFilter(filter, kinds: kinds)
        let greatest = radius.map { metric.measure(of: $0) } ?? .infinity
        // A test costs much more than a distance: it is asked of as few as can be.
        if last == nil && filter.test == nil && limit <= NearestFew.greatestLimit,
            let few = nearestFew(metric, limit: limit, greatest: greatest, resolved, found)
        {
            return few
        }
        var search = NearestSearch(
            snapshot: self, metric: metric, limit: limit, greatest: greatest, after: last,
            filter: resolved)
        search.run()
        return search.found.map { found($0, metric) }
    }
}

extension NearbyKey {
    init(_ hit: NearbyHit, _ metric: some ProximityMetric) {
        object = ObjectKey(bits: hit.object)
        position = RoundedPosition(trustedLonE7: hit.lonE7, latE7: hit.latE7)
        distance = metric.distance(ofMeasure: hit.measure)
    }
}

extension NearbyObject {
    init(_ hit: NearbyHit, _ metric: some ProximityMetric, _ ids: IDTable) {
        id = ids.id(of: ObjectKey(bits: hit.object))
        position = RoundedPosition(trustedLonE7: hit.lonE7, latE7: hit.latE7)
        distance = metric.distance(ofMeasure: hit.measure)
    }
}

/// An entry that a search for the nearest has measured.
struct NearbyHit {
    var measure: Double
    var object: UInt64
    var lonE7: Int32
    var latE7: Int32

    /// Whether it comes before another: nearer, or as near with a lesser id.
    @inline(__always)
    func precedes(_ other: NearbyHit, _ ids: IDTable) -> Bool {
        if measure != other.measure { return measure < other.measure }
        return ids.precedes(ObjectKey(bits: object), ObjectKey(bits: other.object))
    }
}

/// The last object of a page: where the next page goes on.
public struct NearbyCursor: Sendable, Hashable {
    /// Its place when the page was made.
    public let position: RoundedPosition
    /// Its id.
    public let id: String

    /// Creates a cursor.
    public init(position: RoundedPosition, id: String) {
        self.position = position
        self.id = id
    }
}

/// Best first: of all nodes and pages seen, the one that may hold the nearest object is opened.
///
/// The search starts from the entries next to the centre on the Z-curve: their distances bound
/// the answer, so that most of the tree is never entered.
///
/// Source: G. Hjaltason, H. Samet, "Distance browsing in spatial databases", ACM TODS 24(2), 1999.
private struct NearestSearch<Metric: ProximityMetric> {
    private struct Candidate: HeapElement {
        var leastHaversine: Double
        var content: IndexSnapshot.Root

        func precedes(_ other: Candidate) -> Bool { leastHaversine < other.leastHaversine }
    }

    let snapshot: IndexSnapshot
    let metric: Metric
    let limit: Int
    let filter: ResolvedFilter?
    private let after: (measure: Double, id: IDCursor)?
    /// The measure of the radius.
    private let greatest: Double
    /// What still may hold an answer.
    private var cap: GeoCap
    private var queue = BinaryHeap<Candidate>()
    /// The best so far, ascending.
    private(set) var found: [NearbyHit] = []

    init(
        snapshot: IndexSnapshot, metric: Metric, limit: Int, greatest: Double,
        after: NearbyCursor?, filter: ResolvedFilter?
    ) {
        self.snapshot = snapshot
        self.metric = metric
        self.limit = limit
        self.filter = filter
        self.greatest = greatest
        var bound = metric.haversine(reaching: greatest)
        if after == nil && filter == nil && limit <= 256 {
            // Beyond so many the neighbours on the curve are not looked at first.
            let around = snapshot.haversineAround(metric.centre, count: limit)
            bound = min(bound, metric.haversine(reachingAllWithin: around))
        }
        cap = GeoCap(centre: metric.centre, haversine: bound)
        self.after = after.flatMap { cursor in
            IDCursor(cursor.id).map { (metric.measure(of: cursor.position), $0) }
        }
        found.reserveCapacity(min(limit, 1_024) + 1)
    }

    mutating func run() {
        open(snapshot.root)
        while let next = queue.popFirst(), next.leastHaversine <= cap.haversine {
            // The bound has come down since; the box follows it here, not at every hit.
            cap.tighten()
            open(next.content)
        }
    }

    private mutating func open(_ root: IndexSnapshot.Root) {
        switch root {
        case .empty: return
        case .page(let page): scan(page)
        case .node(let node):
            switch node.children {
            case .pages(let pages): open(node) { .page(pages[$0]) }
            case .nodes(let nodes): open(node) { .node(nodes[$0]) }
            }
        }
    }

    private mutating func open(_ node: TreeNode, child: (Int) -> IndexSnapshot.Root) {
        let column = node.summaries
        let summaries = column.span
        for index in summaries.indices {
            guard cap.outer.meets(summaries[index]), filter?.mayKeep(summaries[index]) ?? true
            else { continue }
            let least = cap.leastHaversine(to: PositionBox(summaries[index]))
            guard least <= cap.haversine else { continue }
            queue.insert(Candidate(leastHaversine: least, content: child(index)))
        }
    }

    private mutating func scan(_ page: LeafPage) {
        let box = cap.outer
        for index in page.indices(in: cap.keys) {
            let lonE7 = page.lonE7(index)
            let latE7 = page.latE7[index]
            guard box.contains(lonE7: lonE7, latE7: latE7) else { continue }
            let haversine = cap.haversine(lonE7: lonE7, latE7: latE7)
            guard haversine <= cap.haversine else { continue }
            let measure = metric.measure(haversine: haversine, lonE7: lonE7, latE7: latE7)
            guard measure <= greatest, filter?.keeps(page, index) ?? true else { continue }
            take(
                NearbyHit(
                    measure: measure, object: page.objects[index], lonE7: lonE7, latE7: latE7))
        }
    }

    private mutating func take(_ hit: NearbyHit) {
        if let after, !isAfter(hit, after.measure, after.id) { return }
        if found.count == limit {
            guard let worst = found.last, hit.precedes(worst, snapshot.ids) else { return }
            found.removeLast()
        }
        var low = 0
        var high = found.count
        while low < high {
            let middle = (low + high) / 2
            if found[middle].precedes(hit, snapshot.ids) { low = middle + 1 } else { high = middle }
        }
        found.insert(hit, at: low)
        if found.count == limit, let worst = found.last {
            cap.haversine = min(cap.haversine, metric.haversine(reaching: worst.measure))
        }
    }

    private func isAfter(_ hit: NearbyHit, _ measure: Double, _ id: IDCursor) -> Bool {
        if measure != hit.measure { return measure < hit.measure }
        return snapshot.ids.precedes(id, ObjectKey(bits: hit.object))
    }
}

extension IndexSnapshot {
    /// A haversine within which at least `count` objects lie around a place, 1 when there are
    /// fewer: the greatest of those of as many neighbours on the Z-curve.
    ///
    /// - Complexity: O(log n + count).
    fileprivate func haversineAround(_ centre: RoundedPosition, count wanted: Int) -> Double {
        let key = MortonKey(WorldPoint(centre)).bits
        guard let page = page(reaching: key), page.count >= wanted else { return 1 }
        let middle = page.firstIndex(from: key)
        let start = min(max(0, middle - wanted), page.count - wanted)
        let end = min(page.count, max(start + wanted, middle + wanted))
        let cap = GeoCap(centre: centre, haversine: 1)
        let nearest = (start..<end).map {
            cap.haversine(lonE7: page.lonE7($0), latE7: page.latE7[$0])
        }.sorted()
        return nearest[wanted - 1]
    }

    /// The first page that holds a key of at least `key`, else the last page. O(log n).
    func page(reaching key: UInt64) -> LeafPage? {
        var root = root
        while true {
            switch root {
            case .empty: return nil
            case .page(let page): return page
            case .node(let node):
                let child = min(node.firstChild(reaching: key), node.childCount - 1)
                switch node.children {
                case .pages(let pages): root = .page(pages[child])
                case .nodes(let nodes): root = .node(nodes[child])
                }
            }
        }
    }
}
