extension IndexSnapshot {
    /// The key that stands for an id in this layer's index; nil when no object can have that id.
    package func objectKey(for id: String) -> ObjectKey? {
        try? ids.key(for: id)
    }

    /// The id of an object that a test was asked about.
    package func objectId(of key: ObjectKey) -> String {
        ids.id(of: key)
    }
}

extension IndexSnapshot {
    /// The number of the line of states that this one is of: a layer's, or a view's since it was
    /// made. Generations of one line count on; those of different lines mean nothing to each other.
    package var lineage: UInt64 { memo.lineage }
}
