/// A dictionary that forgets everything when what it holds has outgrown its room: bounded, and
/// without any order to keep. What is in use comes back at once.
struct SizedCache<Key: Hashable, Value> {
    private var values: [Key: Value] = [:]
    private var heldBytes = 0
    private let limitBytes: Int

    /// An empty one.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// The value of a key, if it is held.
    subscript(key: Key) -> Value? { values[key] }

    /// Holds a value for a key that is not there. What would take a sixteenth of the room alone is
    /// not held.
    mutating func insert(_ value: Value, for key: Key, bytes: Int) {
        guard bytes <= limitBytes / 16 else { return }
        if heldBytes + bytes > limitBytes {
            values.removeAll()
            heldBytes = 0
        }
        values[key] = value
        heldBytes += bytes
    }

    /// Forgets some values. What they took counts until everything is forgotten.
    mutating func removeAll(where isGone: (Value) -> Bool) {
        values = values.filter { !isGone($0.value) }
    }
}
