/// An area on the globe, edges in.
public enum Area: Sendable {
    /// A box.
    case box(BoundingBox)
    /// All that is at most `radius` from `centre`, on the sphere.
    case circle(centre: RoundedPosition, radius: Distance)
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
    /// - Complexity: O(log n + entries in pages that the area's edge cuts).
    public func count(in area: Area, filter: EntryFilter = .all) -> Int {
        var counter = AreaCounter()
        visit(area, filter: filter, &counter)
        return counter.count
    }

    /// The objects of an area in the order of their ids, from the one after `last` on.
    ///
    /// Paging by the last id neither repeats nor skips an object that nobody touches meanwhile.
    ///
    /// - Complexity: O(log n + objects in the area + limit · log limit).
    public func objects(
        in area: Area, limit: Int, after last: String? = nil, filter: EntryFilter = .all
    ) -> [PlacedObject] {
        var collector = AreaCollector(
            ids: ids, limit: limit, after: last.flatMap { IDCursor($0) })
        visit(area, filter: filter, &collector)
        return collector.sorted.map { hit in
            PlacedObject(
                id: ids.id(of: ObjectKey(bits: hit.object)),
                position: RoundedPosition(trustedLonE7: hit.lonE7, latE7: hit.latE7))
        }
    }

    func visit<Visitor: AreaVisitor>(
        _ area: Area, filter: EntryFilter, _ visitor: inout Visitor
    ) {
        let test = AreaTest(area)
        let resolved = ResolvedFilter(filter, kinds: kinds)
        switch root {
        case .empty: return
        case .page(let page):
            IndexSnapshot.visit(page, page.summary, test, resolved, &visitor)
        case .node(let node): IndexSnapshot.visit(node, test, resolved, &visitor)
        }
    }

    private static func visit<Visitor: AreaVisitor>(
        _ node: TreeNode, _ test: AreaTest, _ filter: ResolvedFilter?, _ visitor: inout Visitor
    ) {
        let column = node.summaries
        let summaries = column.span
        for index in summaries.indices {
            let summary = summaries[index]
            guard test.outer.meets(summary), filter?.mayKeep(summary) ?? true else { continue }
            if filter == nil && test.inner?.holds(summary) ?? false && visitor.takes(summary) {
                continue
            }
            switch node.children {
            case .pages(let pages): visit(pages[index], summary, test, filter, &visitor)
            case .nodes(let nodes): visit(nodes[index], test, filter, &visitor)
            }
        }
    }

    private static func visit<Visitor: AreaVisitor>(
        _ page: LeafPage, _ summary: NodeSummary, _ test: AreaTest, _ filter: ResolvedFilter?,
        _ visitor: inout Visitor
    ) {
        let isInside = test.inner?.holds(summary) ?? false
        for index in page.indices(in: test.keys) {
            if !isInside && !test.contains(lonE7: page.lonE7(index), latE7: page.latE7[index]) {
                continue
            }
            if let filter, !filter.keeps(page, index) {
                continue
            }
            visitor.visit(page, index)
        }
    }
}

/// What a search of an area is told.
protocol AreaVisitor {
    /// A node that lies in the area whole; true when its summary is enough.
    mutating func takes(_ summary: NodeSummary) -> Bool
    /// An entry in the area.
    mutating func visit(_ page: LeafPage, _ index: Int)
}

/// Decides what lies in an area: boxes propose, the area itself decides.
struct AreaTest {
    let outer: PositionBox
    let inner: PositionBox?
    /// Two keys between which the area lies on the Z-curve.
    let keys: ClosedRange<UInt64>
    private let cap: GeoCap?

    init(_ area: Area) {
        switch area {
        case .box(let box):
            cap = nil
            outer = PositionBox(box)
            inner = outer
        case .circle(let centre, let radius):
            let cap = GeoCap(centre: centre, radius: radius)
            self.cap = cap
            outer = cap.outer
            inner = cap.inner
        }
        keys = outer.keys
    }

    @inline(__always)
    func contains(lonE7: Int32, latE7: Int32) -> Bool {
        guard outer.contains(lonE7: lonE7, latE7: latE7) else { return false }
        if let inner, inner.contains(lonE7: lonE7, latE7: latE7) { return true }
        return cap?.contains(lonE7: lonE7, latE7: latE7) ?? true
    }
}

private struct AreaCounter: AreaVisitor {
    var count = 0

    mutating func takes(_ summary: NodeSummary) -> Bool {
        count += summary.count
        return true
    }

    mutating func visit(_ page: LeafPage, _ index: Int) { count += 1 }
}

/// Keeps the first ids of an area.
private struct AreaCollector: AreaVisitor {
    struct Hit {
        var object: UInt64
        var lonE7: Int32
        var latE7: Int32
    }

    let ids: IDTable
    let limit: Int
    let after: IDCursor?
    private var hits: [Hit] = []

    init(ids: IDTable, limit: Int, after: IDCursor?) {
        self.ids = ids
        self.limit = limit
        self.after = after
    }

    mutating func takes(_ summary: NodeSummary) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ index: Int) {
        let object = page.objects[index]
        if let after, !ids.precedes(after, ObjectKey(bits: object)) { return }
        hits.append(Hit(object: object, lonE7: page.lonE7(index), latE7: page.latE7[index]))
        // Twice the page is sorted and halved, so that memory stays bounded by the limit.
        if hits.count >= 2 * limit + 1024 { cut() }
    }

    private mutating func cut() {
        hits.sort { ids.precedes(ObjectKey(bits: $0.object), ObjectKey(bits: $1.object)) }
        hits.removeLast(max(0, hits.count - limit))
    }

    var sorted: [Hit] {
        var copy = self
        copy.cut()
        return copy.hits
    }
}
