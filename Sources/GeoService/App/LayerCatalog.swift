import GeoIndex
import GeoStore
import Synchronization

/// The layers of the service, kept current by the store's commits.
final class LayerCatalog: Sendable {
    /// Names that a layer cannot have, because a path of the API begins with them.
    static let reservedNames: Set<String> = ["basemap", "v1", "health", "metrics"]

    /// What time it is. A request asks once, and is answered as of that instant.
    let now: @Sendable () -> Timestamp
    private let clusterCacheBytes: Int
    /// What viewers see of the layers.
    let views: ViewCache
    private let state = Mutex(State())
    /// Held while a commit is taken over, and while another index takes a layer's place: no commit
    /// is to fall between the two.
    private let turn = Mutex(())

    private struct State {
        var layers: [String: Layer] = [:]
        /// The indexes that are being built, by layer.
        var rebuilds: [String: LayerRebuild] = [:]
        /// The store's position that each layer's index has; none where that is not known.
        var positions: [String: CommitPosition] = [:]
    }

    /// Creates an empty catalogue.
    ///
    /// - Parameters:
    ///   - clusterCacheBytes: The most memory that the resolved clusters of a layer take.
    ///   - viewCacheBytes: The most memory that what viewers see of all layers may take.
    init(
        now: @escaping @Sendable () -> Timestamp = { .now() },
        clusterCacheBytes: Int = ClusterMemo.defaultBytes,
        viewCacheBytes: Int = Configuration.defaultViewCacheBytes
    ) {
        self.now = now
        views = ViewCache(limitBytes: viewCacheBytes)
        self.clusterCacheBytes = clusterCacheBytes
    }

    /// The layer of a class; nil when it has no place on the map.
    func layer(named name: String) -> Layer? {
        state.withLock { $0.layers[name] }
    }

    /// All layers by name.
    var all: [Layer] {
        state.withLock { $0.layers.values.sorted { $0.name < $1.name } }
    }

    /// Builds the indexes of all classes that have a GeoPoint field or settings, or of one of them.
    ///
    /// - Parameter snapshots: Where indexes may have been kept.
    /// - Throws: What the store throws; ``IDTable/Failure`` for an id that cannot be indexed.
    /// - Complexity: O(n) for n located objects; some 50 ns each from a snapshot.
    func load(
        from store: SQLiteStore, scales: HeatScaleStore, only name: String? = nil,
        snapshots: LayerSnapshots? = nil
    ) throws {
        try store.read { reader in
            var settings = try LayerSettingsStore.all(in: reader)
            let areSetUp = Set(settings.keys)
            let classes = try reader.classes().filter { LayerCatalog.isLayer($0) }
            let areShown = Set(classes.filter(\.hasShownPlaces).map(\.name))
            for name in classes.map(\.name) where settings[name] == nil {
                settings[name] = LayerSettings.none
            }
            for (layerName, settings) in settings.sorted(by: { $0.key < $1.key })
            where name == nil || layerName == name {
                let position = try reader.position(of: layerName)
                let snapshot =
                    try snapshots?.index(of: layerName, settings.fields, at: position, in: reader)
                    ?? settings.fields.snapshot(of: layerName, in: reader)
                let hidden = HiddenObjects()
                try hidden.fill(settings.fields, of: layerName, snapshot, in: reader)
                let layer = Layer(
                    name: layerName, settings: settings, snapshot: snapshot, hidden: hidden,
                    scale: try scales.scale(of: layerName, in: reader),
                    // What had a place for everybody stays a layer, over a restart, too.
                    isKnown: areShown.contains(layerName) || areSetUp.contains(layerName),
                    clusterCacheBytes: clusterCacheBytes)
                state.withLock { state in
                    state.layers[layerName] = layer
                    state.positions[layerName] = position
                }
            }
        }
    }

    /// Takes over the changes of one commit, in order.
    ///
    /// - Parameter position: The store's position after it.
    /// - Returns: The layers that changed.
    @discardableResult
    func apply(_ changes: [DocumentChange], at position: CommitPosition? = nil) -> [Layer] {
        guard let first = changes.first else { return [] }
        return turn.withLock { _ in
            // Most commits, and all of an import, are of one class: then there is nothing to sort.
            if changes.allSatisfy({ $0.className == first.className }) {
                return apply(changes, of: first.className, at: position).map { [$0] } ?? []
            }
            var byClass: [String: [DocumentChange]] = [:]
            for change in changes { byClass[change.className, default: []].append(change) }
            return byClass.sorted { $0.key < $1.key }.compactMap { name, changes in
                apply(changes, of: name, at: position)
            }
        }
    }

    private func apply(
        _ changes: [DocumentChange], of name: String, at position: CommitPosition?
    ) -> Layer? {
        guard LayerCatalog.canBeMade(name) else { return nil }
        state.withLock { $0.rebuilds[name] }?.note(changes)
        let hasPlace = changes.contains { $0.locatedAfter != nil }
        guard
            let layer = layer(
                named: name, creating: hasPlace && LayerCatalog.canBeLayer(name))
        else { return nil }
        let isMoved = hasPlace || changes.contains { $0.locatedBefore != nil }
        do {
            try layer.apply(changes)
            if isMoved { state.withLock { $0.positions[name] = position } }
        } catch {
            state.withLock { $0.positions[name] = nil }
            // The store takes no id that the index does not: this is a fault of ours, and must not
            // keep the other layers from their changes.
            Log.warning("the index of \(name) did not take a commit: \(error)")
        }
        return layer
    }

    private func layer(named name: String, creating: Bool) -> Layer? {
        state.withLock { state in
            if let layer = state.layers[name] { return layer }
            guard creating else { return nil }
            let layer = Layer(
                name: name, snapshot: BulkBuilder().build(), clusterCacheBytes: clusterCacheBytes)
            state.layers[name] = layer
            return layer
        }
    }

    /// Every layer's index with the position of the store that it has. Waits for a commit that is
    /// being taken over.
    var states: [LayerState] {
        turn.withLock { _ in
            state.withLock { state in
                state.layers.values.sorted { $0.name < $1.name }.compactMap { layer in
                    state.positions[layer.name].map {
                        LayerState(
                            label: SnapshotLabel(
                                layer: layer.name, position: $0, shape: layer.settings.fields.shape),
                            snapshot: layer.current)
                    }
                }
            }
        }
    }

    /// Whether a class is a layer without any settings.
    static func isLayer(_ schema: ClassSchema) -> Bool {
        schema.geoPointField != nil && canBeLayer(schema.name)
    }

    /// Whether a class can be a layer when an operator says so: users too.
    static func canBeMade(_ name: String) -> Bool {
        canBeLayer(name) || name == AccountNames.user
    }

    /// System classes are no layers of their own accord.
    static func canBeLayer(_ name: String) -> Bool {
        Naming.isIdentifier(name) && !reservedNames.contains(name)
    }
}

/// An index and what it is of.
struct LayerState: Sendable {
    let label: SnapshotLabel
    let snapshot: IndexSnapshot
}

/// Other settings in the place of those that a layer has. One change at a time.
extension LayerCatalog {
    /// Builds the index that other settings ask for, while the former one answers and takes over
    /// every commit. Commits since the beginning of this call are in the new one as well, once
    /// ``replace(with:scale:isSetUp:)`` puts it in its place.
    ///
    /// - Throws: As ``load(from:scales:only:snapshots:)``.
    /// - Complexity: O(n) for n located objects of the class.
    func rebuild(
        _ name: String, for settings: LayerSettings, from store: SQLiteStore
    ) throws -> LayerRebuild {
        let rebuild = LayerRebuild(name: name, settings: settings)
        // From here on it is told of every commit; the store is read after that, so that what was
        // committed before is read. What is both read and told is the same twice.
        turn.withLock { _ in state.withLock { $0.rebuilds[name] = rebuild } }
        do {
            try store.read { try rebuild.build(from: $0) }
        } catch {
            abandon(rebuild)
            throw error
        }
        return rebuild
    }

    /// Gives up an index that was to take a layer's place.
    func abandon(_ rebuild: LayerRebuild) {
        turn.withLock { _ in state.withLock { $0.rebuilds[rebuild.name] = nil } }
    }

    /// Puts a new index into the place of a layer's, with all commits so far.
    ///
    /// - Parameter isSetUp: Whether an operator wants a layer to be there.
    /// - Throws: ``IDTable/Failure``; then all is as before.
    @discardableResult
    func replace(
        with rebuild: LayerRebuild, scale: HeatScale, isSetUp: Bool = true
    ) throws -> Layer {
        defer { abandon(rebuild) }
        let layer = Layer(
            name: rebuild.name, settings: rebuild.settings, snapshot: rebuild.snapshot,
            hidden: rebuild.hidden, scale: scale,
            isKnown: isSetUp || layer(named: rebuild.name)?.isKnown ?? false,
            clusterCacheBytes: clusterCacheBytes)
        layer.index.prepareForChanges()
        // Most of what came meanwhile is taken over while commits go on.
        try rebuild.catchUp(layer)
        try turn.withLock { _ in
            try rebuild.catchUp(layer)
            state.withLock { $0.layers[layer.name] = layer }
        }
        return layer
    }

    /// Takes a layer off the list unless it has come to be one of its class's own accord.
    ///
    /// - Parameter isLayer: Whether the class is a layer without settings. Asked while no commit is
    ///   taken over: a commit that the answer does not know yet makes the layer again.
    /// - Returns: The layer that stays.
    func remove(_ name: String, unless isLayer: () -> Bool) -> Layer? {
        turn.withLock { _ in
            let stays = isLayer()
            return state.withLock { state in
                if stays { return state.layers[name] }
                state.layers[name] = nil
                state.positions[name] = nil
                return nil
            }
        }
    }

    /// Gives a layer other settings that ask for the same index.
    @discardableResult
    func replace(_ former: Layer, settings: LayerSettings, scale: HeatScale) -> Layer {
        let layer = Layer(former, settings: settings, scale: scale)
        turn.withLock { _ in state.withLock { $0.layers[layer.name] = layer } }
        return layer
    }
}
