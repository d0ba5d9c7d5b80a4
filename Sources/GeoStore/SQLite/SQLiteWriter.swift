/// The writing connection with its statements and the state of the open group.
///
/// `@unchecked Sendable`: made by the opener, handed to the writer thread before that begins, and
/// used by it alone from then on.
final class SQLiteWriter: @unchecked Sendable {
    let connection: SQLiteConnection
    let lookup: SQLiteLookup
    let objects: SQLiteObjectWriter
    let catalogWriter: SQLiteCatalogWriter
    let identifiers: SQLiteStatement
    let keyLookup: SQLiteKeyLookup
    let keys: SQLiteKeyWriter
    let secretLookup: SQLiteSecretLookup
    let secrets: SQLiteSecretWriter
    let relationLookup: SQLiteRelationLookup
    let relations: SQLiteRelationWriter
    let indexes: SQLiteIndexWriter
    let counts: SQLiteRuleCounts
    /// Set while an object is written as rules have it, which clients may not write so.
    var isMakingByRules = false
    private let positions: SQLitePositionWriter
    var encoder = DocumentEncoder()
    /// The classes, with what the open group has added.
    var catalog: SchemaCatalog
    /// What need not be judged again; never more than `catalog` has.
    var knownFields = KnownFields()
    /// What the open group has done so far, in order.
    var changes: [DocumentChange] = []
    /// Bytes of bodies that the open group has written.
    var writtenBytes = 0
    /// Whether a secret was removed or replaced since the log was cut: its copies are still in the
    /// log. Also set by what was undone then, which costs no more than a cut.
    var hasDroppedSecrets = false
    /// The shortest time between two cuts of the log for the sake of secrets.
    static let secretCutInterval = Duration.seconds(10)
    private var lastSecretCut: ContinuousClock.Instant?
    let maximumDocumentBytes: Int
    /// The size of the log at which it is cut next.
    var checkpointAtBytes: Int
    /// Set when the group as a whole cannot be kept.
    private(set) var groupFailure: StoreError?

    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let rollback: SQLiteStatement
    private let jobSavepoint: Savepoint
    private let partSavepoint: Savepoint
    private var committedCatalog: SchemaCatalog

    init(path: String, options: StoreOptions) throws(StoreError) {
        connection = try SQLiteConnection(path: path, mode: .readWrite)
        try SQLiteMigration.migrate(connection)
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA secure_delete = FAST;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -65536;
            PRAGMA wal_autocheckpoint = 4096;
            PRAGMA journal_size_limit = \(options.maximumLogBytes);
            """)
        if let limit = options.maximumDatabaseBytes {
            let pageBytes = try connection.integer("PRAGMA page_size") ?? 4096
            _ = try connection.integer(
                "PRAGMA max_page_count = \(max(1, Int64(limit) / pageBytes))")
        }
        let limits = SchemaCatalog.Limits(
            classes: options.maximumClasses, fieldsPerClass: options.maximumFieldsPerClass)
        catalog = try SQLiteCatalog.load(connection, limits: limits)
        committedCatalog = catalog
        maximumDocumentBytes = options.maximumDocumentBytes
        checkpointAtBytes = options.maximumLogBytes
        lookup = try SQLiteLookup(connection, SQLiteDocumentDecoder())
        objects = try SQLiteObjectWriter(connection)
        catalogWriter = try SQLiteCatalogWriter(connection)
        identifiers = try SQLiteStatement(
            connection, "SELECT id FROM objects WHERE class = ?1 ORDER BY id")
        keyLookup = try SQLiteKeyLookup(connection)
        keys = try SQLiteKeyWriter(connection)
        secretLookup = try SQLiteSecretLookup(connection)
        secrets = try SQLiteSecretWriter(connection)
        relationLookup = try SQLiteRelationLookup(connection)
        relations = try SQLiteRelationWriter(connection)
        indexes = try SQLiteIndexWriter(connection)
        counts = try SQLiteRuleCounts(connection)
        positions = try SQLitePositionWriter(connection)
        begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
        commit = try SQLiteStatement(connection, "COMMIT")
        rollback = try SQLiteStatement(connection, "ROLLBACK")
        jobSavepoint = try Savepoint(connection, name: "job")
        partSavepoint = try Savepoint(connection, name: "part")
    }

    /// The statements that begin, keep and undo a part of a transaction.
    private struct Savepoint {
        let open: SQLiteStatement
        let release: SQLiteStatement
        let undo: SQLiteStatement

        init(_ connection: SQLiteConnection, name: StaticString) throws(StoreError) {
            open = try SQLiteStatement(connection, "SAVEPOINT \(name)")
            release = try SQLiteStatement(connection, "RELEASE \(name)")
            undo = try SQLiteStatement(connection, "ROLLBACK TO \(name)")
        }
    }

    /// Whether the log is to be cut because a secret was removed.
    var isSecretCutDue: Bool {
        guard hasDroppedSecrets else { return false }
        return lastSecretCut.map { ContinuousClock.now - $0 >= Self.secretCutInterval } ?? true
    }

    /// Notes that the log was cut, or that a reader prevented it.
    func noteCut(succeeded: Bool) {
        if hasDroppedSecrets { lastSecretCut = .now }
        if succeeded { hasDroppedSecrets = false }
    }

    /// Begins a group of jobs.
    func beginGroup() throws(StoreError) {
        groupFailure = nil
        writtenBytes = 0
        if connection.isInTransaction { try rollback.run() }
        try begin.run()
    }

    /// Makes the group durable and gives its changes and the position of the classes in which it
    /// changed located objects; nothing of it is kept when this throws.
    func commitGroup() throws(StoreError) -> ([DocumentChange], CommitPosition) {
        if let groupFailure { throw groupFailure }
        try requireTransaction()
        let position = try positions.advance(changes, catalog)
        try commit.run()
        committedCatalog = catalog
        objects.readerSets.keep()
        let done = changes
        changes = []
        return (done, position)
    }

    /// Undoes the group after a failure.
    func abandonGroup() {
        // A failure here shows again when the next group begins, which then fails.
        if connection.isInTransaction { try? rollback.run() }
        catalog = committedCatalog
        knownFields.forget()
        objects.readerSets.forget()
        indexes.forget()
        changes = []
    }

    /// Runs one job of the group; what it did is undone when it throws.
    func runJob<Value>(_ job: (inout WriteTransaction) throws -> Value) throws -> Value {
        try run(job, in: jobSavepoint)
    }

    /// Runs a part of a job; what it did is undone when it throws.
    func runPart<Value>(_ part: (inout WriteTransaction) throws -> Value) throws -> Value {
        try run(part, in: partSavepoint)
    }

    private func run<Value>(
        _ body: (inout WriteTransaction) throws -> Value, in savepoint: Savepoint
    ) throws -> Value {
        let catalogBefore = catalog
        let changesBefore = changes.count
        try savepoint.open.run()
        do {
            var transaction = WriteTransaction(self)
            let value = try body(&transaction)
            try requireTransaction()
            try savepoint.release.run()
            return value
        } catch {
            catalog = catalogBefore
            knownFields.forget()
            objects.readerSets.forget()
            indexes.forget()
            changes.removeSubrange(changesBefore...)
            undo(savepoint, after: error)
            throw error
        }
    }

    /// Guards each statement of a job: SQLite ends a transaction by itself when the disk is full,
    /// and what follows would be committed at once.
    func requireTransaction() throws(StoreError) {
        guard connection.isInTransaction else { throw groupFailure ?? .diskFull }
    }

    private func undo(_ savepoint: Savepoint, after error: any Error) {
        guard connection.isInTransaction else {
            groupFailure = error as? StoreError ?? .diskFull
            return
        }
        do throws(StoreError) {
            try savepoint.undo.run()
            try savepoint.release.run()
        } catch {
            groupFailure = error
        }
    }
}
