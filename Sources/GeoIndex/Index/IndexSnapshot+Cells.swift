extension IndexSnapshot {
    /// Appends the occupied cells of a level between two cells, ascending, to `runs`.
    ///
    /// - Complexity: O(log n + cells) without a filter, however many objects the cells hold; with
    ///   one, O(entries in pages that may hold a match).
    func appendCells(
        level: UInt8, from first: UInt64, through last: UInt64, filter: ResolvedFilter?,
        to runs: inout CellRuns
    ) {
        let shift = 64 - 2 * UInt64(level)
        if let filter {
            var visitor = FilteredCellVisitor(filter: filter, level: level, runs: runs)
            runs = CellRuns()  // so that the visitor's copy is the only one
            let end = last << shift
            walk((first << shift)...(end | (shift == 64 ? .max : (1 << shift) - 1)), &visitor)
            runs = visitor.runs
            return
        }
        switch root {
        case .empty: return
        case .page(let page):
            IndexSnapshot.appendCells(
                page, first: page.firstKey, last: page.lastKey, summary: page.summary,
                level: level, from: first, through: last, to: &runs)
        case .node(let node):
            IndexSnapshot.appendCells(node, level: level, from: first, through: last, to: &runs)
        }
    }

    private static func appendCells(
        _ page: LeafPage, first: UInt64, last: UInt64, summary: NodeSummary, level: UInt8,
        from firstCell: UInt64, through lastCell: UInt64, to runs: inout CellRuns
    ) {
        let shift = 64 - 2 * UInt64(level)
        let cell = first >> shift
        guard cell == last >> shift else {
            page.appendCells(level: level, from: firstCell, through: lastCell, to: &runs)
            return
        }
        guard firstCell <= cell && cell <= lastCell else { return }
        runs.append(CellRun(key: cell, of: summary))
    }

    private static func appendCells(
        _ node: TreeNode, level: UInt8, from firstCell: UInt64, through lastCell: UInt64,
        to runs: inout CellRuns
    ) {
        if let kept = node.cells(ofLevel: level) {
            kept.appendCells(from: firstCell, through: lastCell, to: &runs)
            return
        }
        let shift = 64 - 2 * UInt64(level)
        var index = node.firstChild(reaching: firstCell << shift)
        while index < node.childCount {
            let first = node.firstKeys[index]
            if first >> shift > lastCell { return }
            switch node.children {
            case .pages(let pages):
                appendCells(
                    pages[index], first: first, last: node.lastKeys[index],
                    summary: node.summaries[index], level: level, from: firstCell,
                    through: lastCell, to: &runs)
            case .nodes(let nodes):
                let cell = first >> shift
                if cell == node.lastKeys[index] >> shift {
                    if cell >= firstCell {
                        runs.append(CellRun(key: cell, of: node.summaries[index]))
                    }
                } else {
                    appendCells(
                        nodes[index], level: level, from: firstCell, through: lastCell, to: &runs)
                }
            }
            index += 1
        }
    }
}
