import GeoIndex
import GeoStore
import Synchronization

/// What one viewer or several see of a layer, where that is not what everybody does.
protocol LayerSight: AnyObject, Sendable {
    /// Tells it from other views and from layers, as ``Layer/indexNumber`` does those.
    var number: UInt64 { get }
    /// About how much memory it takes; 0 before the first use.
    var bytes: Int { get }

    /// The newest state, with every commit that was answered before, without what has expired.
    ///
    /// - Parameter now: The request's one reading of the clock.
    func current(of layer: Layer, at now: Timestamp) -> IndexSnapshot
}

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
            var next = take(known, layer)
            next.view.expire(at: now.milliseconds)
            known = next
            return next.view.snapshot
        }
    }

    private func take(_ known: Known?, _ layer: Layer) -> Known {
        guard var next = known else { return fresh(layer, replacing: nil) }
        let (base, changes) = layer.hidden.changes(
            of: selection, since: next.position, base: { layer.current },
            isOwn: { next.view.hasOwn($0) })
        guard changes.all == nil, next.view.advance(to: base, own: changes.changed) else {
            return fresh(layer, replacing: next.view)
        }
        next.position = changes.position
        return next
    }

    private func fresh(_ layer: Layer, replacing former: ViewIndex?) -> Known {
        let (base, position, objects) = layer.hidden.all(of: selection) { layer.current }
        return Known(
            view: ViewIndex(over: layer.index, base, own: objects, replacing: former),
            position: position)
    }

    var bytes: Int { known.withLock { $0?.view.bytes ?? 0 } }
}

/// The views that were used last, bounded in bytes.
final class ViewCache: Sendable {
    private enum Key: Hashable {
        /// Of the layer with an index.
        case selection(UInt64, HiddenObjects.Selection)
        /// Of some ``NamedObjects``.
        case named(UInt64, Principals)

        /// About what a key takes in the cache.
        var bytes: Int {
            switch self {
            case .selection(_, let selection): 256 + 8 * selection.groups.count
            case .named(_, let viewer): viewer.names.reduce(256) { $0 + $1.utf8.count + 32 }
            }
        }
    }

    private let views: TwoGenerationCache<Key, any LayerSight>

    /// - Parameter limitBytes: What all views of all layers may take together.
    init(limitBytes: Int) {
        views = TwoGenerationCache(limitBytes: limitBytes)
    }

    /// A layer as a viewer sees it.
    func look(at layer: Layer, as viewer: Viewer) -> SeenLayer {
        look(at: layer, layer.hidden.selection(of: viewer.principals))
    }

    /// A layer with all that anybody may read: for protected heat alone.
    func lookAtAll(of layer: Layer) -> SeenLayer {
        look(at: layer, layer.hidden.wholeSelection)
    }

    /// A layer as a viewer sees it to whom only what names him is open.
    func look(at layer: Layer, _ named: NamedObjects, as viewer: Viewer) -> SeenLayer {
        look(at: layer, as: .named(named.number, viewer.principals)) {
            NamedView(named, of: viewer.principals)
        }
    }

    private func look(at layer: Layer, _ selection: HiddenObjects.Selection?) -> SeenLayer {
        guard let selection else { return SeenLayer(layer: layer, view: nil) }
        return look(at: layer, as: .selection(layer.indexNumber, selection)) {
            LayerView(selection)
        }
    }

    private func look(
        at layer: Layer, as key: Key, make: () -> any LayerSight
    ) -> SeenLayer {
        let view = views.value(key, bytes: key.bytes, make: make)
        return SeenLayer(layer: layer, view: view) { [self] view in
            views.keep(view, as: key, bytes: key.bytes + view.bytes)
        }
    }
}

/// A layer as one viewer sees it.
struct SeenLayer: Sendable {
    let layer: Layer
    private let view: (any LayerSight)?
    private let used: @Sendable (any LayerSight) -> Void

    fileprivate init(
        layer: Layer, view: (any LayerSight)?,
        used: @escaping @Sendable (any LayerSight) -> Void = { _ in }
    ) {
        self.layer = layer
        self.view = view
        self.used = used
    }

    /// Tells what is drawn of it from what is drawn of others; see ``Layer/indexNumber``.
    var indexNumber: UInt64 { view?.number ?? layer.indexNumber }

    /// The newest state without what has expired. Take it once for each request.
    func current(at now: Timestamp) -> IndexSnapshot {
        guard let view else { return layer.current(at: now) }
        let snapshot = view.current(of: layer, at: now)
        used(view)
        return snapshot
    }
}
