extension IndexSnapshot {
    /// The same state as the first of a layer of its own.
    convenience init(_ other: IndexSnapshot, memo: ClusterMemo) {
        self.init(
            generation: other.generation, root: other.root, kinds: other.kinds, ids: other.ids,
            fields: other.fields, memo: memo)
    }

    /// Whether nothing is known to have changed in a range of keys since a generation.
    func isUnchanged(keys: ClosedRange<UInt64>, since generation: UInt64) -> Bool {
        self.generation == generation
    }
}
