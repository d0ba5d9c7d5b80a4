/// What a walk over ranges of keys is told: nodes that lie in them whole, and parts of pages.
protocol RangeVisitor {
    /// Asked before a node is entered, whole or in part; false skips it.
    mutating func enters(_ summary: NodeSummary) -> Bool
    /// A node that lies whole in the range; true when its summary is enough.
    mutating func takes(_ node: TreeNode) -> Bool
    /// A page of which `range` lies in the range of keys.
    mutating func visit(_ page: LeafPage, _ range: Range<Int>)
}

extension IndexSnapshot {
    /// Walks over the entries whose keys lie in a range, in ascending order.
    ///
    /// - Complexity: O(log n) and what the visitor looks at.
    func walk<Visitor: RangeVisitor>(_ keys: ClosedRange<UInt64>, _ visitor: inout Visitor) {
        switch root {
        case .empty: return
        case .page(let page):
            if visitor.enters(page.summary) {
                let range = page.indices(in: keys)
                if !range.isEmpty { visitor.visit(page, range) }
            }
        case .node(let node): IndexSnapshot.walk(node, keys, &visitor)
        }
    }

    private static func walk<Visitor: RangeVisitor>(
        _ node: TreeNode, _ keys: ClosedRange<UInt64>, _ visitor: inout Visitor
    ) {
        var index = node.firstChild(reaching: keys.lowerBound)
        while index < node.childCount && node.firstKeys[index] <= keys.upperBound {
            defer { index += 1 }
            guard visitor.enters(node.summaries[index]) else { continue }
            let isWhole =
                keys.lowerBound <= node.firstKeys[index] && node.lastKeys[index] <= keys.upperBound
            switch node.children {
            case .pages(let pages):
                let page = pages[index]
                let range = isWhole ? 0..<page.count : page.indices(in: keys)
                if !range.isEmpty { visitor.visit(page, range) }
            case .nodes(let nodes):
                if isWhole && visitor.takes(nodes[index]) { continue }
                walk(nodes[index], keys, &visitor)
            }
        }
    }
}

/// What a range of keys sums up to.
public struct RangeSum: Sendable, Hashable {
    /// Objects in the range.
    public var count = 0
    /// Σ weight in units of 1/256.
    public var weight: UInt64 = 0
    /// The fingerprint of what pictures show (id, place, kind, weight, time): equal for equal sets
    /// of objects, on every node and after every restart.
    public var shape: UInt64 = 0
    /// The fingerprint of all readable fields.
    public var content: UInt64 = 0

    /// The sum of nothing.
    public init() {}
}

extension IndexSnapshot {
    /// The sums over ranges of keys.
    ///
    /// - Complexity: O(log n) a range; with a filter, O(entries in pages that may hold a match).
    public func sum(over ranges: [ClosedRange<UInt64>], filter: EntryFilter = .all) -> RangeSum {
        let resolved = ResolvedFilter(filter, kinds: kinds)
        var visitor = SumVisitor(filter: resolved, kindHashes: kinds.hashes)
        for range in ranges { walk(range, &visitor) }
        return visitor.sum
    }
}

private struct SumVisitor: RangeVisitor {
    let filter: ResolvedFilter?
    let kindHashes: [UInt64]
    var sum = RangeSum()

    func enters(_ summary: NodeSummary) -> Bool { filter?.mayKeep(summary) ?? true }

    mutating func takes(_ node: TreeNode) -> Bool {
        guard filter == nil else { return false }
        add(node.summary)
        return true
    }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        if filter != nil {
            addEntries(of: page, range)
        } else if range.count == page.count {
            add(page.summary)
        } else {
            addPart(of: page, range)
        }
    }

    private mutating func add(_ summary: NodeSummary) {
        sum.count += summary.count
        sum.weight += summary.weight
        sum.shape &+= summary.shape
        sum.content &+= summary.content
    }

    private mutating func addPart(of page: LeafPage, _ range: Range<Int>) {
        sum.count += range.count
        for index in range {
            sum.weight += UInt64(page.weights[index])
            sum.content &+= page.contents[index]
            sum.shape &+= page.shape(index, kindHashes.span)
        }
    }

    private mutating func addEntries(of page: LeafPage, _ range: Range<Int>) {
        guard let filter else { return }
        for index in range where filter.keeps(page, index) {
            sum.count += 1
            sum.weight += UInt64(page.weights[index])
            sum.content &+= page.contents[index]
            sum.shape &+= page.shape(index, kindHashes.span)
        }
    }
}

extension LeafPage {
    /// The hash of what a picture shows of an entry.
    @inline(__always)
    func shape(_ index: Int, _ kindHashes: Span<UInt64>) -> UInt64 {
        IndexEntry.shape(
            object: objects[index], lonE7: lonE7(index), latE7: latE7[index],
            kindHash: kindHashes[Int(kinds[index])], weight: weights[index], time: times[index])
    }
}
