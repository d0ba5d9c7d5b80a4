/// A connection for reading, with its prepared statements.
///
/// `@unchecked Sendable`: the pool lends it to one thread at a time, under its lock.
final class SQLiteReadConnection: @unchecked Sendable {
    let connection: SQLiteConnection
    let decoder = SQLiteDocumentDecoder()
    let lookup: SQLiteLookup
    let readerSets: SQLiteReaderSetLookup
    let keys: SQLiteKeyLookup
    let secrets: SQLiteSecretLookup
    let relations: SQLiteRelationLookup
    let settings: SQLiteStatement
    let indexes: SQLiteIndexLookup
    /// Statements of queries, which are of many shapes.
    let queries: StatementCache
    let scan: SQLiteStatement
    let scanIds: SQLiteStatement
    let size: SQLiteStatement
    let scanLocated: SQLiteStatement
    let batch: SQLiteStatement
    /// How many ids one statement of ``batch`` takes; unused places are null, which no id is.
    static let batchLength = 128
    /// As ``batch``, with ``shownColumns``.
    let shownBatch: SQLiteStatement
    /// One object with ``shownColumns``.
    let shownObject: SQLiteStatement
    /// What ``Reader/shown(_:ids:omitting:)`` reads; from column 6 on what the decoder wants.
    private static let shownColumns =
        "id, public, lon, lat, accuracy, content, created, updated, acl, body"
    /// One object with ``ObjectRow/columns`` and its place, by its id.
    private let judged: SQLiteStatement
    /// The same by a place that may be another one's.
    private let judgedInPlace: SQLiteStatement
    private var hints = PlaceHints()
    let scanPlaces: SQLiteStatement
    let scanHidden: SQLiteStatement
    let typedField: SQLiteStatement
    let position: SQLiteStatement
    private let classNumber: SQLiteStatement
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    /// Numbers of classes seen. A class keeps its number for ever, so this never lies.
    private var numbers: [String: Int64] = [:]

    init(path: String, options: StoreOptions) throws(StoreError) {
        connection = try SQLiteConnection(path: path, mode: .readOnly)
        // A negative cache size is in KiB.
        try connection.execute(
            """
            PRAGMA cache_size = -\(max(1, options.readerCacheBytes >> 10));
            PRAGMA mmap_size = \(max(0, options.readerMappedBytes));
            PRAGMA temp_store = MEMORY;
            """)
        lookup = try SQLiteLookup(connection, decoder)
        readerSets = try SQLiteReaderSetLookup(connection)
        keys = try SQLiteKeyLookup(connection)
        secrets = try SQLiteSecretLookup(connection)
        relations = try SQLiteRelationLookup(connection)
        indexes = try SQLiteIndexLookup(connection)
        queries = StatementCache(connection)
        settings = try SQLiteStatement(
            connection, "SELECT body FROM class_settings WHERE class = ?1")
        scan = try SQLiteStatement(
            connection,
            """
            SELECT id, created, updated, acl, body FROM objects
            WHERE class = ?1 AND id > ?2 ORDER BY id
            """)
        // The length stands in the row's head: the body itself is not read.
        size = try SQLiteStatement(
            connection, "SELECT length(body) FROM objects WHERE class = ?1 AND id = ?2")
        scanIds = try SQLiteStatement(
            connection, "SELECT id FROM objects WHERE class = ?1 AND id > ?2 ORDER BY id")
        // The inner select reads the narrow index alone and sorts its places, so that the table is
        // read from front to back; by id, random ids would cost five times as much.
        scanLocated = try SQLiteStatement(
            connection,
            """
            SELECT id, lon, lat, accuracy, created, updated, expires, readers, kind, weight, owner,
                content
            FROM objects
            WHERE place IN (SELECT place FROM objects WHERE class = ?1) AND lon IS NOT NULL
            """)
        let places = (0..<SQLiteReadConnection.batchLength).map { "?\($0 + 2)" }
            .joined(separator: ", ")
        batch = try SQLiteStatement(
            connection,
            """
            SELECT id, created, updated, acl, body FROM objects
            WHERE class = ?1 AND id IN (\(places)) ORDER BY id
            """)
        shownBatch = try SQLiteStatement(
            connection,
            """
            SELECT \(SQLiteReadConnection.shownColumns) FROM objects
            WHERE class = ?1 AND id IN (\(places)) ORDER BY id
            """)
        shownObject = try SQLiteStatement(
            connection,
            """
            SELECT \(SQLiteReadConnection.shownColumns) FROM objects WHERE class = ?1 AND id = ?2
            """)
        judged = try SQLiteStatement(
            connection,
            "SELECT \(ObjectRow.columns), place FROM objects WHERE class = ?1 AND id = ?2")
        // A plus sign keeps a column from being looked up.
        judgedInPlace = try SQLiteStatement(
            connection,
            """
            SELECT \(ObjectRow.columns) FROM objects WHERE place = ?3 AND +class = ?1 AND +id = ?2
            """)
        scanPlaces = try SQLiteStatement(
            connection,
            """
            SELECT id, lon, lat, accuracy, created, updated, expires, readers, kind, weight, owner,
                content, created, updated, acl, body
            FROM objects
            WHERE place IN (SELECT place FROM objects WHERE class = ?1) AND lon IS NOT NULL
                AND public >= ?2
            """)
        // By the index of these rows and of those that expire.
        scanHidden = try SQLiteStatement(
            connection,
            """
            SELECT id, lon, lat, accuracy, created, updated, expires, readers, kind, weight, owner,
                content, created, updated, acl, body
            FROM objects INDEXED BY objects_placed_apart
            WHERE class = ?1 AND lon IS NOT NULL
                AND (readers <> 1 OR accuracy IS NOT NULL OR expires IS NOT NULL)
                AND (readers <> 1 OR accuracy IS NOT NULL)
            """)
        typedField = try SQLiteStatement(
            connection, "SELECT name FROM fields WHERE class = ?1 AND type = ?2")
        position = try SQLiteStatement(
            connection, "SELECT epoch, number FROM positions WHERE class = ?1")
        classNumber = try SQLiteStatement(connection, "SELECT number FROM classes WHERE name = ?1")
        begin = try SQLiteStatement(connection, "BEGIN")
        end = try SQLiteStatement(connection, "COMMIT")
    }

    /// The number of a class, or nil when there is none.
    func number(of className: String) throws(StoreError) -> Int64? {
        if let number = numbers[className] { return number }
        classNumber.bind(className, at: 1)
        defer { classNumber.reset() }
        guard try classNumber.step() else { return nil }
        let number = classNumber.integer(0)
        numbers[className] = number
        return number
    }

    /// Lends the row of an object, with ``ObjectRow/columns``, to `body`; not when there is none.
    ///
    /// - Complexity: O(log n); half as much for what was read lately.
    func withRow(
        _ number: Int64, _ objectId: String, _ body: (SQLiteStatement) throws -> Void
    ) throws {
        let key = PlaceHints.Key(number, objectId)
        if let place = hints[key] {
            judgedInPlace.bind(number, at: 1)
            judgedInPlace.bind(objectId, at: 2)
            judgedInPlace.bind(place, at: 3)
            defer { judgedInPlace.reset() }
            if try judgedInPlace.step() { return try body(judgedInPlace) }
        }
        judged.bind(number, at: 1)
        judged.bind(objectId, at: 2)
        defer { judged.reset() }
        guard try judged.step() else { return }
        hints[key] = judged.integer(ObjectRow.columnCount)
        try body(judged)
    }

    /// Runs `body` on one consistent state, unless it would read more than a ``ReadAllowance``.
    ///
    /// - Throws: ``StoreError/timeout`` when it would, and what `body` throws.
    func inBoundedSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try inSnapshot {
            connection.setAllowance(ReadAllowance())
            defer { connection.setAllowance(nil) }
            return try body()
        }
    }

    /// Runs `body` on one consistent state.
    ///
    /// - Parameter limit: How long it may read; nil is as long as it likes.
    func inSnapshot<Result>(
        within limit: Duration? = nil, _ body: () throws -> Result
    ) throws -> Result {
        try begin.run()
        let result: Result
        do {
            if let limit { connection.setDeadline(.now + limit) }
            // Gone before the transaction's end, which is not to be stopped.
            defer { if limit != nil { connection.setDeadline(nil) } }
            result = try body()
        } catch {
            // A read transaction has nothing to undo: ending it either way is the same.
            if connection.isInTransaction { try end.run() }
            throw error
        }
        try end.run()
        return result
    }
}
