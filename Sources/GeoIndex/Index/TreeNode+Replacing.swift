/// A node of which a few children were replaced is made from the old node and those children
/// alone: its other children, which are mostly not in the cache, are not looked at.
extension TreeNode {
    /// Children that may be replaced this way; for more, a node is made anew.
    static let fewChanges = 8

    /// The old node with the pages at `changed` replaced by those of `pages`.
    convenience init(_ old: TreeNode, pages: [LeafPage], changed: [Int]) {
        guard case .pages(let oldPages) = old.children else {
            preconditionFailure("the node's children are pages")
        }
        var parts = Parts(of: old)
        for index in changed {
            let page = pages[index]
            parts.replace(
                index, firstKey: page.firstKey, firstObject: page.objects[0],
                lastKey: page.lastKey, summary: page.summary,
                kinds: (oldPages[index].kindCounts, page.kindCounts),
                cells: { level in (oldPages[index].runs(level: level), page.runs(level: level)) })
        }
        self.init(
            children: .pages(pages), parts,
            cells: parts.cells ?? TreeNode.pyramid(parts, of: pages.map(\.cells)))
    }

    /// The old node with the nodes at `changed` replaced by those of `nodes`.
    convenience init(_ old: TreeNode, nodes: [TreeNode], changed: [Int]) {
        guard case .nodes(let oldNodes) = old.children else {
            preconditionFailure("the node's children are nodes")
        }
        var parts = Parts(of: old)
        for index in changed {
            let node = nodes[index]
            parts.replace(
                index, firstKey: node.firstKeys[0], firstObject: node.firstObjects[0],
                lastKey: node.lastKeys[node.childCount - 1], summary: node.summary,
                kinds: (oldNodes[index].kindCounts, node.kindCounts),
                cells: { level in (oldNodes[index].runs(level: level), node.runs(level: level)) })
        }
        self.init(
            children: .nodes(nodes), parts,
            cells: parts.cells ?? TreeNode.pyramid(parts, of: nodes.map(\.cells)))
    }

    /// The parts of a node that is being made from another.
    struct Parts {
        var firstKeys: [UInt64]
        var firstObjects: [UInt64]
        var lastKeys: [UInt64]
        var summaries: [NodeSummary]
        var kindCounts: [KindCount]
        /// The kept cells; nil when they must be gathered from all children.
        private(set) var cells: CellPyramid?

        init(
            firstKeys: [UInt64], firstObjects: [UInt64], lastKeys: [UInt64],
            summaries: [NodeSummary], kindCounts: [KindCount]
        ) {
            self.firstKeys = firstKeys
            self.firstObjects = firstObjects
            self.lastKeys = lastKeys
            self.summaries = summaries
            self.kindCounts = kindCounts
        }

        init(of old: TreeNode) {
            firstKeys = old.firstKeys
            firstObjects = old.firstObjects
            lastKeys = old.lastKeys
            summaries = old.summaries
            kindCounts = old.kindCounts
            cells = old.cells.levels.isEmpty ? nil : old.cells
        }

        mutating func replace(
            _ index: Int, firstKey: UInt64, firstObject: UInt64, lastKey: UInt64,
            summary: NodeSummary, kinds: (old: [KindCount], new: [KindCount]),
            cells runs: (UInt8) -> (old: CellRuns?, new: CellRuns?)
        ) {
            firstKeys[index] = firstKey
            firstObjects[index] = firstObject
            lastKeys[index] = lastKey
            summaries[index] = summary
            kindCounts = KindCount.replacing(kinds.old, by: kinds.new, in: kindCounts)
            guard let pyramid = cells, let finest = pyramid.levels.last else { return }
            let parts = runs(pyramid.finestLevel)
            guard let old = parts.old, let new = parts.new else { return cells = nil }
            let next = finest.replacing(old, by: new)
            // The level that was once chosen stays, until its cells become many or few.
            let isFit = next.count > 1 && next.count <= 2 * TreeNode.keptCells
            cells = isFit ? CellPyramid(finest: next, level: pyramid.finestLevel) : nil
        }
    }

    /// The cells of all entries at a level; nil when finding them would go through the children.
    private func runs(level: UInt8) -> CellRuns? {
        let shift = 64 - 2 * UInt64(level)
        if firstKeys[0] >> shift == lastKeys[childCount - 1] >> shift {
            var runs = CellRuns()
            runs.append(CellRun(key: firstKeys[0] >> shift, of: summary))
            return runs
        }
        return cells.index(ofLevel: level).map { cells.levels[$0] }
    }
}

extension LeafPage {
    /// The cells of all entries at a level. O(cells) where the level is kept, else O(entries).
    fileprivate func runs(level: UInt8) -> CellRuns? {
        let shift = 64 - 2 * UInt64(level)
        var runs = CellRuns()
        if firstKey >> shift == lastKey >> shift {
            runs.append(CellRun(key: firstKey >> shift, of: summary))
        } else {
            appendCells(level: level, from: 0, through: .max >> (64 - 2 * UInt64(level)), to: &runs)
        }
        return runs
    }
}

extension CellRuns {
    /// These cells with a part of what they hold taken out and another put in. O(n).
    fileprivate func replacing(_ old: CellRuns, by new: CellRuns) -> CellRuns {
        var result = CellRuns()
        result.reserve(count + new.count)
        var (index, oldIndex, newIndex) = (0, 0, 0)
        while index < count || newIndex < new.count {
            let isNew =
                newIndex < new.count && (index == count || new[newIndex].key < self[index].key)
            var run = isNew ? new[newIndex] : self[index]
            if isNew {
                newIndex += 1
            } else {
                index += 1
                if oldIndex < old.count && old[oldIndex].key == run.key {
                    run.count -= old[oldIndex].count
                    run.sumX -= old[oldIndex].sumX
                    run.sumY -= old[oldIndex].sumY
                    oldIndex += 1
                }
                if newIndex < new.count && new[newIndex].key == run.key {
                    run.count += new[newIndex].count
                    run.sumX += new[newIndex].sumX
                    run.sumY += new[newIndex].sumY
                    newIndex += 1
                }
            }
            if run.count > 0 { result.append(run) }
        }
        return result
    }
}
