/// Reads relations. Belongs to one connection.
final class SQLiteRelationLookup {
    private let members: SQLiteStatement
    private let owners: SQLiteStatement
    private let one: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        members = try SQLiteStatement(
            connection,
            """
            SELECT member FROM relations WHERE class = ?1 AND field = ?2 AND owner = ?3
                AND member > ?4 ORDER BY member LIMIT ?5
            """)
        owners = try SQLiteStatement(
            connection,
            """
            SELECT owner FROM relations WHERE class = ?1 AND field = ?2 AND member = ?3
                AND owner > ?4 ORDER BY owner LIMIT ?5
            """)
        one = try SQLiteStatement(
            connection,
            """
            SELECT 1 FROM relations
            WHERE class = ?1 AND field = ?2 AND owner = ?3 AND member = ?4
            """)
    }

    /// Ids of members in their order, after one.
    func members(
        _ field: String, class number: Int64, of owner: String, after: String, limit: Int
    ) throws(StoreError) -> [String] {
        try ids(members, field, number, owner, after, limit)
    }

    /// Ids of owners in their order, after one.
    func owners(
        _ field: String, class number: Int64, of member: String, after: String, limit: Int
    ) throws(StoreError) -> [String] {
        try ids(owners, field, number, member, after, limit)
    }

    /// Whether an object is a member.
    func has(
        _ member: String, _ field: String, class number: Int64, owner: String
    ) throws(StoreError) -> Bool {
        one.bind(number, at: 1)
        one.bind(field, at: 2)
        one.bind(owner, at: 3)
        one.bind(member, at: 4)
        defer { one.reset() }
        return try one.step()
    }

    private func ids(
        _ rows: SQLiteStatement, _ field: String, _ number: Int64, _ id: String, _ after: String,
        _ limit: Int
    ) throws(StoreError) -> [String] {
        rows.bind(number, at: 1)
        rows.bind(field, at: 2)
        rows.bind(id, at: 3)
        rows.bind(after, at: 4)
        // A negative limit would be none at all.
        rows.bind(Int64(max(0, limit)), at: 5)
        defer { rows.reset() }
        var ids: [String] = []
        while try rows.step() { ids.append(rows.text(0)) }
        return ids
    }
}

/// Writes relations. Belongs to the writer.
final class SQLiteRelationWriter {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteOwner: SQLiteStatement
    private let deleteField: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO relations (class, field, owner, member) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (class, field, owner, member) DO NOTHING
            """)
        delete = try SQLiteStatement(
            connection,
            """
            DELETE FROM relations
            WHERE class = ?1 AND field = ?2 AND owner = ?3 AND member = ?4
            """)
        deleteOwner = try SQLiteStatement(
            connection, "DELETE FROM relations WHERE class = ?1 AND field = ?2 AND owner = ?3")
        deleteField = try SQLiteStatement(
            connection,
            """
            DELETE FROM relations WHERE (class, field, owner, member) IN (
                SELECT class, field, owner, member FROM relations
                WHERE class = ?1 AND field = ?2 LIMIT ?3)
            """)
    }

    /// Makes an object a member; false when it was one.
    func insert(
        _ member: String, _ field: String, class number: Int64, owner: String
    ) throws(StoreError) -> Bool {
        try run(insert, member, field, number, owner)
    }

    /// Makes an object no member; false when it was none.
    func delete(
        _ member: String, _ field: String, class number: Int64, owner: String
    ) throws(StoreError) -> Bool {
        try run(delete, member, field, number, owner)
    }

    /// Removes all members of an object's field.
    func deleteAll(_ field: String, class number: Int64, owner: String) throws(StoreError) {
        deleteOwner.bind(number, at: 1)
        deleteOwner.bind(field, at: 2)
        deleteOwner.bind(owner, at: 3)
        try deleteOwner.run()
    }

    /// Removes members of a field of any object, at most so many, and gives how many.
    func delete(
        _ field: String, class number: Int64, limit: Int
    ) throws(StoreError) -> Int {
        deleteField.bind(number, at: 1)
        deleteField.bind(field, at: 2)
        deleteField.bind(Int64(limit), at: 3)
        try deleteField.run()
        return connection.changes
    }

    private func run(
        _ statement: SQLiteStatement, _ member: String, _ field: String, _ number: Int64,
        _ owner: String
    ) throws(StoreError) -> Bool {
        statement.bind(number, at: 1)
        statement.bind(field, at: 2)
        statement.bind(owner, at: 3)
        statement.bind(member, at: 4)
        try statement.run()
        return connection.changes > 0
    }
}
