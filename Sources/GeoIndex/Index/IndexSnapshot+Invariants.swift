extension IndexSnapshot {
    /// Checks the whole tree: order, sizes, sums and kept cells against the entries.
    ///
    /// - Returns: The first thing that is wrong, or nil.
    /// - Complexity: O(n).
    func brokenInvariant() -> String? {
        switch root {
        case .empty: return nil
        case .page(let page): return brokenInvariant(of: page, isRoot: true)
        case .node(let node): return brokenInvariant(of: node, isRoot: true).reason
        }
    }

    private func brokenInvariant(of page: LeafPage, isRoot: Bool) -> String? {
        if page.count > LeafPage.capacity { return "a page holds \(page.count) entries" }
        if !isRoot && page.count < LeafPage.minimum / 2 { return "a page of \(page.count) entries" }
        for index in 1..<max(1, page.count)
        where !IndexEntry.precedes(page.entry(index - 1), page.entry(index)) {
            return "entry \(index) is out of order"
        }
        var batch = EntryBatch(fields: fields)
        batch.append(page, 0..<page.count)
        let context = PageContext(kindHashes: kinds.hashes, generation: generation)
        let fresh = batch.pages(target: page.count, context)[0]
        if fresh.summary != page.summary { return "a page's summary is not its entries'" }
        if !page.layout.holds(fresh.layout) { return "a page lacks a column that it needs" }
        if unsafe UInt(bitPattern: page.block) % UInt(PageLayout.lineBytes) != 0 {
            return "a page begins within a line of the cache"
        }
        if page.hasWrongGroups { return "a group's box is not that of its entries" }
        if page.generation > generation { return "a page is younger than its snapshot" }
        return nil
    }

    private func brokenInvariant(of node: TreeNode, isRoot: Bool)
        -> (reason: String?, height: Int)
    {
        if node.childCount > TreeNode.capacity || node.childCount < 1 {
            return ("a node has \(node.childCount) children", 0)
        }
        for index in 1..<node.childCount {
            let last = (node.lastKeys[index - 1], UInt64.min)
            if last > (node.firstKeys[index], node.firstObjects[index]) {
                return ("child \(index) starts before the one to its left ends", 0)
            }
        }
        var total = NodeSummary()
        var heights = Set<Int>()
        switch node.children {
        case .pages(let pages):
            for (index, page) in pages.enumerated() {
                if let reason = brokenInvariant(of: page, isRoot: false) { return (reason, 0) }
                if page.summary != node.summaries[index] { return ("a stale summary", 0) }
                if page.place != node.heads.places[index] { return ("a stale place", 0) }
                total.add(page.summary)
            }
            heights.insert(0)
        case .nodes(let nodes):
            for (index, child) in nodes.enumerated() {
                let (reason, height) = brokenInvariant(of: child, isRoot: false)
                if let reason { return (reason, 0) }
                if child.summary != node.summaries[index] { return ("a stale summary", 0) }
                if child.place != node.heads.places[index] { return ("a stale place", 0) }
                total.add(child.summary)
                heights.insert(height)
            }
        }
        if node.heads.boxes != ChildBoxes(node.summaries) { return ("a stale box", 0) }
        if let reason = brokenSums(of: node) { return (reason, 0) }
        if total != node.summary { return ("a node's summary is not its children's", 0) }
        if heights.count != 1 { return ("children of different heights", 0) }
        return (nil, (heights.first ?? 0) + 1)
    }

    /// Compares kept cells, kinds and aggregates with the entries.
    private func brokenSums(of node: TreeNode) -> String? {
        var pages: [LeafPage] = []
        node.appendPages(to: &pages)
        for (index, cells) in node.cells.levels.enumerated() {
            let level = node.cells.coarsest + UInt8(index)
            if CellRuns(of: pages, level: level).runs != cells.runs { return "stale cells" }
            if cells.count < 2 { return "a level of one cell is kept" }
        }
        if node.cells.coarsest > 0 && !node.cells.levels.isEmpty
            && node.cells.levels[0].parents().count > 1
        {
            return "a level is missing"
        }
        var kinds = KindCounter()
        var sums = [AggregateSum](repeating: AggregateSum(), count: fields)
        for page in pages {
            kinds.add(page.kinds)
            for (field, sum) in page.aggregates(fields: fields).enumerated() {
                sums[field].add(sum)
            }
        }
        if kinds.counts != node.kindCounts { return "stale kinds" }
        if sums != node.aggregates { return "stale aggregates" }
        let young = pages.contains { $0.generation > node.generation }
        return young ? "a node is older than a page below it" : nil
    }
}

extension TreeNode {
    /// Appends all pages below.
    fileprivate func appendPages(to pages: inout [LeafPage]) {
        switch children {
        case .pages(let below): pages += below
        case .nodes(let nodes): for node in nodes { node.appendPages(to: &pages) }
        }
    }
}

extension LeafPage {
    /// Whether a group's box does not hold an entry, or is wider or higher than need be by more
    /// than a step on either side.
    fileprivate var hasWrongGroups: Bool {
        let groups = groups
        for group in 0..<((count + PageGroups.size - 1) / PageGroups.size) {
            let entries = (group * PageGroups.size)..<min(count, (group + 1) * PageGroups.size)
            let box = groups.box(group)
            guard let west = entries.map({ xs[$0] }).min(),
                let east = entries.map({ xs[$0] }).max(),
                let south = entries.map({ latE7[$0] }).min(),
                let north = entries.map({ latE7[$0] }).max()
            else { return true }
            let (column, row) = groups.steps
            let rounded = [
                (Int64(west) - box.west, column), (box.east - Int64(east), column),
                (Int64(south) - box.south, row), (box.north - Int64(north), row),
            ]
            if rounded.contains(where: { !(0..<$1).contains($0) }) { return true }
        }
        return false
    }
}

extension PageLayout {
    /// Whether the columns of another layout are there.
    fileprivate func holds(_ other: PageLayout) -> Bool {
        count == other.count && fields >= other.fields
            && (hasExpiries || !other.hasExpiries) && (hasOwners || !other.hasOwners)
            && (hasEastEnd || !other.hasEastEnd)
    }
}
