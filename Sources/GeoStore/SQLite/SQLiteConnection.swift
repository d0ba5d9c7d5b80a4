import CSQLite

/// One SQLite connection, used by one thread at a time.
///
/// `@unchecked Sendable`: the reader pool and the writer thread each guard that only one thread
/// holds a connection at any time, and pass it on under a lock.
@safe final class SQLiteConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let bound = ReadBound()

    /// What the connection may do.
    enum Mode {
        case readOnly, readWrite
    }

    /// How long a statement waits for another connection's lock.
    private static let busyTimeoutMilliseconds: Int32 = 5000
    /// How long a checkpoint waits for readers; all writes wait meanwhile.
    private static let checkpointWaitMilliseconds: Int32 = 100

    /// Opens a database file that exists.
    ///
    /// - Throws: ``StoreError`` when it cannot be opened.
    init(path: String, mode: Mode) throws(StoreError) {
        var raw: OpaquePointer?
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        // NOMUTEX: the library's own lock is not needed with one thread at a time.
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &raw, flags, nil)
        guard code == SQLITE_OK, let raw = unsafe raw else {
            unsafe sqlite3_close_v2(raw)  // SQLite allocates a handle even when it fails
            throw StoreError(sqliteCode: code)
        }
        unsafe handle = raw
        unsafe sqlite3_busy_timeout(handle, SQLiteConnection.busyTimeoutMilliseconds)
        let defensive = unsafe csqlite_set_defensive(handle)
        guard defensive == SQLITE_OK else { throw StoreError(sqliteCode: defensive) }
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Ends statements with ``StoreError/timeout`` from this moment on; nil lets them run.
    func setDeadline(_ moment: ContinuousClock.Instant?) {
        bound.moment = moment
        watch(moment != nil)
    }

    /// Bounds how much is read from now on; nil lifts the bound. What is beyond it ends with
    /// ``StoreError/timeout``.
    func setAllowance(_ allowance: ReadAllowance?) {
        bound.allowance = allowance
        // A value that is longer is refused before it is copied. Too great a limit is the greatest.
        unsafe sqlite3_limit(
            handle, SQLITE_LIMIT_LENGTH, Int32(clamping: allowance?.bytes ?? .max))
        watch(allowance != nil)
    }

    /// Whether what is read is bounded by an allowance.
    var hasAllowance: Bool { bound.allowance != nil }

    /// Takes what is read from the allowance, where there is one.
    ///
    /// - Throws: ``StoreError/timeout`` beyond the allowance, and when the deadline has passed.
    func take(rows: Int, bytes: Int = 0) throws(StoreError) {
        guard bound.take(rows: rows, bytes: bytes), !bound.hasPassed else { throw .timeout }
    }

    /// - Throws: ``StoreError/timeout`` when the deadline has passed.
    func checkDeadline() throws(StoreError) {
        if bound.hasPassed { throw .timeout }
    }

    private func watch(_ isWatched: Bool) {
        // One step may read a whole document.
        unsafe sqlite3_progress_handler(
            handle, isWatched ? ReadBound.turnSteps : 0,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<ReadBound>.fromOpaque(context)
                    ._withUnsafeGuaranteedRef { $0.mayTurn() ? 0 : 1 }
            }, Unmanaged.passUnretained(bound).toOpaque())
    }

    /// Runs statements of this program's own that take no values and give no rows.
    func execute(_ sql: String) throws(StoreError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(sqliteCode: code) }
    }

    /// The first column of the first row of a statement of this program's own.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try SQLiteStatement(self, sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Prepares a statement; see ``SQLiteStatement``.
    func prepare(_ sql: String) throws(StoreError) -> OpaquePointer {
        var raw: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &raw, nil)
        guard code == SQLITE_OK, let raw = unsafe raw else { throw StoreError(sqliteCode: code) }
        return unsafe raw
    }

    /// How many rows the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// False after SQLite has ended a transaction by itself, as it may when the disk is full.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The rowid of the last insert.
    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Moves the write-ahead log into the database and cuts the log to nothing, waiting for
    /// readers for a fraction of a second. Gives false when one kept it from finishing.
    func checkpointAndTruncate() -> Bool {
        unsafe sqlite3_busy_timeout(handle, SQLiteConnection.checkpointWaitMilliseconds)
        defer { unsafe sqlite3_busy_timeout(handle, SQLiteConnection.busyTimeoutMilliseconds) }
        return unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
    }
}

extension StoreError {
    /// The error of an (extended) SQLite result code.
    init(sqliteCode code: Int32) {
        switch code & 0xFF {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
            self = .inputOutput(code: code)
        case SQLITE_CORRUPT: self = .corrupt
        case SQLITE_NOTADB: self = .notADatabase
        case SQLITE_NOMEM: self = .outOfMemory
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        // Too big is what an allowance does not let through: nothing that is stored is.
        case SQLITE_INTERRUPT, SQLITE_TOOBIG: self = .timeout
        default: self = .database(code: code)
        }
    }
}
