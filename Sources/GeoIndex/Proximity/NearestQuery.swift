/// An object that a proximity query found.
public struct NearbyObject: Sendable {
    /// Its id.
    public let id: String
    /// Where it is.
    public let position: RoundedPosition
    /// How far it is from the query's centre, on the sphere.
    public let distance: Distance
}

extension IndexSnapshot {
    /// The objects nearest to a place, by ascending distance, ties by ascending id.
    ///
    /// Exact on the sphere, across the antimeridian and at the poles.
    ///
    /// - Parameters:
    ///   - limit: How many to give at most.
    ///   - radius: Objects farther than this are left out; nil is no bound.
    ///   - after: Gives only what comes after this one in the order, for paging.
    /// - Complexity: O(log n + k log k) for k found among evenly spread objects; a filter that
    ///   keeps few objects makes the search wider.
    public func nearest(
        to centre: RoundedPosition, limit: Int, radius: Distance? = nil,
        after last: NearbyCursor? = nil, filter: EntryFilter = .all
    ) -> [NearbyObject] {
        guard limit > 0, count > 0 else { return [] }
        var search = NearestSearch(
            snapshot: self, centre: centre, limit: limit, radius: radius, after: last,
            filter: ResolvedFilter(filter, kinds: kinds))
        search.run()
        return search.found.map { hit in
            NearbyObject(
                id: ids.id(of: ObjectKey(bits: hit.object)),
                position: RoundedPosition(trustedLonE7: hit.lonE7, latE7: hit.latE7),
                distance: .meters(
                    SphericalGeodesy.earthRadiusMeters
                        * SphericalGeodesy.centralAngle(haversine: hit.haversine)))
        }
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
/// Source: G. Hjaltason, H. Samet, "Distance browsing in spatial databases", ACM TODS 24(2), 1999.
private struct NearestSearch {
    struct Hit {
        var haversine: Double
        var object: UInt64
        var lonE7: Int32
        var latE7: Int32
    }

    private struct Candidate {
        var leastHaversine: Double
        var page: LeafPage?
        var node: TreeNode?
    }

    let snapshot: IndexSnapshot
    let limit: Int
    let filter: ResolvedFilter?
    private let after: (haversine: Double, id: IDCursor)?
    private var cap: GeoCap
    private var queue = BinaryHeap<Candidate> { $0.leastHaversine < $1.leastHaversine }
    /// The best so far, ascending.
    private(set) var found: [Hit] = []

    init(
        snapshot: IndexSnapshot, centre: RoundedPosition, limit: Int, radius: Distance?,
        after: NearbyCursor?, filter: ResolvedFilter?
    ) {
        self.snapshot = snapshot
        self.limit = limit
        self.filter = filter
        cap = GeoCap(
            centre: centre, haversine: radius.map { SphericalGeodesy.haversine(of: $0) } ?? 1)
        self.after = after.flatMap { cursor in
            IDCursor(cursor.id).map {
                (SphericalGeodesy.haversine(from: centre, to: cursor.position), $0)
            }
        }
    }

    mutating func run() {
        switch snapshot.root {
        case .empty: return
        case .page(let page): scan(page)
        case .node(let node): open(node)
        }
        while let next = queue.popFirst(), next.leastHaversine <= cap.haversine {
            if let page = next.page { scan(page) }
            if let node = next.node { open(node) }
        }
    }

    private mutating func open(_ node: TreeNode) {
        for index in 0..<node.childCount {
            let summary = node.summaries[index]
            guard cap.outer.meets(summary), filter?.mayKeep(summary) ?? true else { continue }
            let least = cap.leastHaversine(to: PositionBox(summary))
            guard least <= cap.haversine else { continue }
            switch node.children {
            case .pages(let pages):
                queue.insert(Candidate(leastHaversine: least, page: pages[index], node: nil))
            case .nodes(let nodes):
                queue.insert(Candidate(leastHaversine: least, page: nil, node: nodes[index]))
            }
        }
    }

    private mutating func scan(_ page: LeafPage) {
        for index in 0..<page.count {
            let lonE7 = page.lonE7[index]
            let latE7 = page.latE7[index]
            guard cap.outer.contains(lonE7: lonE7, latE7: latE7) else { continue }
            let haversine = cap.haversine(lonE7: lonE7, latE7: latE7)
            guard haversine <= cap.haversine,
                filter?.keeps(kind: page.kinds[index], time: page.times[index]) ?? true
            else { continue }
            take(Hit(haversine: haversine, object: page.objects[index], lonE7: lonE7, latE7: latE7))
        }
    }

    private mutating func take(_ hit: Hit) {
        if let after, !isAfter(hit, after.haversine, after.id) { return }
        if found.count == limit {
            guard let worst = found.last, precedes(hit, worst) else { return }
            found.removeLast()
        }
        var low = 0
        var high = found.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(found[middle], hit) { low = middle + 1 } else { high = middle }
        }
        found.insert(hit, at: low)
        if found.count == limit, let worst = found.last, worst.haversine < cap.haversine {
            cap = GeoCap(centre: cap.centre, haversine: worst.haversine)
        }
    }

    private func isAfter(_ hit: Hit, _ haversine: Double, _ id: IDCursor) -> Bool {
        if haversine != hit.haversine { return haversine < hit.haversine }
        return snapshot.ids.precedes(id, ObjectKey(bits: hit.object))
    }

    private func precedes(_ first: Hit, _ second: Hit) -> Bool {
        if first.haversine != second.haversine { return first.haversine < second.haversine }
        return snapshot.ids.precedes(ObjectKey(bits: first.object), ObjectKey(bits: second.object))
    }
}
