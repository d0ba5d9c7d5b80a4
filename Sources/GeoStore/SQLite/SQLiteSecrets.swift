/// Reads what belongs to an object and is in no document. Belongs to one connection.
final class SQLiteSecretLookup {
    private let select: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        select = try SQLiteStatement(
            connection, "SELECT value FROM secrets WHERE class = ?1 AND id = ?2 AND name = ?3")
    }

    /// A secret of an object. O(log n).
    func value(_ name: String, class number: Int64, id: String) throws(StoreError) -> [UInt8]? {
        select.bind(number, at: 1)
        select.bind(id, at: 2)
        select.bind(name, at: 3)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return select.withBlob(0) { bytes in bytes.indices.map { bytes[$0] } }
    }
}

/// Writes secrets. Belongs to the writer.
final class SQLiteSecretWriter {
    private let connection: SQLiteConnection
    private let upsert: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteAll: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        upsert = try SQLiteStatement(
            connection,
            """
            INSERT INTO secrets (class, id, name, value) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (class, id, name) DO UPDATE SET value = ?4
            """)
        delete = try SQLiteStatement(
            connection, "DELETE FROM secrets WHERE class = ?1 AND id = ?2 AND name = ?3")
        deleteAll = try SQLiteStatement(
            connection, "DELETE FROM secrets WHERE class = ?1 AND id = ?2")
    }

    /// Sets a secret of an object.
    func set(
        _ name: String, to value: [UInt8], class number: Int64, id: String
    ) throws(StoreError) {
        upsert.bind(number, at: 1)
        upsert.bind(id, at: 2)
        upsert.bind(name, at: 3)
        upsert.bind(value, at: 4)
        try upsert.run()
    }

    /// Removes a secret of an object; false when there was none.
    func delete(_ name: String, class number: Int64, id: String) throws(StoreError) -> Bool {
        delete.bind(number, at: 1)
        delete.bind(id, at: 2)
        delete.bind(name, at: 3)
        try delete.run()
        return connection.changes > 0
    }

    /// Removes all secrets of an object; false when there was none.
    func deleteAll(class number: Int64, id: String) throws(StoreError) -> Bool {
        deleteAll.bind(number, at: 1)
        deleteAll.bind(id, at: 2)
        try deleteAll.run()
        return connection.changes > 0
    }
}
