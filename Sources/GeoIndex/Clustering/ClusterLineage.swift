extension IndexSnapshot {
    /// The same state as the first one of a layer of its own.
    convenience init(_ other: IndexSnapshot, memo: ClusterMemo) {
        self.init(
            generation: other.generation, root: other.root, kinds: other.kinds, ids: other.ids,
            fields: other.fields, lostGeneration: other.lostGeneration, memo: memo)
    }
}
