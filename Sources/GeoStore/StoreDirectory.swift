import Glibc

/// The data directory of one store, held by one process: `flock` on the file `lock` in it.
///
/// The system gives the lock back when the process ends, however it ends.
package final class StoreDirectory: Sendable {
    /// The directory's path.
    package let path: String
    private let lockDescriptor: Int32

    /// The path of the database in it.
    package var databasePath: String { path + "/geoservice.sqlite" }

    private static let directoryMode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600

    /// Makes the directory when there is none (mode 0700; its parent must exist) and locks it.
    ///
    /// - Throws: ``StoreError/locked(processID:)`` when another process, or another value in this
    ///   one, holds it; ``StoreError/directoryNotUsable(reason:)``.
    package init(path: String) throws(StoreError) {
        self.path = path
        if unsafe mkdir(path, StoreDirectory.directoryMode) != 0, errno != EEXIST {
            throw StoreDirectory.failure("cannot be made")
        }
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(path + "/lock", flags, StoreDirectory.fileMode)
        guard descriptor >= 0 else { throw StoreDirectory.failure("its lock cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = StoreDirectory.readHolder(descriptor)
            close(descriptor)
            if code == EWOULDBLOCK { throw .locked(processID: holder) }
            throw StoreDirectory.failure("it cannot be locked", code: code)
        }
        lockDescriptor = descriptor
        writeHolder()
    }

    deinit { close(lockDescriptor) }

    /// Makes the database file when there is none, with mode 0600 and durably named, since the
    /// database library would make it readable for others.
    func createDatabaseFile() throws(StoreError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(databasePath, flags, StoreDirectory.fileMode)
        guard descriptor >= 0 else {
            throw StoreDirectory.failure("the database file cannot be opened")
        }
        close(descriptor)
        for directory in [path, path + "/.."] {
            let opened = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            // A parent that may not be read cannot be synchronised; the directory itself must.
            guard opened >= 0 else {
                if directory == path { throw StoreDirectory.failure("it cannot be opened") }
                continue
            }
            fsync(opened)
            close(opened)
        }
    }

    /// The size of the database's write-ahead log, in bytes.
    func logBytes() -> Int {
        var status = stat()
        guard unsafe stat(databasePath + "-wal", &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    /// Notes this process in the lock file, for the message that others give.
    private func writeHolder() {
        let text = Array("\(getpid())\n".utf8)
        // Only a note: without it the message names no process.
        if ftruncate(lockDescriptor, 0) == 0 {
            _ = unsafe text.withUnsafeBytes {
                unsafe pwrite(lockDescriptor, $0.baseAddress, $0.count, 0)
            }
        }
    }

    private static func readHolder(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe text.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        guard count > 0 else { return nil }
        let digits = text.prefix(count).prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    private static func failure(_ what: String, code: Int32 = errno) -> StoreError {
        .directoryNotUsable(reason: "\(what): \(unsafe String(cString: strerror(code)))")
    }
}
