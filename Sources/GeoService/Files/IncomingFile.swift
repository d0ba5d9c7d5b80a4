import Glibc
import Synchronization

/// A file on its way into the folder: it goes when nobody holds it any more, unless it was given
/// its place. Written by one thread at a time.
final class IncomingFile: Sendable {
    let descriptor: Int32
    private let path: String
    /// Whether it has its place, or is gone.
    private let isSettled = Atomic(false)

    init(path: String) throws(FileError) {
        self.path = path
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileError() }
    }

    deinit {
        discard()
        close(descriptor)
    }

    /// Takes the file out of its folder, unless it was given its place: so that nothing of it is
    /// left when its client is answered. What was written can still be read here.
    func discard() {
        if !isSettled.exchange(true, ordering: .relaxed) { unsafe unlink(path) }
    }

    /// Appends bytes where the last ones ended.
    ///
    /// - Throws: ``FileError``.
    func append(_ bytes: [UInt8]) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(
                    descriptor, $0.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw count == 0 ? FileError.noRoom : FileError() }
            done += count
        }
    }

    /// Puts bytes in the place of others.
    ///
    /// - Throws: ``FileError``.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
        }
        guard count == bytes.count else { throw count < 0 ? FileError() : .noRoom }
    }

    /// The bytes at a place; fewer when the file ends before.
    ///
    /// - Throws: ``FileError``.
    func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        try Self.read(descriptor, at: offset, count: count)
    }

    static func read(
        _ descriptor: Int32, at offset: Int, count: Int
    ) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            filled = 0
            while filled < count {
                let got = unsafe pread(
                    descriptor, room.baseAddress.map { unsafe $0 + filled }, count - filled,
                    off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { code = errno }
                if got <= 0 { break }
                filled += got
            }
        }
        guard code == 0 else { throw FileError(code) }
        return bytes
    }

    /// How long the file is, in bytes.
    ///
    /// - Throws: ``FileError``.
    func byteCount() throws(FileError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError() }
        return Int(status.st_size)
    }

    func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError() }
    }

    func move(to place: String) throws(FileError) {
        guard unsafe rename(path, place) == 0 else { throw FileError() }
        isSettled.store(true, ordering: .relaxed)
    }
}
