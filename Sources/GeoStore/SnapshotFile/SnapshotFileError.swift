import Glibc

/// Why a snapshot file was not used, or not written.
package enum SnapshotFileError: Error, Equatable, Sendable {
    /// There is no file.
    case missing
    /// The file is of another state of the store, or of another layer's settings.
    case stale
    /// The file was written by another version of this program, or is none of its files.
    case foreign
    /// The file is not what was written.
    case damaged(what: String)
    /// Writing the file would take the room that the store needs.
    case noRoom(neededBytes: Int)
    /// The file system failed.
    case inputOutput(code: Int32)
}

extension SnapshotFileError: CustomStringConvertible {
    /// Half a sentence for the operator: no path.
    package var description: String {
        switch self {
        case .missing: "there is none"
        case .stale: "it is not of the store's present state"
        case .foreign: "it is of another version"
        case .damaged(let what): "it is damaged: \(what)"
        case .noRoom(let bytes): "the disk has too little room for \(bytes) bytes"
        case .inputOutput(let code): unsafe String(cString: strerror(code))
        }
    }
}
