/// Finds who has a key. Belongs to one connection.
final class SQLiteKeyLookup {
    private let select: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        select = try SQLiteStatement(
            connection,
            """
            SELECT classes.name, unique_keys.id FROM unique_keys
            JOIN classes ON classes.number = unique_keys.class
            WHERE unique_keys.scope = ?1 AND unique_keys.value = ?2
            """)
    }

    /// The object that has a key. O(log n).
    func holder(
        of key: UniqueKey
    ) throws(StoreError) -> (className: String, objectId: String)? {
        select.bind(key.scope, at: 1)
        select.bind(key.value, at: 2)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return (select.text(0), select.text(1))
    }
}

/// Gives and takes keys. Belongs to the writer.
final class SQLiteKeyWriter {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteAll: SQLiteStatement
    private let deleteScopes: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO unique_keys (scope, value, class, id) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (scope, value) DO NOTHING
            """)
        delete = try SQLiteStatement(
            connection,
            "DELETE FROM unique_keys WHERE scope = ?1 AND value = ?2 AND class = ?3 AND id = ?4")
        deleteAll = try SQLiteStatement(
            connection, "DELETE FROM unique_keys WHERE class = ?1 AND id = ?2")
        deleteScopes = try SQLiteStatement(
            connection,
            """
            DELETE FROM unique_keys WHERE (scope, value) IN
                (SELECT scope, value FROM unique_keys WHERE scope >= ?1 AND scope < ?2 LIMIT ?3)
            """)
    }

    /// Deletes keys of a range of scopes, so many at most, and tells how many they were.
    func delete(
        scopes: (first: String, end: String), limit: Int
    ) throws(StoreError) -> Int {
        deleteScopes.bind(scopes.first, at: 1)
        deleteScopes.bind(scopes.end, at: 2)
        deleteScopes.bind(Int64(limit), at: 3)
        try deleteScopes.run()
        return connection.changes
    }

    /// Gives a key to an object; false when some object has it.
    func insert(_ key: UniqueKey, class number: Int64, id: String) throws(StoreError) -> Bool {
        try run(insert, key, number, id)
        return connection.changes > 0
    }

    /// Takes a key from an object that has it.
    func delete(_ key: UniqueKey, class number: Int64, id: String) throws(StoreError) {
        try run(delete, key, number, id)
    }

    /// Takes all keys from an object.
    func deleteAll(class number: Int64, id: String) throws(StoreError) {
        deleteAll.bind(number, at: 1)
        deleteAll.bind(id, at: 2)
        try deleteAll.run()
    }

    private func run(
        _ statement: SQLiteStatement, _ key: UniqueKey, _ number: Int64, _ id: String
    ) throws(StoreError) {
        statement.bind(key.scope, at: 1)
        statement.bind(key.value, at: 2)
        statement.bind(number, at: 3)
        statement.bind(id, at: 4)
        try statement.run()
    }
}
