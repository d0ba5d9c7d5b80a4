import GeoIndex
import GeoStore
import Synchronization

/// Fits layers' colour scales in the background: when a layer reaches its thousandth object, at
/// the end of an import, and again when its density has left the scale by a factor of four.
final class HeatFitter: Sendable {
    private let store: SQLiteStore
    private let pool = WorkPool(threads: 1, queueLimit: 64)
    private let scales = HeatScaleStore()
    /// The number of objects at which each layer is looked at again.
    private let nextLook = Mutex<[String: Int]>([:])

    init(store: SQLiteStore) {
        self.store = store
    }

    /// Looks at layers that changed. Cheap unless one has grown enough to be looked at.
    func layersChanged(_ layers: [Layer]) {
        for layer in layers {
            let count = layer.current.count
            let isDue = nextLook.withLock { next in
                guard count >= next[layer.name, default: HeatScale.leastObjects] else {
                    return false
                }
                next[layer.name] = count * 2
                return true
            }
            if isDue { _ = pool.submit { [self] in fit(layer) } }
        }
    }

    /// Fits a layer's scale now, on this thread.
    func fit(_ layer: Layer) {
        let old = layer.heatScale
        let snapshot = layer.current
        guard snapshot.count >= HeatScale.leastObjects else { return }
        let new = HeatScale.fitted(to: snapshot, version: old.version + 1)
        guard old.version == 0 || old.isLeft(by: new) else { return }
        // Stored first: after a restart the same scale stands.
        let saved = Result {
            try store.write { [scales] transaction in
                try scales.save(new, of: layer.name, in: &transaction)
            }
        }
        switch saved {
        case .success: layer.heatScale = new
        case .failure(let error):
            Log.warning("the heat scale of \(layer.name) was not stored: \(error)")
        }
    }

    func stop() { pool.shut() }
}
