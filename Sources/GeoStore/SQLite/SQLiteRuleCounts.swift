/// What the counters of rules have come to, whether or not the object that counts is there. Belongs
/// to the writer.
final class SQLiteRuleCounts {
    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let upsert: SQLiteStatement
    private let delete: SQLiteStatement
    private let clear: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        select = try SQLiteStatement(
            connection,
            "SELECT amount FROM rule_counts WHERE class = ?1 AND field = ?2 AND id = ?3")
        upsert = try SQLiteStatement(
            connection,
            """
            INSERT INTO rule_counts (class, field, id, amount) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (class, field, id) DO UPDATE SET amount = ?4
            """)
        delete = try SQLiteStatement(
            connection, "DELETE FROM rule_counts WHERE class = ?1 AND field = ?2 AND id = ?3")
        clear = try SQLiteStatement(
            connection,
            """
            DELETE FROM rule_counts WHERE (class, field, id) IN
                (SELECT class, field, id FROM rule_counts WHERE class = ?1 LIMIT ?2)
            """)
    }

    /// What a counter of an object has come to. O(log n).
    func amount(
        _ field: String, class number: Int64, id: String
    ) throws(StoreError) -> Int64 {
        bind(select, field, number, id)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    /// Sets what a counter of an object has come to. O(log n).
    func set(
        _ field: String, class number: Int64, id: String, to amount: Int64
    ) throws(StoreError) {
        let statement = amount == 0 ? delete : upsert
        bind(statement, field, number, id)
        if amount != 0 { statement.bind(amount, at: 4) }
        try statement.run()
    }

    /// Forgets counters of a class, so many at most, and tells how many they were.
    func clear(class number: Int64, limit: Int) throws(StoreError) -> Int {
        clear.bind(number, at: 1)
        clear.bind(Int64(limit), at: 2)
        try clear.run()
        return connection.changes
    }

    private func bind(_ statement: SQLiteStatement, _ field: String, _ number: Int64, _ id: String)
    {
        statement.bind(number, at: 1)
        statement.bind(field, at: 2)
        statement.bind(id, at: 3)
    }
}
