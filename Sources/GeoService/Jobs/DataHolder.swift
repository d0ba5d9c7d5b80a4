import GeoStore
import Glibc

/// Who has a data directory: a server that a command goes through, or nobody, so that the command
/// takes it itself.
package enum DataHolder {
    case server(RemoteService)
    case nobody(OfflineService)

    /// Whether there is such a directory.
    package static func exists(_ directory: String) -> Bool { unsafe access(directory, F_OK) == 0 }

    /// Looks at a directory, and takes it when it is free.
    ///
    /// - Parameter mustExist: Whether a directory that is not there is an error, and not made.
    /// - Throws: ``StoreError``, ``SettingError``.
    package init(of directory: String, mustExist: Bool) throws {
        if mustExist, !DataHolder.exists(directory) {
            throw SettingError("--data", "names a directory that is not there: \(directory)")
        }
        do {
            self = .nobody(try OfflineService(dataDirectory: directory))
        } catch StoreError.locked(let holder) {
            // Another command has no note; a server that is starting or stopping neither.
            guard let note = try ServerNote(inDirectory: directory) else {
                throw StoreError.locked(processID: holder)
            }
            self = .server(RemoteService(note))
        }
    }
}
