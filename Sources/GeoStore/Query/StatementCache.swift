/// Prepared statements by their text, for those that are made as queries ask. Belongs to one
/// connection.
///
/// A statement that is in use is not lent again: a query inside another of the same shape gets one
/// of its own.
final class StatementCache {
    private let connection: SQLiteConnection
    private var idle: [String: SQLiteStatement] = [:]

    /// How many are kept.
    private static let limit = 64

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Lends a statement to `body`, and resets it then.
    func with<Result>(
        _ sql: String, _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        let statement =
            if let kept = idle.removeValue(forKey: sql) {
                kept
            } else {
                try SQLiteStatement(connection, sql)
            }
        defer {
            statement.reset()
            if idle.count >= StatementCache.limit { idle.removeAll() }
            idle[sql] = statement
        }
        return try body(statement)
    }
}
