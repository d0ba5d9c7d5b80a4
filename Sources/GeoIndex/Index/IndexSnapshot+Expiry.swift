extension IndexSnapshot {
    /// When the first of the objects expires, in milliseconds since 1970; nil when all stay. O(1).
    public var nextExpiry: Int64? {
        let expires = summary.expires
        return expires == .max ? nil : expires
    }

    /// The removal of every entry that has expired at an instant, in their order.
    ///
    /// - Complexity: O(log n) for each page that holds one.
    func expired(at now: Int64) -> [Change] {
        var collector = ExpiryCollector(now: now)
        walk(0...UInt64.max, &collector)
        return collector.changes
    }

    /// The state without some of its entries.
    ///
    /// - Parameters:
    ///   - changes: Removals, in the order of the entries.
    ///   - generation: That of the new pages and nodes.
    func removing(_ changes: [Change], generation: UInt64) -> (root: Root, lost: UInt64) {
        var editor = TreeEditor(
            context: PageContext(kindHashes: kinds.hashes, generation: generation),
            fields: fields, added: EntryBatch(fields: fields))
        let root = editor.apply(changes, to: root)
        return (root, max(lostGeneration, editor.lostAtTop))
    }

    /// The state at an instant for one reader, made beside a writer who is at work.
    ///
    /// It has the generation of this state, but pages that differ are younger: what is remembered
    /// of either is asked for again where they differ, and whatever the writer publishes next is
    /// younger than both.
    func derived(at now: Int64) -> IndexSnapshot {
        let changes = expired(at: now)
        if changes.isEmpty { return self }
        let (root, lost) = removing(changes, generation: generation + 1)
        // A layer's memo knows its generations by number; this one is beside them, and has a memo
        // of its own.
        return IndexSnapshot(
            generation: generation, root: root, kinds: kinds, ids: ids, fields: fields,
            lostGeneration: lost)
    }
}

private struct ExpiryCollector: RangeVisitor {
    let now: Int64
    var changes: [Change] = []

    init(now: Int64) { self.now = now }

    func enters(_ summary: NodeSummary) -> Bool { summary.expires <= now }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        let expiries = page.expiries
        for index in range where !expiries.isEmpty && expiries[index] <= now {
            changes.append(Change(key: page.key(index), object: page.objects[index], entry: nil))
        }
    }
}
