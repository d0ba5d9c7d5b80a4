/// An inner node of the index: 2 to ``capacity`` children of one height. Never changes.
///
/// What a search needs of a child (its order, its summary) stands in the parent, side by side.
final class TreeNode: Sendable {
    /// Children at which a node splits.
    static let capacity = 64
    /// Children of a freshly built node.
    static let built = 48
    /// Children below which a node is joined with its neighbour.
    static let minimum = 16
    /// The most cells that a node keeps at one level.
    static let keptCells = 256

    let children: Children
    /// The first entry below each child, by key and by object.
    let firstKeys: [UInt64]
    let firstObjects: [UInt64]
    let lastKeys: [UInt64]
    let summaries: [NodeSummary]
    let summary: NodeSummary
    let kindCounts: [KindCount]
    let cells: CellPyramid

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
    convenience init(pages: [LeafPage]) {
        let parts = Parts(
            firstKeys: pages.map(\.firstKey), firstObjects: pages.map { $0.objects[0] },
            lastKeys: pages.map(\.lastKey), summaries: pages.map(\.summary),
            kindCounts: KindCount.total(of: pages.map(\.kindCounts)))
        self.init(
            children: .pages(pages), parts, cells: TreeNode.pyramid(parts, of: pages.map(\.cells)))
    }

    /// Creates the parent of nodes that follow one another.
    convenience init(nodes: [TreeNode]) {
        let parts = Parts(
            firstKeys: nodes.map { $0.firstKeys[0] },
            firstObjects: nodes.map { $0.firstObjects[0] },
            lastKeys: nodes.map { $0.lastKeys[$0.lastKeys.count - 1] },
            summaries: nodes.map(\.summary),
            kindCounts: KindCount.total(of: nodes.map(\.kindCounts)))
        self.init(
            children: .nodes(nodes), parts, cells: TreeNode.pyramid(parts, of: nodes.map(\.cells)))
    }

    init(children: Children, _ parts: Parts, cells: CellPyramid) {
        self.children = children
        firstKeys = parts.firstKeys
        firstObjects = parts.firstObjects
        lastKeys = parts.lastKeys
        summaries = parts.summaries
        summary = parts.summaries.reduce(into: NodeSummary()) { $0.add($1) }
        kindCounts = parts.kindCounts
        self.cells = cells
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

    /// Joins the children's cells at the finest level at which all keep them and they are few.
    static func pyramid(_ parts: Parts, of kept: [CellPyramid]) -> CellPyramid {
        let firstKeys = parts.firstKeys
        let lastKeys = parts.lastKeys
        let prefix = (firstKeys[0] ^ lastKeys[lastKeys.count - 1]).leadingZeroBitCount / 2
        var finest: UInt8?
        var level = UInt8(min(prefix + 1, Int(QuadCell.maxLevel)))
        search: while level < QuadCell.maxLevel {
            let shift = 64 - 2 * UInt64(level)
            var cells = 0
            for index in kept.indices {
                if firstKeys[index] >> shift == lastKeys[index] >> shift {
                    cells += 1
                } else if let position = kept[index].index(ofLevel: level) {
                    cells += kept[index].levels[position].count
                } else {
                    break search
                }
            }
            if cells > keptCells { break }
            finest = level
            level += 1
        }
        guard let finest else { return CellPyramid() }
        var runs = CellRuns()
        let shift = 64 - 2 * UInt64(finest)
        for index in kept.indices {
            if let position = kept[index].index(ofLevel: finest) {
                kept[index].levels[position].appendCells(from: 0, through: .max, to: &runs)
            } else {
                runs.append(CellRun(key: firstKeys[index] >> shift, of: parts.summaries[index]))
            }
        }
        return CellPyramid(finest: runs, level: finest)
    }
}
