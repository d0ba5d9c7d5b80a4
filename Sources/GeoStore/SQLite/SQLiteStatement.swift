import CSQLite

/// A prepared statement, kept for reuse. Places of values count from 1, of columns from 0.
///
/// Use: bind, step through the rows, ``reset()``. A binding that fails (no memory) shows at the
/// next step, which then throws.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection
    private var bindingCode = SQLITE_OK

    /// Prepares a statement of this program's own.
    init(_ connection: SQLiteConnection, _ sql: String) throws(StoreError) {
        self.connection = connection
        unsafe handle = try connection.prepare(sql)
    }

    deinit { unsafe sqlite3_finalize(handle) }

    func bind(_ value: Int64?, at place: Int32) {
        if let value {
            note(unsafe sqlite3_bind_int64(handle, place, value))
        } else {
            note(unsafe sqlite3_bind_null(handle, place))
        }
    }

    func bind(_ value: Double?, at place: Int32) {
        if let value {
            note(unsafe sqlite3_bind_double(handle, place, value))
        } else {
            note(unsafe sqlite3_bind_null(handle, place))
        }
    }

    func bind(_ value: String?, at place: Int32) {
        guard var value else {
            note(unsafe sqlite3_bind_null(handle, place))
            return
        }
        let code = value.withUTF8 { utf8 in
            unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
                // An empty string may have no address, which SQLite would take for null.
                guard let start = characters.baseAddress else {
                    return unsafe csqlite_bind_text(handle, place, "", 0)
                }
                return unsafe csqlite_bind_text(handle, place, start, Int32(clamping: utf8.count))
            }
        }
        note(code)
    }

    func bind(_ value: [UInt8]?, at place: Int32) {
        guard let value else {
            note(unsafe sqlite3_bind_null(handle, place))
            return
        }
        let code = unsafe value.withUnsafeBytes { bytes in
            // An empty one may have no address, which SQLite would take for null.
            guard let start = bytes.baseAddress else {
                return unsafe sqlite3_bind_zeroblob(handle, place, 0)
            }
            return unsafe csqlite_bind_blob(handle, place, start, Int32(clamping: bytes.count))
        }
        note(code)
    }

    /// Goes to the next row; false when there is none.
    func step() throws(StoreError) -> Bool {
        guard bindingCode == SQLITE_OK else { throw StoreError(sqliteCode: bindingCode) }
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw StoreError(sqliteCode: code)
        }
    }

    /// Runs a statement without rows and makes it ready for the next use.
    func run() throws(StoreError) {
        defer { reset() }
        while try step() {}
    }

    /// Ends the statement, so that it holds no lock and can be bound anew.
    func reset() {
        unsafe sqlite3_reset(handle)  // repeats the last step's code, which was seen
        bindingCode = SQLITE_OK
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
    func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
    func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

    /// How many bytes a blob has.
    func byteCount(_ column: Int32) -> Int { unsafe Int(sqlite3_column_bytes(handle, column)) }

    /// The bytes of a blob; none for null.
    func bytes(_ column: Int32) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Lends the bytes of a blob; nothing for null.
    func withBlob<Result, Failure: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return try unsafe body(Span(_unsafeBytes: bytes))
    }

    private func note(_ code: Int32) {
        if code != SQLITE_OK { bindingCode = code }
    }
}
