/// Why the store did not do what it was asked.
package enum StoreError: Error, Equatable, Sendable {
    /// The data directory cannot be made, opened or written.
    case directoryNotUsable(reason: String)
    /// Another process holds the data directory.
    case locked(processID: Int32?)
    /// The database file is not a database.
    case notADatabase
    /// The database file belongs to another program.
    case foreignDatabase
    /// The database was written by a newer version of this program.
    case newerVersion(found: Int, known: Int)
    /// The database file is damaged.
    case corrupt
    /// Too much is waiting; try again later.
    case busy
    /// A read took longer than its caller allows.
    case timeout
    /// The store was closed.
    case closed
    /// There is an object of that id already.
    case objectExists(className: String, objectId: String)
    /// There is no object of that id.
    case objectNotFound(className: String, objectId: String)
    /// One document is larger than the store takes.
    case documentTooLarge(bytes: Int, limitBytes: Int)
    /// Another object has the key.
    case keyTaken(UniqueKey, by: String)
    /// A key, a secret or a class's settings are larger than the store takes.
    case valueTooLarge(name: String, bytes: Int, limitBytes: Int)
    /// The disk, or the database's size limit, is full. Nothing of the group was kept.
    case diskFull
    /// The file system failed. Nothing of the group was kept.
    case inputOutput(code: Int32)
    /// There is no memory left.
    case outOfMemory
    /// Any other failure of the database, with SQLite's extended result code.
    case database(code: Int32)
}

extension StoreError: CustomStringConvertible {
    /// A sentence that may be shown to a client: no path, no SQL.
    package var description: String {
        switch self {
        case .directoryNotUsable(let reason): "the data directory cannot be used: \(reason)"
        case .locked(let processID?): "the data directory is in use by process \(processID)"
        case .locked(nil): "the data directory is in use by another process"
        case .notADatabase: "the database file is not a database"
        case .foreignDatabase: "the database file belongs to another program"
        case .newerVersion(let found, let known):
            "the database has version \(found), this program knows versions up to \(known)"
        case .corrupt: "the database file is damaged"
        case .busy: "too many requests are waiting for the store; try again later"
        case .timeout: "the query takes too long: ask for less of it"
        case .closed: "the store is closed"
        case .objectExists(let className, let id): "\(className) has an object \(id) already"
        case .objectNotFound(let className, let id): "\(className) has no object \(id)"
        case .documentTooLarge(let bytes, let limit):
            "the object has \(bytes) bytes, more than the \(limit) allowed"
        case .keyTaken(let key, _): "another object has this \(key.scope) already"
        case .valueTooLarge(let name, let bytes, let limit):
            "\(name) has \(bytes) bytes, more than the \(limit) allowed"
        case .diskFull: "the disk is full; this write was not stored"
        case .inputOutput(let code): "the disk failed (\(code)); this write was not stored"
        case .outOfMemory: "the store has no memory left"
        case .database(let code): "the database failed (\(code))"
        }
    }
}
