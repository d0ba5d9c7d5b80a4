/// An object as it comes to the index.
public struct Placement: Sendable, Hashable {
    /// Where it is.
    public var position: RoundedPosition
    /// Its kind, if it has one.
    public var kind: String?
    /// Its weight in heat maps; 1 unless the object says otherwise.
    public var weight: Double
    /// Its time, in milliseconds since 1970.
    public var time: Int64
    /// A hash of all its readable fields.
    public var content: UInt64

    /// Creates a placement.
    public init(
        position: RoundedPosition, kind: String? = nil, weight: Double = 1, time: Int64 = 0,
        content: UInt64 = 0
    ) {
        self.position = position
        self.kind = kind
        self.weight = weight
        self.time = time
        self.content = content
    }
}

/// Collects objects and makes a whole index of them at once.
public struct BulkBuilder: Sendable {
    private var columns = EntryColumns()
    private var kinds = KindTable()
    private let ids: IDTable

    /// Creates an empty builder; `expected` is how many objects will come, if that is known.
    public init(ids: IDTable = IDTable(), expected: Int = 0) {
        self.ids = ids
        columns.reserve(expected)
    }

    /// Adds an object. Each id may come once only.
    ///
    /// - Throws: ``IDTable/Failure`` when the id cannot be indexed.
    public mutating func add(id: String, _ placement: Placement) throws(IDTable.Failure) {
        add(object: try ids.key(for: id), placement)
    }

    /// Adds an object whose key is known.
    mutating func add(object: ObjectKey, _ placement: Placement) {
        columns.append(
            IndexEntry(object: object, placement, kind: kinds.number(adding: placement.kind)))
    }

    /// Sorts what was added and builds the index.
    ///
    /// - Complexity: O(n); a radix sort of the keys and one pass to fill the pages.
    public consuming func build(generation: UInt64 = 0) -> IndexSnapshot {
        let order = RadixSort.order(of: columns.keys, then: columns.objects)
        let pages = BulkBuilder.pages(columns, order: order, kindHashes: kinds.hashes)
        return IndexSnapshot(
            generation: generation, root: BulkBuilder.root(over: pages), kinds: kinds, ids: ids)
    }

    /// Gathers page after page, so that the sorted copy never stands in memory as a whole.
    private static func pages(_ columns: EntryColumns, order: [UInt32], kindHashes: [UInt64])
        -> [LeafPage]
    {
        let parts = (order.count + LeafPage.built - 1) / LeafPage.built
        var page = EntryColumns()
        return (0..<parts).map { part in
            let range = (part * order.count / parts)..<((part + 1) * order.count / parts)
            page.gather(columns, order[range])
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
    /// Replaces the content by the entries of `source` at the given indices.
    mutating func gather(_ source: EntryColumns, _ order: ArraySlice<UInt32>) {
        keys = order.map { source.keys[Int($0)] }
        objects = order.map { source.objects[Int($0)] }
        lonE7 = order.map { source.lonE7[Int($0)] }
        latE7 = order.map { source.latE7[Int($0)] }
        kinds = order.map { source.kinds[Int($0)] }
        weights = order.map { source.weights[Int($0)] }
        times = order.map { source.times[Int($0)] }
        contents = order.map { source.contents[Int($0)] }
    }
}
