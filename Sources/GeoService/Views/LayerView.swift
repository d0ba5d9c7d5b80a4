import GeoIndex
import GeoStore
import Synchronization

/// What some viewers see of a layer: those who may read the same of it.
final class LayerView: LayerSight {
    let number = Layer.nextIndexNumber()
    private let selection: HiddenObjects.Selection

    private struct Known {
        var view: ViewIndex
        /// What of the layer's hidden objects it knows.
        var position: Int
    }

    /// Requests of one viewer wait for each other while the view comes up to date.
    private let known = Mutex<Known?>(nil)

    init(_ selection: HiddenObjects.Selection) { self.selection = selection }

    /// - Complexity: O(1) while nothing changed, O(log n) for each change since the last call;
    ///   O(o log n) at first, for o objects that not everybody sees.
    func current(of layer: Layer, at now: Timestamp) -> IndexSnapshot {
        // What has expired is taken out for all first, where that is possible.
        _ = layer.current(at: now)
        return known.withLock { known in
            if !advance(&known, layer) { known = fresh(layer, replacing: known?.view) }
            known?.view.expire(at: now.milliseconds)
            return known?.view.snapshot ?? layer.current(at: now)
        }
    }

    func currentAtOnce(of layer: Layer, at now: Timestamp) -> IndexSnapshot? {
        _ = layer.current(at: now)
        return known.withLockIfAvailable { known -> IndexSnapshot? in
            guard let position = known?.position,
                let base = layer.hidden.base(at: position, base: { layer.current }),
                known?.view.isOver(base) == true
            else { return nil }
            known?.view.expire(at: now.milliseconds)
            return known?.view.snapshot
        } ?? nil
    }

    /// Brings what is known up to date in its place: a copy would copy its table of objects.
    ///
    /// - Returns: Whether that is done; else the view is to be made anew.
    private func advance(_ known: inout Known?, _ layer: Layer) -> Bool {
        guard known != nil else { return false }
        let (base, changes) = layer.hidden.changes(
            of: selection, since: known?.position, base: { layer.current },
            isOwn: { known?.view.hasOwn($0) ?? false })
        guard changes.all == nil, known?.view.advance(to: base, own: changes.changed) == true
        else { return false }
        known?.position = changes.position
        return true
    }

    private func fresh(_ layer: Layer, replacing former: ViewIndex?) -> Known {
        let (base, position, objects) = layer.hidden.all(of: selection) { layer.current }
        return Known(
            view: ViewIndex(over: layer.index, base, own: objects, replacing: former),
            position: position)
    }

    var bytes: Int { known.withLock { $0?.view.bytes ?? 0 } }
}
