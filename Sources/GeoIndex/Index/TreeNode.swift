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
    let summary: NodeSummary
    let kindCounts: [KindCount]
    private let keptCells: KeptCells
    /// The sums of each aggregated field.
    let aggregates: [AggregateSum]
    /// The generation of the first snapshot that has the node.
    let generation: UInt64
    /// The generation in which a child went and nothing stood for it; 0 for never.
    let lostGeneration: UInt64

    /// The nodes below: pages, or nodes of the same height.
    enum Children: Sendable {
        case pages(Siblings<LeafPage>)
        case nodes(Siblings<TreeNode>)

        var count: Int {
            switch self {
            case .pages(let pages): pages.count
            case .nodes(let nodes): nodes.count
            }
        }
    }

    /// Creates the parent of children that follow one another; its cells are gathered when
    /// somebody asks for them.
    convenience init(
        _ children: Children, _ heads: NodeHeads, generation: UInt64, lostGeneration: UInt64
    ) {
        self.init(
            children, heads, kindCounts: children.kindCounts, cells: KeptCells(nil),
            generation: generation, lostGeneration: lostGeneration)
    }

    /// Creates the parent of pages that follow one another.
    convenience init(_ pages: ArraySlice<LeafPage>, generation: UInt64, fields: Int) {
        self.init(.pages(Siblings(pages)), NodeHeads(pages, fields: fields), generation)
    }

    /// Creates the parent of nodes that follow one another.
    convenience init(_ nodes: ArraySlice<TreeNode>, generation: UInt64, fields: Int) {
        self.init(.nodes(Siblings(nodes)), NodeHeads(nodes, fields: fields), generation)
    }

    private convenience init(_ children: Children, _ heads: NodeHeads, _ generation: UInt64) {
        self.init(
            children, heads, kindCounts: children.kindCounts,
            cells: KeptCells(children.gatherCells(heads)), generation: generation,
            lostGeneration: 0)
    }

    /// Creates the node that takes another's place after entries came and went below it, which
    /// are sorted by key.
    ///
    /// - Complexity: O(children + kinds), without a look at the children; the kept cells follow
    ///   later (see ``KeptCells``).
    convenience init(
        _ children: Children, _ heads: NodeHeads, changing old: TreeNode,
        _ deltas: ArraySlice<EntryDelta>, generation: UInt64, lostGeneration: UInt64
    ) {
        self.init(
            children, heads, kindCounts: KindCount.changing(old.kindCounts, by: deltas),
            cells: KeptCells(changing: old.keptCells, deltas), generation: generation,
            lostGeneration: lostGeneration)
    }

    private init(
        _ children: Children, _ heads: NodeHeads, kindCounts: [KindCount],
        cells: consuming KeptCells, generation: UInt64, lostGeneration: UInt64
    ) {
        self.children = children
        self.heads = heads
        summary = heads.summary
        aggregates = heads.totals
        self.kindCounts = kindCounts
        keptCells = cells
        self.generation = generation
        self.lostGeneration = lostGeneration
    }

    /// The sums of the cells at the levels at which they are few. O(1); O(cells) for the first who
    /// asks after a change.
    var cells: CellPyramid { keptCells.cells { children.gatherCells(heads) } }
    /// The cells of a level, when they are kept. O(1); O(cells) for the first who asks after a
    /// change.
    func cells(ofLevel level: UInt8) -> CellRuns? {
        keptCells.cells(ofLevel: level) { children.gatherCells(heads) }
    }
    /// The memory that the kept cells take now.
    var cellBytes: Int { keptCells.bytes }

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

extension TreeNode.Children {
    /// How often each kind occurs below. O(entries) of pages, O(kinds) of nodes.
    fileprivate var kindCounts: [KindCount] {
        var kinds = KindCounter()
        switch self {
        case .pages(let pages): for page in pages { kinds.add(page.kinds) }
        case .nodes(let nodes): for node in nodes { kinds.add(node.kindCounts) }
        }
        return kinds.counts
    }

    /// The cells to be kept. O(entries) of pages, O(cells) of nodes.
    fileprivate func gatherCells(_ heads: NodeHeads) -> CellPyramid {
        switch self {
        case .pages(let pages): CellPyramid(of: Array(pages))
        case .nodes(let nodes): CellPyramid(of: Array(nodes), heads)
        }
    }
}
