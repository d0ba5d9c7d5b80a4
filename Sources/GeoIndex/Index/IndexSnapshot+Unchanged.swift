extension IndexSnapshot {
    /// Whether a range of keys holds what it held in an earlier state of the same layer.
    ///
    /// May say no when nothing there changed (a page's neighbours share its fate), never yes when
    /// something did. For a state that is younger than this one the answer is no.
    ///
    /// - Parameter generation: That of the earlier state.
    /// - Complexity: O(log n) and the pages in the range that are younger.
    public func isUnchanged(keys: ClosedRange<UInt64>, since generation: UInt64) -> Bool {
        guard generation <= self.generation, lostGeneration <= generation else { return false }
        switch root {
        case .empty: return true
        case .page(let page): return page.generation <= generation
        case .node(let node):
            return node.isUnchanged(keys, since: generation, between: 0...UInt64.max)
        }
    }
}

extension TreeNode {
    /// - Parameter bounds: The last key before the node and the first one after it: an entry that
    ///   is gone may have stood up to there.
    fileprivate func isUnchanged(
        _ keys: ClosedRange<UInt64>, since generation: UInt64, between bounds: ClosedRange<UInt64>
    ) -> Bool {
        if self.generation <= generation { return true }
        if lostGeneration > generation { return false }
        let reaching = firstChild(reaching: keys.lowerBound)
        var index = max(0, reaching - 1)
        while index < childCount {
            let start = index == 0 ? bounds.lowerBound : heads.lastKeys[index - 1]
            if start > keys.upperBound { return true }
            let end = index + 1 == childCount ? bounds.upperBound : heads.firstKeys[index + 1]
            if end >= keys.lowerBound {
                switch children {
                case .pages(let pages):
                    if pages[index].generation > generation { return false }
                case .nodes(let nodes):
                    if !nodes[index].isUnchanged(keys, since: generation, between: start...end) {
                        return false
                    }
                }
            }
            index += 1
        }
        return true
    }
}
