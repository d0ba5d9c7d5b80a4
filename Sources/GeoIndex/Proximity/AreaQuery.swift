/// An area on the globe, edges in.
public enum Area: Sendable, Hashable {
    /// A box.
    case box(BoundingBox)
    /// All that is at most `radius` from `centre`.
    case circle(centre: RoundedPosition, radius: Distance, on: EarthModel = .sphere)
    /// A geohash's cell.
    case geohash(Geohash)
    /// Polygons with holes.
    case region(Region)
}

/// An object in an area.
public struct PlacedObject: Sendable {
    /// Its id.
    public let id: String
    /// Where it is.
    public let position: RoundedPosition
}

extension IndexSnapshot {
    /// How many objects lie in an area.
    ///
    /// - Complexity: O(log n + entries in pages that the area's edge cuts); with a filter, O(entries
    ///   in pages that may hold a match).
    public func count(in area: Area, filter: EntryFilter = .all) -> Int {
        var counter = AreaCounter()
        visit(area, filter: filter, &counter)
        return counter.count
    }

    /// The keys of an area's objects, in the order of the index, which is none that means anything.
    ///
    /// - Complexity: O(log n + objects in the area + entries in pages that its edge cuts).
    public func objectKeys(in area: Area, filter: EntryFilter = .all) -> [ObjectKey] {
        var collector = AreaKeys()
        visit(area, filter: filter, &collector)
        return collector.keys
    }

    /// The objects of an area in the order of their ids, from the one after `last` on.
    ///
    /// Paging by the last id neither repeats nor skips an object that nobody touches meanwhile.
    ///
    /// - Complexity: O(log n + objects in the area + limit · log limit).
    public func objects(
        in area: Area, limit: Int, after last: String? = nil, filter: EntryFilter = .all
    ) -> [PlacedObject] {
        guard limit > 0 else { return [] }
        var collector = AreaPage(
            ids: ids, limit: limit, after: last.flatMap { IDCursor($0) })
        visit(area, filter: filter, &collector)
        return collector.sorted.map { hit in
            PlacedObject(
                id: ids.id(of: ObjectKey(bits: hit.object)),
                position: RoundedPosition(trustedLonE7: hit.lonE7, latE7: hit.latE7))
        }
    }

    /// Tells a visitor what lies in an area.
    func visit<Visitor: AreaVisitor>(
        _ area: Area, filter: EntryFilter, _ visitor: inout Visitor
    ) {
        let resolved = ResolvedFilter(filter, kinds: kinds)
        switch area {
        case .box(let box):
            walk(BoxProbe(PositionBox(box)), resolved, &visitor)
        case .geohash(let hash):
            walk(BoxProbe(hash.positions), resolved, &visitor)
        case .circle(let centre, let radius, .sphere):
            walk(CircleProbe(centre: centre, radius: radius), resolved, &visitor)
        case .circle(let centre, let radius, .ellipsoid):
            walk(GeodesicProbe(centre: centre, radius: radius), resolved, &visitor)
        case .region(let region):
            // An empty answer would be a wrong one; Swift's own allocations end the same way.
            guard let probe = RegionProbe(region) else {
                preconditionFailure("there is no memory for a prepared region")
            }
            walk(probe, resolved, &visitor)
        }
    }
}

private struct AreaCounter: AreaVisitor {
    var count = 0

    mutating func takes(_ summary: NodeSummary) -> Bool {
        count += summary.count
        return true
    }

    mutating func visit(whole page: LeafPage) { count += page.count }

    mutating func visit(_ page: LeafPage, _ indices: Span<UInt16>) { count += indices.count }
}

private struct AreaKeys: AreaVisitor {
    var keys: [ObjectKey] = []

    mutating func takes(_ summary: NodeSummary) -> Bool { false }

    mutating func visit(whole page: LeafPage) {
        // A key is its bits and nothing else.
        unsafe page.objects.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: ObjectKey.self) {
                unsafe keys.append(contentsOf: $0)
            }
        }
    }

    mutating func visit(_ page: LeafPage, _ indices: Span<UInt16>) {
        let objects = page.objects
        keys.append(addingCapacity: indices.count) { (room: inout OutputSpan<ObjectKey>) in
            for place in indices.indices {
                room.append(ObjectKey(bits: objects[Int(indices[place])]))
            }
        }
    }
}

/// Keeps the first ids of an area.
private struct AreaPage: AreaVisitor {
    struct Hit {
        var object: UInt64
        var lonE7: Int32
        var latE7: Int32
    }

    let ids: IDTable
    let limit: Int
    let after: IDCursor?
    private var hits: [Hit] = []
    /// The last id that may still be in the page, once there are enough before it.
    private var last: ObjectKey?

    init(ids: IDTable, limit: Int, after: IDCursor?) {
        self.ids = ids
        self.limit = limit
        self.after = after
    }

    mutating func takes(_ summary: NodeSummary) -> Bool { false }

    mutating func visit(whole page: LeafPage) {
        for index in 0..<page.count { visit(page, index) }
    }

    mutating func visit(_ page: LeafPage, _ indices: Span<UInt16>) {
        for place in indices.indices { visit(page, Int(indices[place])) }
    }

    private mutating func visit(_ page: LeafPage, _ index: Int) {
        let object = ObjectKey(bits: page.objects[index])
        if let last, ids.precedes(last, object) { return }
        if let after, !ids.precedes(after, object) { return }
        hits.append(
            Hit(object: object.bits, lonE7: page.lonE7(index), latE7: page.latE7[index]))
        // Twice the page is sorted and halved, so that memory stays bounded by the limit.
        if hits.count >= 2 * limit + 1024 { cut() }
    }

    private mutating func cut() {
        hits.sort { ids.precedes(ObjectKey(bits: $0.object), ObjectKey(bits: $1.object)) }
        hits.removeLast(max(0, hits.count - limit))
        if hits.count == limit { last = hits.last.map { ObjectKey(bits: $0.object) } }
    }

    var sorted: [Hit] {
        var copy = self
        copy.cut()
        return copy.hits
    }
}
