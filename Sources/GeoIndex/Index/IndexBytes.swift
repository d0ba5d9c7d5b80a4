import Synchronization

/// How much memory a snapshot takes, by what for, in bytes; blocks rounded as an allocator does.
public struct IndexBytes: Sendable, Hashable {
    /// Pages and inner nodes, without what the other figures count.
    public internal(set) var tree = 0
    /// Of these, the cells that nodes keep.
    public internal(set) var cells = 0
    /// Values of aggregated fields and their sums.
    public internal(set) var aggregates = 0
    /// Expiries and owners.
    public internal(set) var expiriesAndOwners = 0
    /// The texts of long ids, about.
    public internal(set) var ids = 0

    /// A block of the heap: 8 bytes more, in steps of 16.
    static func block(_ bytes: Int) -> Int { (bytes + 8 + 15) & ~15 }

    /// The storage of an array.
    static func array<Element>(_ elements: [Element]) -> Int {
        elements.capacity == 0
            ? 0 : block(32 + elements.capacity * MemoryLayout<Element>.stride)
    }

    /// The storage of a node's list of children.
    static func siblings<Child>(_ children: Siblings<Child>) -> Int {
        children.runs.reduce(array(children.runs)) { $0 + array($1) }
    }
}

extension IndexSnapshot {
    /// The memory that the snapshot takes; much of it is shared with the states next to it.
    ///
    /// - Complexity: O(n / page).
    public var bytes: IndexBytes {
        var bytes = IndexBytes()
        switch root {
        case .empty: break
        case .page(let page): bytes.add(page)
        case .node(let node): bytes.add(node)
        }
        bytes.ids = ids.approximateBytes
        return bytes
    }
}

extension IndexBytes {
    fileprivate mutating func add(_ page: LeafPage) {
        let layout = page.layout
        let expiries = layout.hasExpiries ? 8 * layout.count : 0
        let owners = layout.hasOwners ? 8 * layout.count : 0
        let values = 8 * layout.count * layout.fields
        expiriesAndOwners += expiries + owners
        aggregates += values
        tree += PageBlocks.size(for: layout.bytes) - expiries - owners - values
        // An object's header, its pointer, layout, generation and sums.
        tree += IndexBytes.block(
            16 + 8 + MemoryLayout<PageLayout>.stride + MemoryLayout<PageGroups.Head>.stride + 8
                + MemoryLayout<NodeSummary>.stride)
    }

    fileprivate mutating func add(_ node: TreeNode) {
        let heads = node.heads
        tree += IndexBytes.block(16 + MemoryLayout<NodeSummary>.stride + 144)
        tree += IndexBytes.array(heads.firstKeys) + IndexBytes.array(heads.firstObjects)
        tree += IndexBytes.array(heads.lastKeys) + IndexBytes.array(heads.summaries)
        tree += IndexBytes.array(heads.boxes.numbers) + IndexBytes.array(heads.places)
        tree += IndexBytes.array(node.kindCounts)
        aggregates += IndexBytes.array(heads.aggregates) + IndexBytes.array(node.aggregates)
        let kept = node.cellBytes
        cells += kept
        tree += kept
        switch node.children {
        case .pages(let pages):
            tree += IndexBytes.siblings(pages)
            for page in pages { add(page) }
        case .nodes(let nodes):
            tree += IndexBytes.siblings(nodes)
            for child in nodes { add(child) }
        }
    }
}

extension IDTable {
    /// What the texts take, about: a slot of the table and a block for each text.
    fileprivate var approximateBytes: Int {
        texts.withLock { texts in
            texts.capacity * 25
                + texts.values.reduce(0) { $0 + IndexBytes.block(32 + $1.utf8.count) }
        }
    }
}
