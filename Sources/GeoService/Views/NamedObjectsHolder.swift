import GeoStore
import Synchronization

/// Keeps the ``NamedObjects`` of a layer for the fields that permissions name now.
final class NamedObjectsHolder: Sendable {
    private let slot = Mutex<NamedObjects?>(nil)
    /// Held while they are made: whoever comes meanwhile waits for them.
    private let making = Mutex(())

    /// Takes over committed changes.
    func note(_ changes: [DocumentChange]) {
        slot.withLock { $0 }?.note(changes)
    }

    /// The objects by whom they name in some fields. Blocks while they are made.
    ///
    /// - Throws: What the store throws.
    /// - Complexity: O(1), and O(objects of the class) for fields that are not those of before.
    func objects(
        by pointerFields: [String], of layer: Layer, from store: SQLiteStore
    ) throws -> NamedObjects {
        try making.withLock { _ in
            if let known = slot.withLock({ $0 }), known.pointerFields == pointerFields {
                return known
            }
            let fresh = NamedObjects(pointerFields, of: layer.settings.fields)
            // From here on it is told of commits; the store is read after that.
            slot.withLock { $0 = fresh }
            do {
                try fresh.fill(layer.name, from: store)
            } catch {
                slot.withLock { $0 = nil }
                throw error
            }
            return fresh
        }
    }
}
