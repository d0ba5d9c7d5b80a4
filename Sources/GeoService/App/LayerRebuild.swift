import GeoIndex
import GeoStore
import Synchronization

/// An index that is being built beside the one that answers.
final class LayerRebuild: Sendable {
    let name: String
    let settings: LayerSettings
    /// What the store had, once it was read.
    private let built = Mutex<IndexSnapshot?>(nil)
    /// The last change of each object that was committed meanwhile: never more than there are
    /// objects, however long it takes.
    private let missed = Mutex<[String: LayerEdit]>([:])
    /// Of what the store had, that which not everybody sees.
    let hidden = HiddenObjects()

    init(name: String, settings: LayerSettings) {
        self.name = name
        self.settings = settings
    }

    /// Remembers the changes of a commit.
    func note(_ changes: [DocumentChange]) {
        let edits = changes.compactMap { settings.fields.layerEdit(of: $0) }
        missed.withLock { missed in
            for edit in edits { missed[edit.id] = edit }
        }
    }

    /// Indexes what the store has. O(objects of the class).
    func build(from reader: borrowing Reader) throws {
        let snapshot = try settings.fields.snapshot(of: name, in: reader)
        try hidden.fill(settings.fields, of: name, snapshot, in: reader)
        built.withLock { $0 = snapshot }
    }

    /// The index as the store had it.
    var snapshot: IndexSnapshot { built.withLock { $0 } ?? settings.fields.emptySnapshot }

    /// Gives a layer the changes that it has missed.
    func catchUp(_ layer: Layer) throws {
        let edits = missed.withLock { missed in
            defer { missed = [:] }
            return Array(missed.values)
        }
        if !edits.isEmpty { try layer.take(edits) }
    }
}

extension LayerFields {
    /// The index of a class without objects.
    var emptySnapshot: IndexSnapshot {
        BulkBuilder(aggregatedFields: aggregatedFields.count).build()
    }

    /// The index of a class's objects as the store has them.
    ///
    /// - Throws: What the store throws; ``IDTable/Failure`` for an id that cannot be indexed.
    /// - Complexity: O(objects of the class): 1 µs each, or some µs when their fields are read.
    func snapshot(of className: String, in reader: borrowing Reader) throws -> IndexSnapshot {
        var builder = BulkBuilder(aggregatedFields: aggregatedFields.count)
        if needDocuments {
            try reader.scanPlaces(className, onlyPublic: true) { located, document in
                guard located.isPublic, let placement = placement(of: located, document) else {
                    return
                }
                try builder.add(id: located.objectId, placement)
            }
        } else {
            try reader.scanLocated(className) { located in
                guard located.isPublic else { return }
                try builder.add(id: located.objectId, Placement(located))
            }
        }
        return builder.build()
    }
}

extension HiddenObjects {
    /// Takes in what a class has that not everybody sees as it is.
    ///
    /// - Throws: What the store throws.
    /// - Complexity: O(such objects): some µs each.
    func fill(
        _ fields: LayerFields, of className: String, _ snapshot: IndexSnapshot,
        in reader: borrowing Reader
    ) throws {
        var edits: [LayerEdit] = []
        func take() {
            apply(edits, key: { snapshot.objectKey(for: $0) }, publish: {})
            edits = []
        }
        func note(_ located: LocatedObject, _ document: Document) {
            guard let hidden = fields.hidden(located, document) else { return }
            edits.append(LayerEdit(id: located.objectId, placement: nil, hidden: hidden))
            if edits.count >= 4_096 { take() }
        }
        if fields.leastAccuracy == nil {
            try reader.scanHidden(className, note)
        } else {
            try reader.scanPlaces(className, onlyPublic: false, note)
        }
        take()
    }
}
