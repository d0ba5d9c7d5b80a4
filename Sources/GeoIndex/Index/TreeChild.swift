/// What a node of the tree has below it: pages, or nodes.
protocol TreeChild: AnyObject, Sendable {
    var firstKey: UInt64 { get }
    var firstObject: UInt64 { get }
    var lastKey: UInt64 { get }
    var summary: NodeSummary { get }
    /// Where it is, for whoever keeps it.
    var place: ChildPlace { get }
    /// Whether it is to be joined with its neighbour.
    var isSmall: Bool { get }
    /// The sums of each aggregated field.
    func aggregates(fields: Int) -> [AggregateSum]
}

extension LeafPage: TreeChild {
    var firstObject: UInt64 { objects[0] }
    var isSmall: Bool { count < LeafPage.minimum }

    func aggregates(fields: Int) -> [AggregateSum] {
        aggregates(of: 0..<count, fields: fields)
    }
}

extension TreeNode: TreeChild {
    var firstKey: UInt64 { heads.firstKeys[0] }
    var firstObject: UInt64 { heads.firstObjects[0] }
    var lastKey: UInt64 { heads.lastKeys[childCount - 1] }
    var isSmall: Bool { childCount < TreeNode.minimum }
    var place: ChildPlace { ChildPlace(self) }

    func aggregates(fields: Int) -> [AggregateSum] { aggregates }
}

/// What a node knows of each of its children, side by side.
struct NodeHeads: Sendable {
    private(set) var firstKeys: [UInt64] = []
    private(set) var firstObjects: [UInt64] = []
    private(set) var lastKeys: [UInt64] = []
    private(set) var summaries: [NodeSummary] = []
    /// The boxes of the summaries once more, side by side.
    private(set) var boxes = ChildBoxes([])
    private(set) var places: [ChildPlace] = []
    /// `fields` sums of each child.
    private(set) var aggregates: [AggregateSum] = []
    let fields: Int

    init(fields: Int) { self.fields = fields }

    init<Child: TreeChild>(_ children: ArraySlice<Child>, fields: Int) {
        self.fields = fields
        reserve(children.count)
        for child in children { append(child) }
        boxes = ChildBoxes(summaries)
    }

    /// What another node knows of some of its children.
    init(_ other: NodeHeads, _ range: Range<Int>) {
        fields = other.fields
        reserve(range.count)
        append(other, range)
        boxes = ChildBoxes(summaries)
    }

    private mutating func reserve(_ count: Int) {
        firstKeys.reserveCapacity(count)
        firstObjects.reserveCapacity(count)
        lastKeys.reserveCapacity(count)
        summaries.reserveCapacity(count)
        places.reserveCapacity(count)
        if fields > 0 { aggregates.reserveCapacity(count * fields) }
    }

    private mutating func append(_ child: some TreeChild) {
        firstKeys.append(child.firstKey)
        firstObjects.append(child.firstObject)
        lastKeys.append(child.lastKey)
        summaries.append(child.summary)
        places.append(child.place)
        if fields > 0 { aggregates.append(contentsOf: child.aggregates(fields: fields)) }
    }

    private mutating func append(_ other: NodeHeads, _ range: Range<Int>) {
        firstKeys.append(contentsOf: other.firstKeys[range])
        firstObjects.append(contentsOf: other.firstObjects[range])
        lastKeys.append(contentsOf: other.lastKeys[range])
        summaries.append(contentsOf: other.summaries[range])
        places.append(contentsOf: other.places[range])
        if fields > 0 {
            aggregates.append(
                contentsOf: other.aggregates[
                    (range.lowerBound * fields)..<(range.upperBound * fields)])
        }
    }

    /// Puts a child in the place of another.
    mutating func replace(_ index: Int, with child: some TreeChild) {
        firstKeys[index] = child.firstKey
        firstObjects[index] = child.firstObject
        lastKeys[index] = child.lastKey
        summaries[index] = child.summary
        boxes.replace(index, with: child.summary)
        places[index] = child.place
        guard fields > 0 else { return }
        let start = index * fields
        aggregates.replaceSubrange(
            start..<(start + fields), with: child.aggregates(fields: fields))
    }

    /// Puts any number of children in the place of one. O(children).
    mutating func replace(_ index: Int, with others: [some TreeChild]) {
        let old = self
        self = NodeHeads(fields: fields)
        reserve(old.firstKeys.count + others.count - 1)
        append(old, 0..<index)
        for child in others { append(child) }
        append(old, (index + 1)..<old.firstKeys.count)
        boxes = ChildBoxes(summaries)
    }

    var summary: NodeSummary { summaries.reduce(into: NodeSummary()) { $0.add($1) } }

    /// The sums of each field over all children.
    var totals: [AggregateSum] {
        (0..<fields).map { field in
            var total = AggregateSum()
            for child in summaries.indices { total.add(aggregates[child * fields + field]) }
            return total
        }
    }
}
