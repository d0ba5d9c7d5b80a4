import Glibc

/// Writes a snapshot file under a temporary name, piece after piece, and then gives it its own.
///
/// Until ``finish()`` has succeeded the file of that name stays as it was; the temporary one goes
/// with this value.
package final class SnapshotFileWriter {
    /// After how many bytes the disk is made to write, so that the store's own commits do not wait
    /// for a whole file.
    private static let syncBytes = 32 << 20

    private let folder: String
    private let name: String
    private let label: SnapshotLabel
    private let descriptor: Int32
    private var end = SnapshotFileHeader.bytes
    private var syncedEnd = 0
    private var table: [UInt8] = []
    private var chunks: UInt64 = 0
    private var isFinished = false

    private var path: String { folder + "/" + name }
    private var temporaryPath: String { path + ".tmp" }

    /// Begins a file.
    ///
    /// - Throws: ``SnapshotFileError/inputOutput(code:)``.
    init(folder: String, name: String, label: SnapshotLabel) throws(SnapshotFileError) {
        self.folder = folder
        self.name = name
        self.label = label
        let temporary = folder + "/" + name + ".tmp"
        unsafe unlink(temporary)  // of a process that ended while it wrote
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        descriptor = unsafe open(temporary, flags, 0o600)
        guard descriptor >= 0 else { throw .inputOutput(code: errno) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unsafe unlink(temporaryPath) }
    }

    /// Appends a chunk.
    ///
    /// - Throws: ``SnapshotFileError/inputOutput(code:)``.
    package func append(_ chunk: Span<UInt8>) throws(SnapshotFileError) {
        try write(chunk, at: end)
        end += chunk.count
        table.append(number: UInt64(chunk.count))
        table.append(number: Checksum.of(chunk))
        chunks += 1
        if end - syncedEnd >= SnapshotFileWriter.syncBytes {
            try check(fdatasync(descriptor))
            syncedEnd = end
        }
    }

    /// Makes the file durable and puts it in the place of the former one.
    ///
    /// - Throws: ``SnapshotFileError/inputOutput(code:)``; the former file is still there then.
    package func finish() throws(SnapshotFileError) {
        let table = table
        try write(table.span, at: end)
        let header = SnapshotFileHeader(
            label: label, fileBytes: UInt64(end + table.count), chunks: chunks,
            tableHash: Checksum.of(table.span))
        let start = header.encoded
        try write(start.span, at: 0)
        try check(fsync(descriptor))
        try check(unsafe rename(temporaryPath, path))
        isFinished = true
        let opened = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try check(opened)
        defer { close(opened) }
        try check(fsync(opened))
    }

    private func write(_ bytes: Span<UInt8>, at offset: Int) throws(SnapshotFileError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.extracting(done...).withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .inputOutput(code: count == 0 ? ENOSPC : errno) }
            done += count
        }
    }

    private func check(_ result: Int32) throws(SnapshotFileError) {
        guard result >= 0 else { throw .inputOutput(code: errno) }
    }
}
