import Glibc

/// Why an archive was not made.
package enum ArchiveError: Error, Equatable {
    /// There is a file of that name, and it is not to be replaced.
    case targetExists
    /// Another process is writing an archive of that name.
    case isBeingWritten
    /// The file system failed, with the system's error number.
    case file(code: Int32)
    /// So much room is kept free for what else the disk is there for.
    case noRoom(reservedBytes: UInt64)
    /// The system gave no thread.
    case noThread
    /// Whoever asked for it has gone.
    case unwanted
    /// There is nothing that could be in it.
    case empty
}

extension ArchiveError: CustomStringConvertible {
    /// A sentence without a path.
    package var description: String {
        switch self {
        case .targetExists: "there is such a file already: --overwrite replaces it"
        case .isBeingWritten: "another export is writing this file"
        case .file(let code): "cannot be written: \(unsafe String(cString: strerror(code)))"
        case .noRoom(let bytes):
            "the disk is too full: \(bytes >> 20) MB are kept free for what else is written"
        case .noThread: "the system gave no thread to draw on"
        case .unwanted: "nobody waits for the archive any more"
        case .empty: "nothing lies there: no tile of these zooms would hold anything"
        }
    }
}
