import GeoStore

/// What takes several transactions, on a thread that may wait.
protocol AdminOperation: Sendable {
    /// - Throws: ``ParseError``, ``SchemaError``, ``StoreError``.
    func run(_ administration: Administration) throws -> ParseAnswer
}

/// What changes classes as a whole, and the layers that they are. One change at a time, and none
/// while the settings of a layer are being changed.
struct Administration: Sendable {
    let store: SQLiteStore
    private let editor: LayerEditor

    /// The one thread for changes.
    var pool: WorkPool { editor.pool }

    /// - Throws: As ``SystemFields/declare(in:)``.
    init(store: SQLiteStore, editor: LayerEditor) throws {
        try SystemFields.declare(in: store)
        self.store = store
        self.editor = editor
    }

    /// Takes up what the last process was in the middle of.
    func start() {
        let catalog = store.catalog
        for schema in catalog.classes.values {
            for field in schema.removedFields {
                _ = pool.submit { finishRemoval(of: field, schema.name) }
            }
        }
    }

    private func finishRemoval(of field: String, _ className: String) {
        do {
            try removeField(field, of: className)
        } catch {
            Log.warning("\(className).\(field) could not be removed: \(error)")
        }
    }

    /// Takes a field from a class and its objects, some at a time, so that other writes go on.
    ///
    /// - Throws: ``SchemaError``, ``StoreError``; what was done stays, and can be gone on with.
    func removeField(_ field: String, of className: String) throws {
        let wasPlace = store.catalog[className]?.geoPointField == field
        var after: String? = ""
        while let place = after {
            after = try store.write(waitsForRoom: true) {
                try $0.removeField(field, of: className, after: place)
            }
        }
        if wasPlace { try removeLayer(className) }
    }

    /// Takes a class that is none any more, or has no places any more, off the map, with its
    /// layer's settings. Nothing happens when it is no layer, or has come to be one again.
    ///
    /// - Throws: ``StoreError``.
    func removeLayer(_ className: String) throws {
        guard editor.catalog.layer(named: className) != nil else { return }
        do {
            _ = try editor.remove(className)
        } catch let problem as Problem where [.conflict, .notFound].contains(problem.status) {
            return
        }
    }
}
