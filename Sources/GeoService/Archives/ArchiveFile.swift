import Glibc

/// A file that is written at its end and read anywhere: where tiles wait until their archive is
/// whole.
final class ArchiveFile {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// How much is in the file itself.
    private var writtenBytes: Int

    /// After how many bytes they go to the file.
    private static let bufferBytes = 1 << 20

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - startBytes: What is left free at its start.
    ///   - isShared: Whether another process may have opened it to write, which is an error then.
    /// - Throws: ``ArchiveError``.
    init(path: String, startBytes: Int, isShared: Bool) throws(ArchiveError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        descriptor = unsafe open(path, flags | (isShared ? 0 : O_EXCL), 0o644)
        guard descriptor >= 0 else { throw .file(code: errno) }
        writtenBytes = startBytes
        if isShared, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            close(descriptor)
            throw code == EWOULDBLOCK ? .isBeingWritten : .file(code: code)
        }
    }

    deinit { close(descriptor) }

    /// How long the file is, with what has not been written yet.
    var end: Int { writtenBytes + buffer.count }

    /// Makes the file end there: what is behind is forgotten.
    func cut(at end: Int) throws(ArchiveError) {
        buffer.removeAll(keepingCapacity: true)
        guard ftruncate(descriptor, off_t(end)) == 0 else { throw .file(code: errno) }
        writtenBytes = end
    }

    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws(ArchiveError) {
        buffer += bytes
        if buffer.count >= ArchiveFile.bufferBytes { try flush() }
    }

    /// Writes all that was appended.
    func flush() throws(ArchiveError) {
        try write(buffer, at: writtenBytes)
        writtenBytes += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes bytes at a place.
    func write(_ bytes: [UInt8], at place: Int) throws(ArchiveError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(
                    descriptor, $0.baseAddress.map { unsafe $0 + done }, bytes.count - done,
                    off_t(place + done))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .file(code: count == 0 ? ENOSPC : errno) }
            done += count
        }
    }

    /// The bytes at a place that were flushed; fewer when the file ends before.
    func read(at place: Int, count: Int) throws(ArchiveError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            filled = 0
            while filled < count {
                let got = unsafe pread(
                    descriptor, room.baseAddress.map { unsafe $0 + filled }, count - filled,
                    off_t(place + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { code = errno }
                if got <= 0 { break }
                filled += got
            }
        }
        guard code == 0 else { throw .file(code: code) }
        return bytes
    }

    /// Makes all of it durable.
    func sync() throws(ArchiveError) {
        try flush()
        guard fsync(descriptor) == 0 else { throw .file(code: errno) }
    }

    /// The bytes that programs other than this one could still write to the file's disk.
    func freeBytes() throws(ArchiveError) -> UInt64 {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw .file(code: errno) }
        let (free, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return isMore ? .max : free
    }
}

/// Names of files, and what is done with them.
enum ArchivePath {
    /// The folder of a path and the name in it.
    static func parts(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    /// Whether there is something of that name.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Gives a file another name in its folder, durably.
    static func rename(_ path: String, to target: String) throws(ArchiveError) {
        guard unsafe Glibc.rename(path, target) == 0 else { throw .file(code: errno) }
        let folder = unsafe open(parts(target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .file(code: errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .file(code: errno) }
    }

    /// Takes a file away, if there is one.
    static func remove(_ path: String) { unsafe unlink(path) }

    /// Makes a file durable that another library has written.
    static func sync(_ path: String) throws(ArchiveError) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .file(code: errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .file(code: errno) }
    }
}
