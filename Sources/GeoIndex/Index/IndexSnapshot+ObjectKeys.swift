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
