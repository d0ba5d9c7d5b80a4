extension IndexSnapshot {
    /// The names of the kinds that chunks give by number; the first is "", no kind.
    public var kindNames: [String] { kinds.names }

    /// Calls `body` with the entries in and just around a window, a run of a page at a time, in
    /// Morton order: the columns and rows of their points, their kind numbers (see ``kindNames``)
    /// and their weights in units of 1/256.
    ///
    /// - Parameter level: The level of the pixels that the window is made of. Entries up to an
    ///   eighth of the window's size outside of it may come too.
    /// - Complexity: O(log n + entries).
    public func forEachChunk(
        in window: WorldWindow, level: UInt8, filter: EntryFilter = .all,
        _ body: (
            _ xs: Span<UInt32>, _ ys: Span<UInt32>, _ kinds: Span<UInt16>,
            _ weights: Span<UInt32>
        ) -> Void
    ) {
        withoutActuallyEscaping(body) { body in
            var visitor = ChunkVisitor(
                filter: ResolvedFilter(filter, kinds: kinds), body: body)
            let shift = 64 - 2 * UInt64(level)
            let rectangles = QuadCover.rectangles(of: window, level: level)
            for range in QuadCover.coarseRanges(of: rectangles) {
                let last = range.upperBound << shift | (shift == 64 ? .max : (1 << shift) - 1)
                walk((range.lowerBound << shift)...last, &visitor)
            }
        }
    }

    /// Up to `count` objects' points, evenly spread along the order of the index. O(count · log n).
    public func samplePoints(count wanted: Int) -> [WorldPoint] {
        samplePositions(count: wanted).compactMap { position in
            entry(at: position).map { MortonKey(bits: $0.page.key($0.index)).point }
        }
    }

    /// The ids of up to `count` objects, spread likewise. O(count · log n).
    public func sampleIDs(count wanted: Int) -> [String] {
        samplePositions(count: wanted).compactMap { position in
            entry(at: position).map { ids.id(of: ObjectKey(bits: $0.page.objects[$0.index])) }
        }
    }

    private func samplePositions(count wanted: Int) -> [Int] {
        let total = count
        let taken = min(wanted, total)
        return (0..<taken).map { (2 * $0 + 1) * total / (2 * taken) }
    }

    /// The entry at a position of the order. O(log n).
    private func entry(at position: Int) -> (page: LeafPage, index: Int)? {
        var rest = position
        var root = root
        while true {
            switch root {
            case .empty: return nil
            case .page(let page): return rest < page.count ? (page, rest) : nil
            case .node(let node):
                var child = 0
                while child < node.childCount && rest >= node.summaries[child].count {
                    rest -= node.summaries[child].count
                    child += 1
                }
                guard child < node.childCount else { return nil }
                switch node.children {
                case .pages(let pages): root = .page(pages[child])
                case .nodes(let nodes): root = .node(nodes[child])
                }
            }
        }
    }

    /// The sums over the points of a window whose edges lie on cells of `level`: what a picture of
    /// the window is drawn from.
    ///
    /// - Complexity: O(e log n) for e cells on the window's edge; with a filter, O(entries in pages
    ///   that may hold a match).
    public func sum(in window: WorldWindow, level: UInt8, filter: EntryFilter = .all) -> RangeSum {
        sum(over: QuadCover.keyRanges(of: window, level: level), filter: filter)
    }
}

extension WorldWindow {
    /// The Morton keys of all points of the window, as ranges; edges that do not lie on cells of
    /// `level` are moved outwards to the next one.
    ///
    /// - Complexity: O(cells of the level on the window's edge).
    public func keyRanges(level: UInt8) -> [ClosedRange<UInt64>] {
        QuadCover.keyRanges(of: self, level: level)
    }
}

extension WorldWindow {
    /// About a hundred ranges that hold the Morton keys of all points of the window, and of few
    /// others around it: what something drawn from the window depends on at most. O(1).
    public func coarseKeyRanges(level: UInt8) -> [ClosedRange<UInt64>] {
        let shift = 64 - 2 * UInt64(level)
        return QuadCover.coarseRanges(of: QuadCover.rectangles(of: self, level: level)).map {
            ($0.lowerBound << shift)...($0.upperBound << shift
                | (shift == 64 ? .max : (1 << shift) - 1))
        }
    }
}

private struct ChunkVisitor: RangeVisitor {
    let filter: ResolvedFilter?
    let body: (Span<UInt32>, Span<UInt32>, Span<UInt16>, Span<UInt32>) -> Void
    private var xs: [UInt32] = []
    private var ys: [UInt32] = []
    private var kinds: [UInt16] = []
    private var weights: [UInt32] = []

    init(
        filter: ResolvedFilter?,
        body: @escaping (Span<UInt32>, Span<UInt32>, Span<UInt16>, Span<UInt32>) -> Void
    ) {
        self.filter = filter
        self.body = body
    }

    func enters(_ summary: NodeSummary) -> Bool { filter?.mayKeep(summary) ?? true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        guard let filter else {
            body(
                page.xs.extracting(range), page.ys.extracting(range),
                page.kinds.extracting(range), page.weights.extracting(range))
            return
        }
        xs.removeAll(keepingCapacity: true)
        ys.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        weights.removeAll(keepingCapacity: true)
        for index in range where filter.keeps(page, index) {
            xs.append(page.xs[index])
            ys.append(page.ys[index])
            kinds.append(page.kinds[index])
            weights.append(page.weights[index])
        }
        if !xs.isEmpty { body(xs.span, ys.span, kinds.span, weights.span) }
    }
}
