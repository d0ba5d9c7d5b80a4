/// Rebuilds the paths of a tree that a sorted batch of changes touches; all else is shared.
struct TreeEditor {
    let context: PageContext
    let fields: Int
    /// The entries that the changes bring.
    let added: EntryBatch

    /// The tree after the changes, which are sorted by key and object, one for each place.
    func apply(_ changes: ArraySlice<Change>, to root: IndexSnapshot.Root) -> IndexSnapshot.Root {
        guard !changes.isEmpty else { return root }
        switch root {
        case .empty:
            return BulkBuilder.root(over: edited(nil, changes), generation: context.generation)
        case .page(let page):
            return BulkBuilder.root(over: edited(page, changes), generation: context.generation)
        case .node(let node):
            return self.root(over: edited(node, changes))
        }
    }

    /// Puts a root over the nodes that came out of the old one, or takes needless roots away.
    private func root(over nodes: [TreeNode]) -> IndexSnapshot.Root {
        var nodes = nodes
        while nodes.count > 1 {
            nodes = BulkBuilder.chunks(nodes).map {
                TreeNode(nodes: Array($0), generation: context.generation)
            }
        }
        guard var top = nodes.first else { return .empty }
        while top.childCount == 1 {
            switch top.children {
            case .pages(let pages): return .page(pages[0])
            case .nodes(let children): top = children[0]
            }
        }
        return .node(top)
    }

    /// The pages that take a page's place.
    private func edited(_ page: LeafPage?, _ changes: ArraySlice<Change>) -> [LeafPage] {
        var batch = EntryBatch(fields: fields)
        batch.reserve((page?.count ?? 0) + changes.count)
        var kept = 0
        for change in changes {
            if let page {
                let position = page.index(ofKey: change.key, object: change.object, from: kept)
                batch.append(page, kept..<position.index)
                kept = position.isPresent ? position.index + 1 : position.index
            }
            if let entry = change.entry { batch.append(added, entry) }
        }
        if let page { batch.append(page, kept..<page.count) }
        return batch.pages(target: LeafPage.capacity, context)
    }

    /// The nodes of the same height that take a node's place; none when nothing is left.
    private func edited(_ node: TreeNode, _ changes: ArraySlice<Change>) -> [TreeNode] {
        switch node.children {
        case .pages(let pages):
            var next = replacing(pages, of: node, changes) { edited($0, $1) }
            joinSmall(&next, isSmall: { $0.count < LeafPage.minimum }, joined: joined)
            return BulkBuilder.chunks(next).filter { !$0.isEmpty }
                .map { TreeNode(pages: Array($0), generation: context.generation) }
        case .nodes(let nodes):
            var next = replacing(nodes, of: node, changes) { edited($0, $1) }
            joinSmall(&next, isSmall: { $0.childCount < TreeNode.minimum }, joined: joined)
            return BulkBuilder.chunks(next).filter { !$0.isEmpty }
                .map { TreeNode(nodes: Array($0), generation: context.generation) }
        }
    }

    /// The children after the changes: untouched ones as they were, each other one replaced.
    private func replacing<Child>(
        _ children: [Child], of node: TreeNode, _ changes: ArraySlice<Change>,
        edit: (Child, ArraySlice<Change>) -> [Child]
    ) -> [Child] {
        var next: [Child] = []
        next.reserveCapacity(children.count + 2)
        var done = 0
        var rest = changes
        while let change = rest.first {
            let child = node.childIndex(forKey: change.key, object: change.object)
            var end = rest.startIndex + 1
            while end < rest.endIndex
                && node.childIndex(forKey: rest[end].key, object: rest[end].object) == child
            {
                end += 1
            }
            next.append(contentsOf: children[done..<child])
            next.append(contentsOf: edit(children[child], rest[rest.startIndex..<end]))
            done = child + 1
            rest = rest[end...]
        }
        next.append(contentsOf: children[done...])
        return next
    }

    /// Joins every child that became too small with a neighbour.
    private func joinSmall<Child>(
        _ children: inout [Child], isSmall: (Child) -> Bool, joined: (Child, Child) -> [Child]
    ) {
        var index = 0
        while children.count > 1 && index < children.count {
            if isSmall(children[index]) {
                let left = index == children.count - 1 ? index - 1 : index
                let parts = joined(children[left], children[left + 1])
                children.replaceSubrange(left...(left + 1), with: parts)
                // Two that were too small together make one that is looked at again.
                index = parts.count == 1 ? left : left + 2
            } else {
                index += 1
            }
        }
    }

    private func joined(_ left: LeafPage, _ right: LeafPage) -> [LeafPage] {
        var batch = EntryBatch(fields: fields)
        batch.append(left, 0..<left.count)
        batch.append(right, 0..<right.count)
        return batch.pages(target: LeafPage.capacity, context)
    }

    /// A node that was emptied down to one child could not join it with another: that is done
    /// here, where the child has neighbours again.
    private func joined(_ left: TreeNode, _ right: TreeNode) -> [TreeNode] {
        switch (left.children, right.children) {
        case (.pages(let first), .pages(let second)):
            var pages = first + second
            joinSmall(&pages, isSmall: { $0.count < LeafPage.minimum }, joined: joined)
            return BulkBuilder.chunks(pages).map {
                TreeNode(pages: Array($0), generation: context.generation)
            }
        case (.nodes(let first), .nodes(let second)):
            var nodes = first + second
            joinSmall(&nodes, isSmall: { $0.childCount < TreeNode.minimum }, joined: joined)
            return BulkBuilder.chunks(nodes).map {
                TreeNode(nodes: Array($0), generation: context.generation)
            }
        default:
            preconditionFailure("children of one node have one height")
        }
    }
}

extension LeafPage {
    /// Where an entry stands, or would stand, at or after `start`. O(log n).
    func index(ofKey key: UInt64, object: UInt64, from start: Int) -> (index: Int, isPresent: Bool)
    {
        var low = start
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let other = self.key(middle)
            let isBefore = other != key ? other < key : objects[middle] < object
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return (low, low < count && self.key(low) == key && objects[low] == object)
    }
}
