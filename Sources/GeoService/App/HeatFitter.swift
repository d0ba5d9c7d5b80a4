import GeoIndex
import GeoStore
import Synchronization

/// Fits layers' colour scales in the background: when a layer reaches its thousandth object, at
/// the end of an import, and again when its density has left the scale by a factor of four.
final class HeatFitter: Sendable {
    private let store: SQLiteStore
    private let pool = WorkPool(threads: 1, queueLimit: 64)
    private let scales = HeatScaleStore()
    /// The layer of a name as it is now: it may have got other settings since it was looked at.
    private let newest: @Sendable (String) -> Layer?
    /// One fit at a time: two at once could store one scale and show the other.
    private let turn = Mutex(())
    /// The number of objects of each layer when it was last looked at, and the changes since.
    private let looks = Mutex<[String: Look]>([:])

    private struct Look {
        var count = 0
        var changes = 0

        /// Whether so much has changed that the density may have left the scale.
        func isDue(count now: Int) -> Bool {
            now >= HeatScale.leastObjects
                && (now >= 2 * count || 2 * now <= count || changes >= max(count, 1_000))
        }
    }

    init(store: SQLiteStore, newest: @escaping @Sendable (String) -> Layer? = { _ in nil }) {
        self.store = store
        self.newest = newest
    }

    /// Does something while no scale is fitted, so that it finds and leaves the scale that stands.
    func withoutFitting<Value>(_ body: () throws -> Value) rethrows -> Value {
        try turn.withLock { _ in try body() }
    }

    /// Looks at layers that changed. Cheap unless one has changed enough to be looked at.
    func layersChanged(_ layers: [Layer], changes: Int) {
        for layer in layers {
            let count = layer.current.count
            looks.withLock { looks in
                var look = looks[layer.name] ?? Look()
                look.changes += changes
                if look.isDue(count: count), pool.submit({ [self] in fit(layer) }) {
                    look = Look(count: count)
                }
                looks[layer.name] = look
            }
        }
    }

    /// Fits a layer's scale now, on this thread, unless an operator has set it.
    func fit(_ layer: Layer) {
        turn.withLock { _ in
            let layer = newest(layer.name) ?? layer
            let heat = layer.settings.heat
            guard heat.domains == nil else { return }
            let old = layer.heatScale
            let now = Timestamp.now()
            let snapshot = layer.current(at: now)
            guard snapshot.count >= HeatScale.leastObjects else { return }
            let new = HeatScale.fitted(
                to: snapshot, version: old.version + 1,
                options: heat.fittingOptions(snapshot, at: now))
            guard !old.isFitted || old.isLeft(by: new) else { return }
            // Stored first: after a restart the same scale stands.
            let saved = Result {
                try store.write { [scales] transaction in
                    try scales.save(new, of: layer.name, in: &transaction)
                }
            }
            switch saved {
            case .success: layer.heatScale = new
            case .failure(StoreError.closed): return
            case .failure(let error):
                Log.warning("the heat scale of \(layer.name) was not stored: \(error)")
            }
        }
    }

    func stop() { pool.shut() }
}
