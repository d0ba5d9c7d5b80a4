import GeoIndex
import GeoStore
import Synchronization

/// A class whose objects have places, and its live index.
final class Layer: Sendable {
    /// The class's name.
    let name: String
    /// The index of its publicly readable objects.
    let index: LayerIndex
    /// The fields that queries have asked about.
    let columns = LayerColumns()
    private let scale: Mutex<HeatScale>

    init(name: String, snapshot: IndexSnapshot, scale: HeatScale = .unfitted) {
        self.name = name
        index = LayerIndex(snapshot)
        self.scale = Mutex(scale)
    }

    /// The newest state. Take it once for each request.
    var current: IndexSnapshot { index.current }

    /// The colour scale of its heat.
    var heatScale: HeatScale {
        get { scale.withLock { $0 } }
        set { scale.withLock { $0 = newValue } }
    }

    /// Takes over committed changes of the class's objects, in order.
    ///
    /// Objects that the public may not read are in no map answer, so they are not indexed.
    func apply(_ changes: [DocumentChange]) throws {
        let edits = changes.compactMap { change -> ObjectEdit? in
            if let after = change.locatedAfter, after.isPublic {
                return ObjectEdit(id: after.objectId, placement: Placement(after))
            }
            guard change.locatedBefore != nil else { return nil }
            return ObjectEdit(id: change.objectId, placement: nil)
        }
        if edits.isEmpty { return }
        let ids = index.current
        try columns.apply(changes) {
            ids.objectKey(for: $0)
        } publish: {
            try index.apply(edits)
        }
    }
}

extension Placement {
    /// The longest kind, in bytes of UTF-8. Kinds stand in every answer about a layer, so that a
    /// longer text counts as none.
    static let kindLimitBytes = 128

    /// What the index keeps of a stored object.
    init(_ object: LocatedObject) {
        let kind = object.kind.flatMap { $0.utf8.count <= Placement.kindLimitBytes ? $0 : nil }
        self.init(
            position: RoundedPosition(object.position), kind: kind, weight: object.weight,
            time: object.createdAt.milliseconds, content: object.content)
    }
}
