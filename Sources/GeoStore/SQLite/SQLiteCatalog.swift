import JSONText

/// Reads the catalog of classes from its tables.
enum SQLiteCatalog {
    /// All classes with their fields and settings. O(fields).
    static func load(
        _ connection: SQLiteConnection, limits: SchemaCatalog.Limits
    ) throws(StoreError) -> SchemaCatalog {
        var catalog = try loadTypes(connection, limits: limits)
        let deleted = try SQLiteStatement(
            connection, "SELECT name FROM classes WHERE deleted = 1")
        while try deleted.step() { catalog.remove(deleted.text(0)) }
        let shown = try SQLiteStatement(connection, "SELECT name FROM classes WHERE shown = 1")
        while try shown.step() {
            guard var schema = catalog[shown.text(0)] else { continue }
            schema.hasShownPlaces = true
            catalog.add(schema)
        }
        let removed = try SQLiteStatement(
            connection,
            """
            SELECT classes.name, fields.name FROM fields
            JOIN classes ON classes.number = fields.class WHERE fields.removing = 1
            """)
        while try removed.step() {
            guard var schema = catalog[removed.text(0)] else { continue }
            schema.beginRemoval(of: removed.text(1))
            catalog.add(schema)
        }
        let settings = try SQLiteStatement(
            connection,
            """
            SELECT classes.name, class_settings.body FROM class_settings
            JOIN classes ON classes.number = class_settings.class
            """)
        let decoder = SQLiteDocumentDecoder()
        while try settings.step() {
            guard var schema = catalog[settings.text(0)] else { continue }
            schema.settings = try decoder.json(settings, 1).objectValue
            catalog.add(schema)
        }
        return catalog
    }

    /// All classes that there ever were, and the types of their fields: what the tables of every
    /// version tell. O(fields).
    static func loadTypes(
        _ connection: SQLiteConnection, limits: SchemaCatalog.Limits
    ) throws(StoreError) -> SchemaCatalog {
        var catalog = SchemaCatalog(limits: limits)
        var names: [Int64: String] = [:]
        let classes = try SQLiteStatement(connection, "SELECT number, name FROM classes")
        while try classes.step() {
            let number = classes.integer(0)
            let name = classes.text(1)
            names[number] = name
            catalog.add(ClassSchema(name: name, number: number))
        }
        let fields = try SQLiteStatement(connection, "SELECT class, name, type FROM fields")
        while try fields.step() {
            guard let name = names[fields.integer(0)], let type = FieldType(fields.text(2)) else {
                throw .corrupt
            }
            catalog.add([SchemaCatalog.NewField(name: fields.text(1), type: type)], to: name)
        }
        return catalog
    }
}
