import Synchronization

/// The texts of a layer's long objectIds, by their packed key.
///
/// Only ids of more than ten characters take room here. Texts stay until the table goes, so that
/// a reader of an older snapshot still finds them.
public final class IDTable: Sendable {
    /// The longest objectId, in characters.
    public static let maxLength = 64

    let texts = Mutex<[UInt64: String]>([:])

    /// Creates an empty table.
    public init() {}

    /// A table of long ids to which another one has given keys.
    ///
    /// - Returns: nil when a key is not one that a table gives to its text.
    init?(restoring ids: some Sequence<(key: ObjectKey, text: String)>) {
        let isRight = texts.withLock { texts -> Bool in
            var displaced: [(key: ObjectKey, text: String)] = []
            for (key, text) in ids {
                guard texts.updateValue(text, forKey: key.bits) == nil,
                    let first = ObjectKey(packing: text), first.isHashed
                else { return false }
                if first != key { displaced.append((key, text)) }
            }
            // An id whose hash another one had stands after those that had its key before.
            return displaced.allSatisfy { key, text in
                var known = ObjectKey(packing: text)
                while let next = known, next != key {
                    known = texts[next.bits] == nil ? nil : next.next
                }
                return known == key
            }
        }
        guard isRight else { return nil }
    }

    /// Why an id cannot be indexed.
    public enum Failure: Error, Equatable, Sendable {
        /// The id is empty, longer than 64 characters or has one outside `[A-Za-z0-9_-]`.
        case malformed(id: String)
    }

    /// The key of an id; remembers its text when it is long.
    ///
    /// - Throws: ``Failure``.
    public func key(for id: String) throws(Failure) -> ObjectKey {
        guard let key = ObjectKey(packing: id) else { throw .malformed(id: id) }
        guard key.isHashed else { return key }
        return texts.withLock { texts in
            // Two long ids of one hash: the later one takes the next free key.
            var key = key
            while let known = texts[key.bits], known != id { key = key.next }
            texts[key.bits] = id
            return key
        }
    }

    /// The id behind a key that this table gave out.
    public func id(of key: ObjectKey) -> String {
        if let text = key.packedText { return text }
        guard let text = texts.withLock({ $0[key.bits] }) else {
            preconditionFailure("the key \(key.bits) was not made by this table")
        }
        return text
    }

    /// Whether the first id comes before the second in byte order.
    func precedes(_ first: ObjectKey, _ second: ObjectKey) -> Bool {
        if !first.isHashed && !second.isHashed { return first.bits < second.bits }
        return id(of: first).utf8.lexicographicallyPrecedes(id(of: second).utf8)
    }

    /// Whether a cursor's id comes before the one behind a key in byte order.
    func precedes(_ cursor: IDCursor, _ key: ObjectKey) -> Bool {
        if !cursor.key.isHashed && !key.isHashed { return cursor.key.bits < key.bits }
        return cursor.text.utf8.lexicographicallyPrecedes(id(of: key).utf8)
    }
}

/// An id that came from outside to go on after: no table need know it.
struct IDCursor {
    let key: ObjectKey
    let text: String

    /// - Returns: nil when no object can have this id.
    init?(_ id: String) {
        guard let key = ObjectKey(packing: id) else { return nil }
        self.key = key
        text = id
    }
}
