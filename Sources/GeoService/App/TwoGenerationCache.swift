import Synchronization

/// A cache bounded in bytes: what was not asked for during a whole turn goes.
///
/// Entries live in a young half and an old one; a use brings an entry to the young half. When the
/// young half has half of the bytes, it becomes the old one and what was in that goes. All
/// operations are O(1).
final class TwoGenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var bytes: Int
    }

    private struct Halves {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
        var youngBytes = 0
    }

    private let halves = Mutex(Halves())
    private let limitBytes: Int

    /// Creates an empty cache.
    ///
    /// - Parameter limitBytes: What all entries together may take, as they were declared.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// The value of a key; nil when it is not kept.
    func find(_ key: Key) -> Value? {
        halves.withLock { find(key, in: &$0) }
    }

    /// The value of a key; a new one is kept when there is none.
    func value(_ key: Key, bytes: Int, make: () -> Value) -> Value {
        halves.withLock { halves in
            if let known = find(key, in: &halves) { return known }
            let value = make()
            keep(Entry(value: value, bytes: bytes), as: key, in: &halves)
            return value
        }
    }

    /// Keeps a value, in the place of an older one.
    func keep(_ value: Value, as key: Key, bytes: Int) {
        halves.withLock { keep(Entry(value: value, bytes: bytes), as: key, in: &$0) }
    }

    private func find(_ key: Key, in halves: inout Halves) -> Value? {
        if let known = halves.young[key] { return known.value }
        guard let known = halves.old.removeValue(forKey: key) else { return nil }
        keep(known, as: key, in: &halves)
        return known.value
    }

    private func keep(_ entry: Entry, as key: Key, in halves: inout Halves) {
        if let before = halves.young.updateValue(entry, forKey: key) {
            halves.youngBytes -= before.bytes
        }
        halves.youngBytes += entry.bytes
        guard halves.youngBytes > limitBytes / 2 else { return }
        halves.old = halves.young
        halves.young = [:]
        halves.youngBytes = 0
    }
}
