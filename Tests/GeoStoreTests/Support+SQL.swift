import CSQLite
import Testing

/// What the tables hold, and changes of them by other tools.
extension Scratch {
    /// Runs statements on the database file.
    func execute(_ sql: String) throws {
        try unsafe withDatabase { handle in
            let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
            try #require(code == SQLITE_OK)
        }
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws -> Int? {
        try texts(sql, column: 0).first.flatMap { Int($0) }
    }

    /// One column of all rows, as text.
    func texts(_ sql: String, column: Int32) throws -> [String] {
        try unsafe withDatabase { handle in
            var statement: OpaquePointer?
            let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
            try #require(code == SQLITE_OK)
            defer { unsafe sqlite3_finalize(statement) }
            var texts: [String] = []
            while unsafe sqlite3_step(statement) == SQLITE_ROW {
                guard let text = unsafe sqlite3_column_text(statement, column) else { continue }
                texts.append(unsafe String(cString: text))
            }
            return texts
        }
    }

    private func withDatabase<Value>(_ body: (OpaquePointer) throws -> Value) throws -> Value {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open(path + "/geoservice.sqlite", &opened)
        defer { unsafe sqlite3_close(opened) }
        try #require(code == SQLITE_OK)
        let handle = try unsafe #require(opened)
        return try unsafe body(handle)
    }
}
