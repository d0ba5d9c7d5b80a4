/// An inner node of the index: up to ``capacity`` children of one height. Never changes.
///
/// What a search needs of a child (its order, its summary) stands in the parent, side by side.
final class TreeNode: Sendable {
    /// Children at which a node splits.
    static let capacity = 64
    /// Children of a freshly built node.
    static let built = 48
    /// Children below which a node is joined with its neighbour.
    static let minimum = 16

    let children: Children
    let heads: NodeHeads
    /// The boxes of ``heads`` once more, side by side.
    let boxes: ChildBoxes
    let summary: NodeSummary
    let kindCounts: [KindCount]
    let cells: CellPyramid
    /// The sums of each aggregated field.
    let aggregates: [AggregateSum]
    /// The generation of the first snapshot that has the node.
    let generation: UInt64
    /// The generation in which a child went and nothing stood for it; 0 for never.
    let lostGeneration: UInt64

    /// The nodes below: pages, or nodes of the same height.
    enum Children: Sendable {
        case pages([LeafPage])
        case nodes([TreeNode])

        var count: Int {
            switch self {
            case .pages(let pages): pages.count
            case .nodes(let nodes): nodes.count
            }
        }
    }

    /// Creates the parent of children that follow one another.
    convenience init(
        _ children: Children, _ heads: NodeHeads, generation: UInt64, lostGeneration: UInt64 = 0
    ) {
        var kinds = KindCounter()
        let cells: CellPyramid
        switch children {
        case .pages(let pages):
            for page in pages { kinds.add(page.kinds) }
            cells = CellPyramid(of: pages)
        case .nodes(let nodes):
            for node in nodes { kinds.add(node.kindCounts) }
            cells = CellPyramid(of: nodes, heads)
        }
        self.init(
            children, heads, kindCounts: kinds.counts, cells: cells, generation: generation,
            lostGeneration: lostGeneration)
    }

    /// Creates the parent of pages that follow one another.
    convenience init(_ pages: ArraySlice<LeafPage>, generation: UInt64, fields: Int) {
        self.init(
            .pages(Array(pages)), NodeHeads(Array(pages), fields: fields), generation: generation)
    }

    /// Creates the parent of nodes that follow one another.
    convenience init(_ nodes: ArraySlice<TreeNode>, generation: UInt64, fields: Int) {
        self.init(
            .nodes(Array(nodes)), NodeHeads(Array(nodes), fields: fields), generation: generation)
    }

    /// Creates the node that takes another's place after entries came and went below it, which
    /// are sorted by key.
    ///
    /// - Complexity: O(children + kinds + kept cells), without a look at the children.
    convenience init(
        _ children: Children, _ heads: NodeHeads, changing old: TreeNode,
        _ deltas: ArraySlice<EntryDelta>, generation: UInt64, lostGeneration: UInt64
    ) {
        guard let cells = old.cells.applying(deltas) else {
            self.init(children, heads, generation: generation, lostGeneration: lostGeneration)
            return
        }
        var kinds = KindCounter(old.kindCounts)
        for delta in deltas {
            if delta.isAdded { kinds.add(1, of: delta.kind) } else { kinds.remove(delta.kind) }
        }
        self.init(
            children, heads, kindCounts: kinds.counts, cells: cells, generation: generation,
            lostGeneration: lostGeneration)
    }

    private init(
        _ children: Children, _ heads: NodeHeads, kindCounts: [KindCount], cells: CellPyramid,
        generation: UInt64, lostGeneration: UInt64
    ) {
        self.children = children
        self.heads = heads
        boxes = ChildBoxes(heads.summaries)
        summary = heads.summary
        aggregates = heads.totals
        self.kindCounts = kindCounts
        self.cells = cells
        self.generation = generation
        self.lostGeneration = lostGeneration
    }

    var childCount: Int { heads.firstKeys.count }
    /// The first entry below each child, by key and by object.
    var firstKeys: [UInt64] { heads.firstKeys }
    var firstObjects: [UInt64] { heads.firstObjects }
    var lastKeys: [UInt64] { heads.lastKeys }
    var summaries: [NodeSummary] { heads.summaries }

    /// The first child that holds keys of at least `key`; the number of children when none does.
    /// O(log fan-out).
    func firstChild(reaching key: UInt64) -> Int {
        let column = lastKeys
        let lastKeys = column.span
        var low = 0
        var high = lastKeys.count
        while low < high {
            let middle = (low + high) / 2
            if lastKeys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The child in which an entry stands or would stand. O(log fan-out).
    func childIndex(forKey key: UInt64, object: UInt64) -> Int {
        var low = 1
        var high = childCount
        while low < high {
            let middle = (low + high) / 2
            if startsAfter(middle, key: key, object: object) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low - 1
    }

    /// Whether a child's first entry comes after a place of the order.
    func startsAfter(_ child: Int, key: UInt64, object: UInt64) -> Bool {
        let first = heads.firstKeys[child]
        return first != key ? first > key : heads.firstObjects[child] > object
    }
}
