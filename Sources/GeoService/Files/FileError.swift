import Glibc

/// Why a file cannot be kept or read: what the system says, as an `errno`.
struct FileError: Error, CustomStringConvertible {
    let code: Int32

    init(_ code: Int32 = errno) { self.code = code }

    var description: String { unsafe String(cString: strerror(code)) }

    /// The disk has less room than is left to the store.
    static let noRoom = FileError(ENOSPC)
}

extension ParseErrors {
    /// What a client is told of a disk that fails: to try again later, since it is not its fault.
    static func report(of error: FileError) -> Report {
        Log.warning("a file could not be kept or read: \(error)")
        return Report(
            .serviceUnavailable, code: ParseCode.fileSave.rawValue,
            "the service cannot keep or read files now", retryAfterSeconds: 30)
    }
}
