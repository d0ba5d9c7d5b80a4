/// Collects objects and makes a whole index of them at once.
public struct BulkBuilder: Sendable {
    /// One record for each object: when pages are gathered in sorted order, an object costs one or
    /// two lines of the cache, not one for each column.
    private var batch: EntryBatch
    private var kinds = KindTable()
    /// The parts in which the batch stands, when it is dealt already.
    private var parts: [Range<Int>]?
    private let expected: Int
    private let ids: IDTable

    /// Creates an empty builder; `expected` is how many objects will come, if that is known.
    ///
    /// - Parameter aggregatedFields: How many values an object of the layer may have.
    public init(ids: IDTable = IDTable(), expected: Int = 0, aggregatedFields: Int = 0) {
        self.ids = ids
        self.expected = expected
        batch = EntryBatch(fields: aggregatedFields)
    }

    /// Creates an empty builder of an index whose objects have the same keys as in another one, and as
    /// many values.
    public init(sharingIDsOf other: IndexSnapshot) {
        self.init(ids: other.ids, aggregatedFields: other.fields)
    }

    /// Adds an object. Each id may come once only.
    ///
    /// - Throws: ``IDTable/Failure`` when the id cannot be indexed.
    public mutating func add(id: String, _ placement: Placement) throws(IDTable.Failure) {
        add(object: try ids.key(for: id), placement)
    }

    /// How many values an object may have.
    var fields: Int { batch.fields }

    /// The number of a kind, given to it now when it is new.
    mutating func number(adding kind: String) -> UInt16 { kinds.number(adding: kind) }

    /// Adds checked columns; `numbers` are those of their kinds.
    mutating func append(_ columns: ObjectColumns, _ numbers: [UInt16]) {
        parts = batch.takeDealt(columns, kinds: numbers)
        if parts == nil { batch.append(columns, kinds: numbers) }
    }

    /// Adds an object whose key is known.
    mutating func add(object: ObjectKey, _ placement: Placement) {
        if batch.count == 0 { batch.reserve(expected) }
        parts = nil
        batch.append(
            IndexEntry(object: object, placement, kind: kinds.number(adding: placement.kind)),
            of: placement)
    }

    /// Sorts what was added and builds the index.
    ///
    /// - Complexity: O(n); a radix sort of the keys and one pass to fill the pages.
    public consuming func build(generation: UInt64 = 0) -> IndexSnapshot {
        // Part after part and page after page, in the cache.
        let context = PageContext(kindHashes: kinds.hashes, generation: generation)
        var batch = batch
        self.batch = EntryBatch(fields: batch.fields)  // so that dealing does not copy it
        var pages: [LeafPage] = []
        pages.reserveCapacity(batch.count / LeafPage.built + 1)
        for part in parts ?? batch.deal() {
            let order = RadixSort.order(of: batch.entries, in: part)
            pages += batch.pages(order: order, target: LeafPage.built, context)
        }
        return IndexSnapshot(
            generation: generation,
            root: BulkBuilder.root(
                over: pages, generation: generation, fields: batch.fields),
            kinds: kinds, ids: ids, fields: batch.fields)
    }

    /// Puts inner nodes over pages that follow one another.
    static func root(over pages: [LeafPage], generation: UInt64, fields: Int) -> IndexSnapshot.Root
    {
        guard pages.count > 1 else {
            return pages.first.map { .page($0) } ?? .empty
        }
        var nodes = chunks(pages).map { TreeNode($0, generation: generation, fields: fields) }
        while nodes.count > 1 {
            nodes = chunks(nodes).map { TreeNode($0, generation: generation, fields: fields) }
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
