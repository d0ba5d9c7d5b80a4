/// Reads and writes the catalog of classes in its tables.
enum SQLiteCatalog {
    /// All classes and fields. O(fields).
    static func load(
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

/// The statements by which the writer adds to the catalog.
final class SQLiteCatalogWriter {
    private let connection: SQLiteConnection
    private let insertClass: SQLiteStatement
    private let insertField: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        insertClass = try SQLiteStatement(connection, "INSERT INTO classes (name) VALUES (?1)")
        insertField = try SQLiteStatement(
            connection, "INSERT INTO fields (class, name, type) VALUES (?1, ?2, ?3)")
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
            insertClass.bind(name, at: 1)
            try insertClass.run()
            schema = ClassSchema(name: name, number: connection.lastInsertedRow)
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
}
