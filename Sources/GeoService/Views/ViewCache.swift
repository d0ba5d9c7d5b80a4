import GeoIndex
import GeoStore

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

    /// What was selected for a session, and for whom and when that was.
    private struct Selected {
        let principals: Principals
        let regroupings: Int
        let selection: HiddenObjects.Selection?

        /// About what it takes: the names are those of the session, for as long as that is known.
        var bytes: Int {
            principals.names.reduce(256) { $0 + 16 + $1.utf8.count } + 8
                * (selection?.groups.count ?? 0)
        }
    }

    private struct SessionKey: Hashable {
        var index: UInt64
        var session: String
    }

    private let views: TwoGenerationCache<Key, any LayerSight>
    private let selections: TwoGenerationCache<SessionKey, Selected>

    /// The part of all bytes that is for what was selected for sessions.
    private static let selectionsPart = 16

    /// - Parameter limitBytes: What all views of all layers may take together.
    init(limitBytes: Int) {
        let forSelections = limitBytes / ViewCache.selectionsPart
        views = TwoGenerationCache(limitBytes: limitBytes - forSelections)
        selections = TwoGenerationCache(limitBytes: forSelections)
    }

    /// A layer as a viewer sees it.
    func look(at layer: Layer, as viewer: Viewer) -> SeenLayer {
        look(at: layer, selection(of: viewer, in: layer))
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

    /// What a viewer sees beside what everybody does; nil when that is nothing.
    ///
    /// - Complexity: O(1) while the session's roles and the groups of the layer stay as they were,
    ///   else O(roles).
    private func selection(of viewer: Viewer, in layer: Layer) -> HiddenObjects.Selection? {
        if viewer.principals.names.isEmpty { return nil }
        guard let session = viewer.sessionID else {
            return layer.hidden.selection(of: viewer.principals)
        }
        let key = SessionKey(index: layer.indexNumber, session: session)
        // Read first: what is selected is of these groups or later ones.
        let regroupings = layer.hidden.regroupings
        if let known = selections.find(key), known.regroupings == regroupings,
            known.principals == viewer.principals
        {
            return known.selection
        }
        let selected = Selected(
            principals: viewer.principals, regroupings: regroupings,
            selection: layer.hidden.selection(of: viewer.principals))
        selections.keep(selected, as: key, bytes: selected.bytes)
        return selected.selection
    }
}
