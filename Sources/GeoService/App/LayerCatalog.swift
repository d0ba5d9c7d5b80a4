import GeoIndex
import GeoStore
import Synchronization

/// The layers of the service, kept current by the store's commits.
final class LayerCatalog: Sendable {
    /// Names that a layer cannot have, because a path of the API begins with them.
    static let reservedNames: Set<String> = ["basemap", "v1", "health", "metrics"]

    private let layers = Mutex<[String: Layer]>([:])

    /// Creates an empty catalogue.
    init() {}

    /// The layer of a class; nil when it has no place on the map.
    func layer(named name: String) -> Layer? {
        layers.withLock { $0[name] }
    }

    /// All layers by name.
    var all: [Layer] {
        layers.withLock { $0.values.sorted { $0.name < $1.name } }
    }

    /// Builds the indexes of all classes that have a GeoPoint field, or of one of them.
    ///
    /// - Throws: What the store throws; ``IDTable/Failure`` for an id that cannot be indexed.
    /// - Complexity: O(n) for n located objects.
    func load(from store: SQLiteStore, scales: HeatScaleStore, only name: String? = nil) throws {
        try store.read { reader in
            for schema in try reader.classes()
            where LayerCatalog.isLayer(schema) && (name == nil || schema.name == name) {
                var builder = BulkBuilder()
                try reader.scanLocated(schema.name) { object in
                    guard object.isPublic else { return }
                    try builder.add(id: object.objectId, Placement(object))
                }
                let layer = Layer(
                    name: schema.name, snapshot: builder.build(),
                    scale: try scales.scale(of: schema.name, in: reader))
                layers.withLock { $0[schema.name] = layer }
            }
        }
    }

    /// Takes over the changes of one commit, in order.
    ///
    /// - Returns: The layers that changed.
    @discardableResult
    func apply(_ changes: [DocumentChange]) -> [Layer] {
        guard let first = changes.first else { return [] }
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

    private func apply(_ changes: [DocumentChange], of name: String) -> Layer? {
        guard LayerCatalog.canBeLayer(name) else { return nil }
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
        layers.withLock { layers in
            if let layer = layers[name] { return layer }
            guard creating else { return nil }
            let layer = Layer(name: name, snapshot: BulkBuilder().build())
            layers[name] = layer
            return layer
        }
    }

    private static func isLayer(_ schema: ClassSchema) -> Bool {
        schema.geoPointField != nil && canBeLayer(schema.name)
    }

    /// System classes are no layers.
    private static func canBeLayer(_ name: String) -> Bool {
        !name.hasPrefix("_") && !reservedNames.contains(name)
    }
}
