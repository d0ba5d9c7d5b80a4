import Glibc

/// Reads a snapshot file. Any thread may read any chunk.
package struct SnapshotFileReader: Sendable {
    let label: SnapshotLabel
    private let file: OpenFile
    /// Where the chunks begin and, at the end, where the last one ends.
    private let offsets: [Int]
    private let hashes: [UInt64]

    /// How many chunks there are.
    package var count: Int { hashes.count }

    /// Opens a file and proves its header and its table of chunks.
    ///
    /// - Throws: ``SnapshotFileError``: `missing`, `foreign`, `damaged`, `inputOutput`.
    init(path: String) throws(SnapshotFileError) {
        let file = try OpenFile(path: path)
        let size = try file.size()
        let start = try file.read(at: 0, count: min(size, SnapshotFileHeader.bytes))
        let header = try SnapshotFileHeader(start.span)
        guard header.fileBytes == UInt64(size) else { throw .damaged(what: "its length") }
        let room = (size - SnapshotFileHeader.bytes) / 16
        guard header.chunks <= UInt64(room) else { throw .damaged(what: "its table") }
        let chunks = Int(header.chunks)
        let end = size - 16 * chunks
        let table = try file.read(at: end, count: 16 * chunks)
        guard Checksum.of(table.span) == header.tableHash else { throw .damaged(what: "its table") }
        var offset = SnapshotFileHeader.bytes
        var offsets = [offset]
        var hashes: [UInt64] = []
        for chunk in 0..<chunks {
            let length = table.span.number(at: 16 * chunk)
            guard length <= UInt64(end - offset) else { throw .damaged(what: "its table") }
            offset += Int(length)
            offsets.append(offset)
            hashes.append(table.span.number(at: 16 * chunk + 8))
        }
        guard offset == end else { throw .damaged(what: "its table") }
        label = header.label
        self.file = file
        self.offsets = offsets
        self.hashes = hashes
    }

    /// A chunk's bytes, proved.
    ///
    /// - Precondition: `index` is below ``count``.
    /// - Throws: ``SnapshotFileError``: `damaged`, `inputOutput`.
    package func chunk(_ index: Int) throws(SnapshotFileError) -> [UInt8] {
        let bytes = try file.read(at: offsets[index], count: offsets[index + 1] - offsets[index])
        guard Checksum.of(bytes.span) == hashes[index] else {
            throw .damaged(what: "chunk \(index)")
        }
        return bytes
    }
}

/// A file that is open for reading, by any thread.
private final class OpenFile: Sendable {
    private let descriptor: Int32

    init(path: String) throws(SnapshotFileError) {
        // A pipe in the place of the file must not hold up the start.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .missing : .inputOutput(code: errno)
        }
    }

    deinit { close(descriptor) }

    func size() throws(SnapshotFileError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .inputOutput(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign }
        return Int(status.st_size)
    }

    func read(at offset: Int, count: Int) throws(SnapshotFileError) -> [UInt8] {
        var failure: SnapshotFileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let all = UnsafeMutableRawBufferPointer(buffer)
            while filled < count {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[filled..<count])
                let got = unsafe pread(
                    descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else {
                    failure = got == 0 ? .damaged(what: "its length") : .inputOutput(code: errno)
                    return
                }
                filled += got
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
