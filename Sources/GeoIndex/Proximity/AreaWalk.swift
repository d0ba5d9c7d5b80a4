/// Where a box of places lies to an area.
enum AreaRelation {
    /// No place of the box lies in the area.
    case outside
    /// Some may.
    case cut
    /// All do.
    case inside
}

/// Decides what lies in an area: of whole nodes by their boxes, of entries one by one.
protocol AreaProbe {
    /// Where a node's box lies; `cut` when in doubt.
    func relation(to summary: NodeSummary) -> AreaRelation
    /// Appends the entries of a page that lie in the area.
    func select(_ page: LeafPage, into selection: inout PageSelection)
}

/// What a search of an area is told.
protocol AreaVisitor {
    /// A node that lies in the area whole; true when its summary is enough.
    mutating func takes(_ summary: NodeSummary) -> Bool
    /// A page that lies in the area whole.
    mutating func visit(whole page: LeafPage)
    /// The entries of a page that lie in the area.
    mutating func visit(_ page: LeafPage, _ indices: Span<UInt16>)
}

/// Indices of a page's entries, in room that is made once for a search.
struct PageSelection {
    /// ``LeafPage/capacity`` and eight more.
    private var room = InlineArray<264, UInt16>(repeating: 0)
    private(set) var count = 0

    mutating func removeAll() { count = 0 }

    /// Appends an index, of at most ``LeafPage/capacity`` for a page.
    @inline(__always)
    mutating func append(_ index: Int) {
        room[count] = UInt16(truncatingIfNeeded: index)
        count &+= 1
    }

    /// Appends those of eight indices that a mask has.
    @inline(__always)
    mutating func append(_ index: Int, _ mask: SIMDMask<SIMD8<Int32>>) {
        precondition(count <= LeafPage.capacity, "a page has no more entries")
        for lane in 0..<8 {
            // Within the eight more; what is not kept is written over.
            unsafe room[unchecked: count] = UInt16(truncatingIfNeeded: index &+ lane)
            count &+= mask[lane] ? 1 : 0
        }
    }

    /// Keeps only what a filter lets pass.
    mutating func keep(_ filter: ResolvedFilter, of page: LeafPage) {
        var kept = 0
        for place in 0..<count where filter.keeps(page, Int(room[place])) {
            room[kept] = room[place]
            kept += 1
        }
        count = kept
    }

    @inline(__always)
    func with(_ body: (Span<UInt16>) -> Void) { body(room.span.extracting(0..<count)) }
}

extension IndexSnapshot {
    /// Walks over an area's nodes, then over the entries of the pages that its edge cuts.
    func walk<Probe: AreaProbe, Visitor: AreaVisitor>(
        _ probe: Probe, _ filter: ResolvedFilter?, _ visitor: inout Visitor
    ) {
        var walk = AreaWalk(probe: probe, filter: filter, visitor: visitor)
        switch root {
        case .empty: return
        case .page(let page): walk.enter(page, page.summary, isInside: false)
        case .node(let node): walk.enter(node, isInside: false)
        }
        visitor = walk.visitor
    }
}

private struct AreaWalk<Probe: AreaProbe, Visitor: AreaVisitor> {
    let probe: Probe
    let filter: ResolvedFilter?
    var visitor: Visitor
    private var selection = PageSelection()

    init(probe: Probe, filter: ResolvedFilter?, visitor: Visitor) {
        self.probe = probe
        self.filter = filter
        self.visitor = visitor
    }

    mutating func enter(_ node: TreeNode, isInside: Bool) {
        let column = node.summaries
        let summaries = column.span
        for index in summaries.indices {
            let summary = summaries[index]
            if let filter, !filter.mayKeep(summary) { continue }
            var relation = AreaRelation.inside
            if !isInside {
                relation = probe.relation(to: summary)
                if relation == .outside { continue }
            }
            let isInside = relation == .inside
            if isInside && filter == nil && visitor.takes(summary) { continue }
            switch node.children {
            case .pages(let pages): scan(pages[index], isInside: isInside)
            case .nodes(let nodes): enter(nodes[index], isInside: isInside)
            }
        }
    }

    /// Enters a page that no node stands over.
    mutating func enter(_ page: LeafPage, _ summary: NodeSummary, isInside: Bool) {
        if let filter, !filter.mayKeep(summary) { return }
        let relation = probe.relation(to: summary)
        if relation == .outside { return }
        scan(page, isInside: relation == .inside)
    }

    private mutating func scan(_ page: LeafPage, isInside: Bool) {
        selection.removeAll()
        if isInside {
            guard filter != nil else { return visitor.visit(whole: page) }
            for index in 0..<page.count { selection.append(index) }
        } else {
            probe.select(page, into: &selection)
        }
        if let filter { selection.keep(filter, of: page) }
        if selection.count > 0 {
            selection.with { visitor.visit(page, $0) }
        }
    }
}
