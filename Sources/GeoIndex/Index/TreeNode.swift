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
    /// The first entry below each child, by key and by object.
    let firstKeys: [UInt64]
    let firstObjects: [UInt64]
    let lastKeys: [UInt64]
    let summaries: [NodeSummary]
    let summary: NodeSummary
    let kindCounts: [KindCount]
    let cells: CellPyramid
    /// The generation of the first snapshot that has the node.
    let generation: UInt64

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

    /// Creates the parent of pages that follow one another.
    convenience init(pages: [LeafPage], generation: UInt64) {
        var kinds = KindCounter()
        for page in pages { kinds.add(page.kinds) }
        self.init(
            .pages(pages), Heads(pages), kindCounts: kinds.counts, cells: CellPyramid(of: pages),
            generation: generation)
    }

    /// Creates the parent of nodes that follow one another.
    convenience init(nodes: [TreeNode], generation: UInt64) {
        var kinds = KindCounter()
        for node in nodes { kinds.add(node.kindCounts) }
        let heads = Heads(nodes)
        self.init(
            .nodes(nodes), heads, kindCounts: kinds.counts,
            cells: CellPyramid(of: nodes, heads), generation: generation)
    }

    init(
        _ children: Children, _ heads: Heads, kindCounts: [KindCount], cells: CellPyramid,
        generation: UInt64
    ) {
        self.children = children
        firstKeys = heads.firstKeys
        firstObjects = heads.firstObjects
        lastKeys = heads.lastKeys
        summaries = heads.summaries
        summary = heads.summaries.reduce(into: NodeSummary()) { $0.add($1) }
        self.kindCounts = kindCounts
        self.cells = cells
        self.generation = generation
    }

    var childCount: Int { firstKeys.count }

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
        var high = firstKeys.count
        while low < high {
            let middle = (low + high) / 2
            let first = firstKeys[middle]
            let startsAfter = first != key ? first > key : firstObjects[middle] > object
            if startsAfter { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }
}

extension TreeNode {
    /// What a node knows of each of its children.
    struct Heads {
        var firstKeys: [UInt64]
        var firstObjects: [UInt64]
        var lastKeys: [UInt64]
        var summaries: [NodeSummary]

        init(_ pages: [LeafPage]) {
            firstKeys = pages.map(\.firstKey)
            firstObjects = pages.map { $0.objects[0] }
            lastKeys = pages.map(\.lastKey)
            summaries = pages.map(\.summary)
        }

        init(_ nodes: [TreeNode]) {
            firstKeys = nodes.map { $0.firstKeys[0] }
            firstObjects = nodes.map { $0.firstObjects[0] }
            lastKeys = nodes.map { $0.lastKeys[$0.childCount - 1] }
            summaries = nodes.map(\.summary)
        }

        /// Those of a node.
        init(of node: TreeNode) {
            firstKeys = node.firstKeys
            firstObjects = node.firstObjects
            lastKeys = node.lastKeys
            summaries = node.summaries
        }
    }
}
