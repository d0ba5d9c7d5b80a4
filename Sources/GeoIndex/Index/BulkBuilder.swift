/// Collects objects and makes a whole index of them at once.
public struct BulkBuilder: Sendable {
    /// One record for each object: when pages are gathered in sorted order, an object costs one or
    /// two lines of the cache, not one for each column.
    private var entries: [IndexEntry] = []
    private var kinds = KindTable()
    private let ids: IDTable

    /// Creates an empty builder; `expected` is how many objects will come, if that is known.
    public init(ids: IDTable = IDTable(), expected: Int = 0) {
        self.ids = ids
        entries.reserveCapacity(expected)
    }

    /// Adds an object. Each id may come once only.
    ///
    /// - Throws: ``IDTable/Failure`` when the id cannot be indexed.
    public mutating func add(id: String, _ placement: Placement) throws(IDTable.Failure) {
        add(object: try ids.key(for: id), placement)
    }

    /// Adds an object whose key is known.
    mutating func add(object: ObjectKey, _ placement: Placement) {
        entries.append(
            IndexEntry(object: object, placement, kind: kinds.number(adding: placement.kind)))
    }

    /// Sorts what was added and builds the index.
    ///
    /// - Complexity: O(n); a radix sort of the keys and one pass to fill the pages.
    public consuming func build(generation: UInt64 = 0) -> IndexSnapshot {
        let pages = BulkBuilder.pages(
            entries, order: RadixSort.order(of: entries), kindHashes: kinds.hashes)
        return IndexSnapshot(
            generation: generation, root: BulkBuilder.root(over: pages), kinds: kinds, ids: ids)
    }

    /// Gathers page after page, so that the sorted copy never stands in memory as a whole.
    private static func pages(_ entries: [IndexEntry], order: [UInt32], kindHashes: [UInt64])
        -> [LeafPage]
    {
        let parts = (order.count + LeafPage.built - 1) / LeafPage.built
        var page = EntryColumns()
        return (0..<parts).map { part in
            let range = (part * order.count / parts)..<((part + 1) * order.count / parts)
            page.gather(entries, order[range])
            return LeafPage(page, 0..<page.count, kindHashes: kindHashes)
        }
    }

    /// Puts inner nodes over pages that follow one another.
    static func root(over pages: [LeafPage]) -> IndexSnapshot.Root {
        guard pages.count > 1 else {
            return pages.first.map { .page($0) } ?? .empty
        }
        var nodes = chunks(pages).map { TreeNode(pages: Array($0)) }
        while nodes.count > 1 {
            nodes = chunks(nodes).map { TreeNode(nodes: Array($0)) }
        }
        return .node(nodes[0])
    }

    /// Cuts children into runs of nearly equal size for one parent each.
    static func chunks<Child>(_ children: [Child]) -> [ArraySlice<Child>] {
        let parts =
            children.count <= TreeNode.capacity
            ? 1 : (children.count + TreeNode.built - 1) / TreeNode.built
        return (0..<parts).map { part in
            children[(part * children.count / parts)..<((part + 1) * children.count / parts)]
        }
    }
}

extension IndexEntry {
    init(object: ObjectKey, _ placement: Placement, kind: UInt16) {
        self.init(
            key: MortonKey(WorldPoint(placement.position)).bits, object: object.bits,
            lonE7: placement.position.lonE7, latE7: placement.position.latE7, kind: kind,
            weight: Weight.units(of: placement.weight), time: placement.time,
            content: placement.content)
    }
}

extension EntryColumns {
    /// Replaces the content by some entries, in the order of their indices.
    mutating func gather(_ entries: [IndexEntry], _ order: ArraySlice<UInt32>) {
        // The first pass brings a page's records into the cache; the others find them there.
        keys = order.map { entries[Int($0)].key }
        objects = order.map { entries[Int($0)].object }
        lonE7 = order.map { entries[Int($0)].lonE7 }
        latE7 = order.map { entries[Int($0)].latE7 }
        kinds = order.map { entries[Int($0)].kind }
        weights = order.map { entries[Int($0)].weight }
        times = order.map { entries[Int($0)].time }
        contents = order.map { entries[Int($0)].content }
    }
}
