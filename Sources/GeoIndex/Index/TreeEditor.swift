/// Rebuilds the paths of a tree that a sorted batch of changes touches; all else is shared.
///
/// The sums of a node are changed by what came and went below it: children that were not touched,
/// which are mostly not in the cache, are not looked at.
struct TreeEditor {
    let context: PageContext
    let fields: Int
    /// The entries that the changes bring.
    let added: EntryBatch
    /// What came and went so far, in the order of the keys.
    private var deltas: [EntryDelta] = []
    /// The generation of the last loss of a root's child that no node of the new tree knows of.
    private(set) var lostAtTop: UInt64 = 0

    init(context: PageContext, fields: Int, added: EntryBatch) {
        self.context = context
        self.fields = fields
        self.added = added
    }

    /// The tree after the changes, which are sorted by key and object, one for each place.
    mutating func apply(_ changes: [Change], to root: IndexSnapshot.Root) -> IndexSnapshot.Root {
        guard !changes.isEmpty else { return root }
        deltas.reserveCapacity(changes.count)
        switch root {
        case .empty: return self.root(over: added.pages(of: changes, context))
        case .page(let page): return self.root(over: edited(page, changes[...]))
        case .node(let node): return self.root(over: edited(node, changes[...]))
        }
    }

    private mutating func root(over pages: [LeafPage]) -> IndexSnapshot.Root {
        if pages.isEmpty { lostAtTop = context.generation }
        return BulkBuilder.root(over: pages, generation: context.generation, fields: fields)
    }

    /// Puts a root over the nodes that came out of the old one, or takes needless roots away.
    private mutating func root(over nodes: [TreeNode]) -> IndexSnapshot.Root {
        var nodes = nodes
        while nodes.count > 1 {
            nodes = BulkBuilder.chunks(nodes).map {
                TreeNode($0, generation: context.generation, fields: fields)
            }
        }
        guard var top = nodes.first else {
            lostAtTop = context.generation
            return .empty
        }
        while top.childCount == 1 {
            lostAtTop = max(lostAtTop, top.lostGeneration)
            switch top.children {
            case .pages(let pages): return .page(pages[0])
            case .nodes(let children): top = children[0]
            }
        }
        return .node(top)
    }

    /// The pages that take a page's place.
    private mutating func edited(_ page: LeafPage, _ changes: ArraySlice<Change>) -> [LeafPage] {
        var edit = PageEdit(page)
        let firstDelta = deltas.count
        for change in changes {
            let position = page.index(ofKey: change.key, object: change.object, from: edit.done)
            edit.keep(upTo: position.index)
            if position.isPresent {
                edit.remove(position.index)
                deltas.append(EntryDelta(removing: position.index, of: page))
            }
            if let entry = change.entry {
                edit.put(entry)
                deltas.append(EntryDelta(adding: added.entries[entry]))
            }
        }
        if deltas.count == firstDelta { return [page] }
        edit.keep(upTo: page.count)
        if edit.count == 0 { return [] }
        if edit.count <= LeafPage.capacity { return [LeafPage(edit, added, context)] }
        return edit.batch(added).pages(target: LeafPage.capacity, context)
    }

    /// The nodes of the same height that take a node's place; none when nothing is left.
    private mutating func edited(_ node: TreeNode, _ changes: ArraySlice<Change>) -> [TreeNode] {
        let firstDelta = deltas.count
        switch node.children {
        case .pages(let pages):
            let list = replacing(pages, of: node, changes) {
                $0.edited($1, $2)
            } joined: {
                $0.joined($1, $2)
            }
            return nodes(list, of: node, deltas[firstDelta...]) { .pages($0) }
        case .nodes(let nodes):
            let list = replacing(nodes, of: node, changes) {
                $0.edited($1, $2)
            } joined: {
                $0.joined($1, $2)
            }
            return self.nodes(list, of: node, deltas[firstDelta...]) { .nodes($0) }
        }
    }

    /// Children that take the place of a node's.
    private struct ChildList<Child: TreeChild> {
        var children: Siblings<Child>
        var heads: NodeHeads
        /// Whether one of them is to be joined with another.
        var hasSmall = false
        /// Whether one of the old ones is gone and nothing stands for it.
        var hasLost = false

        /// Puts what came out of a child in its place.
        mutating func replace(_ index: Int, with next: [Child]) {
            if next.count == 1 {
                children[index] = next[0]
                heads.replace(index, with: next[0])
            } else {
                children.replace(index, with: next)
                heads.replace(index, with: next)
            }
            for one in next where one.isSmall { hasSmall = true }
            if next.isEmpty { hasLost = true }
        }
    }

    /// The children after the changes: untouched ones as they were, each other one replaced.
    private mutating func replacing<Child: TreeChild>(
        _ children: Siblings<Child>, of node: TreeNode, _ changes: ArraySlice<Change>,
        edit: (inout TreeEditor, Child, ArraySlice<Change>) -> [Child],
        joined: (TreeEditor, Child, Child) -> [Child]
    ) -> ChildList<Child> {
        // Both are the old node's until a child is replaced.
        var list = ChildList(children: children, heads: node.heads)
        var shift = 0
        var rest = changes
        while let change = rest.first {
            let child = node.childIndex(forKey: change.key, object: change.object)
            var end = rest.startIndex + 1
            while end < rest.endIndex
                && (child + 1 == children.count
                    || node.startsAfter(child + 1, key: rest[end].key, object: rest[end].object))
            {
                end += 1
            }
            let next = edit(&self, children[child], rest[rest.startIndex..<end])
            list.replace(child + shift, with: next)
            shift += next.count - 1
            rest = rest[end...]
        }
        if list.hasSmall && list.children.count > 1 {
            var all = Array(list.children)
            joinSmall(&all) { joined(self, $0, $1) }
            list.children = Siblings(all[...])
            list.heads = NodeHeads(all[...], fields: fields)
        }
        return list
    }

    /// The nodes over the children that take the place of a node's.
    private func nodes<Child: TreeChild>(
        _ list: ChildList<Child>, of node: TreeNode, _ deltas: ArraySlice<EntryDelta>,
        _ wrap: (Siblings<Child>) -> TreeNode.Children
    ) -> [TreeNode] {
        guard !list.children.isEmpty else { return [] }
        let lost = list.hasLost ? context.generation : node.lostGeneration
        if list.children.count > TreeNode.capacity {
            return BulkBuilder.chunks(Array(list.children)).map {
                TreeNode(
                    wrap(Siblings($0)), NodeHeads(list.heads, $0.indices),
                    generation: context.generation, lostGeneration: lost)
            }
        }
        return [
            TreeNode(
                wrap(list.children), list.heads, changing: node, deltas,
                generation: context.generation, lostGeneration: lost)
        ]
    }

    /// Joins every child that became too small with a neighbour.
    private func joinSmall<Child: TreeChild>(
        _ children: inout [Child], joined: (Child, Child) -> [Child]
    ) {
        var index = 0
        while children.count > 1 && index < children.count {
            if children[index].isSmall {
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
        let lost = max(left.lostGeneration, right.lostGeneration)
        switch (left.children, right.children) {
        case (.pages(let first), .pages(let second)):
            var pages = Array(first) + Array(second)
            joinSmall(&pages, joined: joined)
            return BulkBuilder.chunks(pages).map {
                TreeNode(
                    .pages(Siblings($0)), NodeHeads($0, fields: fields),
                    generation: context.generation, lostGeneration: lost)
            }
        case (.nodes(let first), .nodes(let second)):
            var nodes = Array(first) + Array(second)
            joinSmall(&nodes, joined: joined)
            return BulkBuilder.chunks(nodes).map {
                TreeNode(
                    .nodes(Siblings($0)), NodeHeads($0, fields: fields),
                    generation: context.generation, lostGeneration: lost)
            }
        default:
            preconditionFailure("children of one node have one height")
        }
    }
}

extension EntryBatch {
    /// Pages of the entries that changes bring, in their order.
    func pages(of changes: [Change], _ context: PageContext) -> [LeafPage] {
        let order = changes.compactMap { $0.entry.map { UInt32($0) } }
        return pages(order: order, target: LeafPage.capacity, context)
    }
}

extension LeafPage {
    /// Where an entry stands, or would stand, at or after `start`. O(n / 16), and O(entries at the
    /// same point).
    func index(ofKey key: UInt64, object: UInt64, from start: Int) -> (index: Int, isPresent: Bool)
    {
        var index = firstIndex(from: key, after: start)
        while index < count && self.key(index) == key {
            if objects[index] >= object { return (index, objects[index] == object) }
            index += 1
        }
        return (index, false)
    }
}
