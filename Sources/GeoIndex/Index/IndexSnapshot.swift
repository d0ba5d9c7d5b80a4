/// One immutable state of a layer's index.
///
/// A reader takes it once for each request and asks it as often as it likes; a writer makes the
/// next one beside it. The queries stand in extensions: ranges and sums, cells, nearest, circles
/// and boxes, clusters, density.
public final class IndexSnapshot: Sendable {
    /// Grows by one with every batch that was applied.
    public let generation: UInt64
    let root: Root
    let kinds: KindTable
    let ids: IDTable
    /// How many aggregated fields the layer has.
    let fields: Int
    /// The generation in which a part of the tree went and no node of it tells; 0 for never.
    let lostGeneration: UInt64
    /// Clusters that were resolved before, for this and other states of the same layer.
    let memo: ClusterMemo
    /// What this is a view over; nil for a layer's own states.
    let underlay: ViewUnderlay?

    /// The top of the tree.
    enum Root: Sendable {
        case empty
        case page(LeafPage)
        case node(TreeNode)
    }

    init(
        generation: UInt64, root: Root, kinds: KindTable, ids: IDTable, fields: Int,
        lostGeneration: UInt64 = 0,
        memo: ClusterMemo = ClusterMemo(), underlay: ViewUnderlay? = nil
    ) {
        self.generation = generation
        self.root = root
        self.kinds = kinds
        self.ids = ids
        self.fields = fields
        self.lostGeneration = lostGeneration
        self.memo = memo
        self.underlay = underlay
    }

    /// The sums over the whole layer.
    var summary: NodeSummary {
        switch root {
        case .empty: NodeSummary()
        case .page(let page): page.summary
        case .node(let node): node.summary
        }
    }

    /// The number of objects.
    public var count: Int { summary.count }

    /// The smallest box, in degrees, that holds all objects and does not cross ±180°; nil when
    /// there are none.
    public var extent: BoundingBox? {
        let sum = summary
        guard sum.count > 0 else { return nil }
        return BoundingBox(
            trustedWest: Double(sum.west) / 1e7, south: Double(sum.south) / 1e7,
            east: Double(sum.east) / 1e7, north: Double(sum.north) / 1e7)
    }

    /// The times of the earliest and the latest object, in milliseconds since 1970.
    public var timeRange: ClosedRange<Int64>? {
        let sum = summary
        return sum.count > 0 ? sum.earliest...sum.latest : nil
    }

    /// How many objects there are of each kind, by name in ascending order; objects without a
    /// kind are left out. O(kinds).
    public var kindCounts: [(kind: String, count: Int)] {
        named(rootKindCounts)
    }

    /// How many entries there are of each kind number.
    var rootKindCounts: [KindCount] {
        switch root {
        case .empty: []
        case .page(let page): page.kindCounts
        case .node(let node): node.kindCounts
        }
    }

    /// Kind counts by name, ascending; "no kind" is left out.
    func named(_ counts: [KindCount]) -> [(kind: String, count: Int)] {
        counts.filter { $0.kind != 0 }
            .map { (kind: kinds.names[Int($0.kind)], count: Int($0.count)) }
            .sorted { $0.kind < $1.kind }
    }
}
