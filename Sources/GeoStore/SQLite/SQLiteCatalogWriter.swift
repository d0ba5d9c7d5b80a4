import JSONText

/// The statements by which the writer changes the catalog.
final class SQLiteCatalogWriter {
    private let connection: SQLiteConnection
    private let insertClass: SQLiteStatement
    private let insertField: SQLiteStatement
    private let beginRemoval: SQLiteStatement
    private let deleteField: SQLiteStatement
    private let upsertSettings: SQLiteStatement
    private let deleteSettings: SQLiteStatement
    private let markShown: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        // Connections remember the numbers of classes, so that a class that comes again has the
        // number that it had.
        insertClass = try SQLiteStatement(
            connection,
            """
            INSERT INTO classes (name) VALUES (?1)
            ON CONFLICT (name) DO UPDATE SET deleted = 0 RETURNING number
            """)
        insertField = try SQLiteStatement(
            connection, "INSERT INTO fields (class, name, type) VALUES (?1, ?2, ?3)")
        beginRemoval = try SQLiteStatement(
            connection, "UPDATE fields SET removing = 1 WHERE class = ?1 AND name = ?2")
        deleteField = try SQLiteStatement(
            connection, "DELETE FROM fields WHERE class = ?1 AND name = ?2")
        upsertSettings = try SQLiteStatement(
            connection,
            """
            INSERT INTO class_settings (class, body) VALUES (?1, ?2)
            ON CONFLICT (class) DO UPDATE SET body = ?2
            """)
        markShown = try SQLiteStatement(
            connection, "UPDATE classes SET shown = 1 WHERE number = ?1")
        deleteSettings = try SQLiteStatement(
            connection, "DELETE FROM class_settings WHERE class = ?1")
    }

    /// Writes new fields of a class, and the class itself when it is new, and gives the class.
    func add(
        _ new: [SchemaCatalog.NewField], to name: String, in catalog: inout SchemaCatalog
    ) throws(StoreError) -> ClassSchema {
        if let known = catalog[name], new.isEmpty { return known }
        var schema: ClassSchema
        if let known = catalog[name] {
            schema = known
        } else {
            schema = ClassSchema(name: name, number: try insert(name))
        }
        for field in new {
            insertField.bind(schema.number, at: 1)
            insertField.bind(field.name, at: 2)
            insertField.bind(field.type.description, at: 3)
            try insertField.run()
            schema.add(field.name, field.type)
        }
        catalog.add(schema)
        return schema
    }

    private func insert(_ name: String) throws(StoreError) -> Int64 {
        insertClass.bind(name, at: 1)
        defer { insertClass.reset() }
        guard try insertClass.step() else { throw .corrupt }
        let number = insertClass.integer(0)
        while try insertClass.step() {}
        return number
    }

    /// Notes that everybody has been shown the place of an object.
    func noteShownPlace(
        of schema: ClassSchema, in catalog: inout SchemaCatalog
    ) throws(StoreError) {
        var schema = schema
        markShown.bind(schema.number, at: 1)
        try markShown.run()
        schema.hasShownPlaces = true
        catalog.add(schema)
    }

    /// Notes that values of a field are being taken from the objects.
    func beginRemoval(
        of field: String, _ schema: ClassSchema, in catalog: inout SchemaCatalog
    ) throws(StoreError) {
        var schema = schema
        try run(beginRemoval, field, of: schema)
        schema.beginRemoval(of: field)
        catalog.add(schema)
    }

    /// Removes a field from a class.
    func remove(
        _ field: String, _ schema: ClassSchema, in catalog: inout SchemaCatalog
    ) throws(StoreError) {
        var schema = schema
        try run(deleteField, field, of: schema)
        schema.remove(field)
        catalog.add(schema)
    }

    private func run(
        _ statement: SQLiteStatement, _ field: String, of schema: ClassSchema
    ) throws(StoreError) {
        statement.bind(schema.number, at: 1)
        statement.bind(field, at: 2)
        try statement.run()
    }

    /// Sets what the service keeps about a class.
    func set(
        _ settings: JSONObject?, _ bytes: [UInt8], _ schema: ClassSchema,
        in catalog: inout SchemaCatalog
    ) throws(StoreError) {
        var schema = schema
        let statement = settings == nil ? deleteSettings : upsertSettings
        statement.bind(schema.number, at: 1)
        if settings != nil { statement.bind(bytes, at: 2) }
        try statement.run()
        schema.settings = settings
        catalog.add(schema)
    }

    /// Deletes a class that has no objects, with all that is kept about it. Its number stays.
    func delete(
        _ schema: ClassSchema, in catalog: inout SchemaCatalog
    ) throws(StoreError) {
        let number = schema.number
        // What was given to objects that never came. The position stays: one that a class has had
        // must not come again.
        for statement in [
            "DELETE FROM unique_keys WHERE class = ?1",
            "DELETE FROM relations WHERE class = ?1", "DELETE FROM rule_counts WHERE class = ?1",
            "DELETE FROM class_settings WHERE class = ?1", "DELETE FROM fields WHERE class = ?1",
            "UPDATE classes SET deleted = 1, shown = 0 WHERE number = ?1",
        ] {
            let prepared = try SQLiteStatement(connection, statement)
            prepared.bind(number, at: 1)
            try prepared.run()
        }
        catalog.remove(schema.name)
    }
}
