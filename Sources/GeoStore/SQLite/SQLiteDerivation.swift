import GeoIndex

/// Fills columns that a newer version derives from the bodies of objects.
enum SQLiteDerivation {
    /// Owners, accuracies, and the content of objects whose place is not shown exactly. Only bodies
    /// in which one of the names occurs are read. An accuracy that no write would take hides its
    /// place as far as can be (``LocationAccuracy/stored(_:)``).
    ///
    /// - Complexity: O(bytes of all bodies).
    static func fillOwnersAndAccuracy(_ connection: SQLiteConnection) throws(StoreError) {
        let catalog = try SQLiteCatalog.loadTypes(
            connection, limits: .init(classes: .max, fieldsPerClass: .max))
        var schemas: [Int64: ClassSchema] = [:]
        for schema in catalog.classes.values { schemas[schema.number] = schema }
        let rows = try SQLiteStatement(
            connection,
            """
            SELECT id, created, updated, acl, body, place, class FROM objects
            WHERE place > ?1 AND (instr(body, CAST('"author"' AS BLOB)) > 0
                OR instr(body, CAST('"owner"' AS BLOB)) > 0
                OR instr(body, CAST('"\(LocationAccuracy.fieldName)"' AS BLOB)) > 0)
            ORDER BY place LIMIT 1
            """)
        let update = try SQLiteStatement(
            connection,
            "UPDATE objects SET accuracy = ?2, owner = ?3, content = ?4 WHERE place = ?1")
        let decoder = SQLiteDocumentDecoder()
        var encoder = DocumentEncoder()
        var place = Int64.min
        while true {
            rows.bind(place, at: 1)
            defer { rows.reset() }
            guard try rows.step() else { return }
            place = rows.integer(5)
            guard let schema = schemas[rows.integer(6)] else { throw .corrupt }
            let document = try decoder.document(
                rows, from: 1, className: schema.name, objectId: rows.text(0))
            let row = encoder.row(of: document, geoPointField: schema.geoPointField)
            update.bind(place, at: 1)
            update.bind(row.accuracy?.meters, at: 2)
            update.bind(row.owner, at: 3)
            update.bind(Int64(bitPattern: row.content), at: 4)
            try update.run()
        }
    }

    /// The readers of objects that not everybody may read.
    ///
    /// - Complexity: O(objects).
    static func fillReaders(_ connection: SQLiteConnection) throws(StoreError) {
        let rows = try SQLiteStatement(
            connection,
            """
            SELECT place, acl FROM objects
            WHERE place > ?1 AND readers = 0 AND acl IS NOT NULL ORDER BY place LIMIT 1
            """)
        let update = try SQLiteStatement(
            connection, "UPDATE objects SET readers = ?2 WHERE place = ?1")
        let decoder = SQLiteDocumentDecoder()
        let sets = try SQLiteReaderSetWriter(connection)
        var place = Int64.min
        while true {
            rows.bind(place, at: 1)
            defer { rows.reset() }
            guard try rows.step() else { return }
            place = rows.integer(0)
            let readers = ReaderSet(try decoder.accessList(rows, 1)?.list)
            guard !readers.isNobody else { continue }
            update.bind(place, at: 1)
            update.bind(try sets.number(of: readers), at: 2)
            try update.run()
        }
    }
}
