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
    private let state = Mutex(State())
    /// Held while a commit is taken over, and while another index takes a layer's place: no commit
    /// is to fall between the two.
    private let turn = Mutex(())

    private struct State {
        var layers: [String: Layer] = [:]
        /// The indexes that are being built, by layer.
        var rebuilds: [String: LayerRebuild] = [:]
    }

    /// Creates an empty catalogue.
    ///
    /// - Parameter clusterCacheBytes: The most memory that the resolved clusters of a layer take.
    init(
        now: @escaping @Sendable () -> Timestamp = { .now() },
        clusterCacheBytes: Int = ClusterMemo.defaultBytes
    ) {
        self.now = now
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
    /// - Throws: What the store throws; ``IDTable/Failure`` for an id that cannot be indexed.
    /// - Complexity: O(n) for n located objects.
    func load(from store: SQLiteStore, scales: HeatScaleStore, only name: String? = nil) throws {
        try store.read { reader in
            var settings = try LayerSettingsStore.all(in: reader)
            let classes = try reader.classes().filter { LayerCatalog.isLayer($0) }
            for name in classes.map(\.name) where settings[name] == nil {
                settings[name] = LayerSettings.none
            }
            for (layerName, settings) in settings.sorted(by: { $0.key < $1.key })
            where name == nil || layerName == name {
                let layer = Layer(
                    name: layerName, settings: settings,
                    snapshot: try settings.fields.snapshot(of: layerName, in: reader),
                    scale: try scales.scale(of: layerName, in: reader),
                    clusterCacheBytes: clusterCacheBytes)
                state.withLock { $0.layers[layerName] = layer }
            }
        }
    }

    /// Takes over the changes of one commit, in order.
    ///
    /// - Returns: The layers that changed.
    @discardableResult
    func apply(_ changes: [DocumentChange]) -> [Layer] {
        guard let first = changes.first else { return [] }
        return turn.withLock { _ in
            // Most commits, and all of an import, are of one class: then there is nothing to sort.
            if changes.allSatisfy({ $0.className == first.className }) {
                return apply(changes, of: first.className).map { [$0] } ?? []
            }
            var byClass: [String: [DocumentChange]] = [:]
            for change in changes { byClass[change.className, default: []].append(change) }
            return byClass.sorted { $0.key < $1.key }.compactMap { name, changes in
                apply(changes, of: name)
            }
        }
    }

    private func apply(_ changes: [DocumentChange], of name: String) -> Layer? {
        guard LayerCatalog.canBeLayer(name) else { return nil }
        state.withLock { $0.rebuilds[name] }?.note(changes)
        let hasPlace = changes.contains { $0.locatedAfter != nil }
        guard let layer = layer(named: name, creating: hasPlace) else { return nil }
        do {
            try layer.apply(changes)
        } catch {
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

    private static func isLayer(_ schema: ClassSchema) -> Bool {
        schema.geoPointField != nil && canBeLayer(schema.name)
    }

    /// System classes are no layers.
    static func canBeLayer(_ name: String) -> Bool {
        Naming.isIdentifier(name) && !reservedNames.contains(name)
    }
}

/// Other settings in the place of those that a layer has. One change at a time.
extension LayerCatalog {
    /// Builds the index that other settings ask for, while the former one answers and takes over
    /// every commit. Commits since the beginning of this call are in the new one as well, once
    /// ``replace(_:with:)`` puts it in its place.
    ///
    /// - Throws: As ``load(from:scales:only:)``.
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
    /// - Throws: ``IDTable/Failure``; then all is as before.
    @discardableResult
    func replace(with rebuild: LayerRebuild, scale: HeatScale) throws -> Layer {
        defer { abandon(rebuild) }
        let layer = Layer(
            name: rebuild.name, settings: rebuild.settings, snapshot: rebuild.snapshot,
            scale: scale, clusterCacheBytes: clusterCacheBytes)
        layer.index.prepareForChanges()
        // Most of what came meanwhile is taken over while commits go on.
        try rebuild.catchUp(layer)
        try turn.withLock { _ in
            try rebuild.catchUp(layer)
            state.withLock { $0.layers[layer.name] = layer }
        }
        return layer
    }

    /// Gives a layer other settings that ask for the same index.
    @discardableResult
    func replace(_ former: Layer, settings: LayerSettings, scale: HeatScale) -> Layer {
        let layer = Layer(former, settings: settings, scale: scale)
        turn.withLock { _ in state.withLock { $0.layers[layer.name] = layer } }
        return layer
    }
}
