import Glibc

/// A file that bytes are read from, a piece at a time. Whoever owns the value owns the descriptor.
///
/// Reading blocks: it belongs on a thread of its own.
@safe package struct ByteFile: ~Copyable {
    /// How much is read at once: 256 KiB.
    package static let pieceBytes = 256 << 10

    private let descriptor: CInt
    private let closes: Bool
    /// Another way to the same file, for what opens files by itself.
    package let path: String
    /// The program whose output it is.
    private let program: ChildProgram?
    private var buffer: [UInt8] = []
    /// How many bytes were read since the beginning.
    package private(set) var readBytes = 0

    private init(
        descriptor: CInt, closes: Bool, path: String? = nil, program: ChildProgram? = nil
    ) {
        self.path = path ?? "/proc/self/fd/\(descriptor)"
        self.descriptor = descriptor
        self.closes = closes
        self.program = program
    }

    /// The output of a program, whose failure is an error at its end.
    init(output program: ChildProgram) {
        self.init(descriptor: program.takeOutput(), closes: true, program: program)
    }

    /// Creates a file that only its owner may read.
    ///
    /// - Throws: ``ImportError/file(operation:code:)``.
    init(creating path: String) throws(ImportError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(operation: "created", code: errno) }
        self.init(descriptor: descriptor, closes: true)
    }

    /// Opens a file for reading.
    ///
    /// - Throws: ``ImportError/file(operation:code:)``.
    package init(opening path: String) throws(ImportError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(operation: "opened", code: errno) }
        self.init(descriptor: descriptor, closes: true, path: path)
    }

    /// The standard input of the process, which is not closed.
    package static func standardInput() -> ByteFile {
        ByteFile(descriptor: STDIN_FILENO, closes: false)
    }

    /// Creates a file without a name in a directory: it is gone when the value is, whatever ends
    /// the process.
    ///
    /// - Throws: ``ImportError/file(operation:code:)``.
    package static func temporary(inDirectory directory: String) throws(ImportError) -> ByteFile {
        var template = Array((directory + "/import-XXXXXX").utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { name in
            unsafe name.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard descriptor >= 0 else { throw .file(operation: "created", code: errno) }
        // A program that is started meanwhile must not keep the bytes alive.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = unsafe template.withUnsafeBufferPointer { name in
            unsafe name.baseAddress.map { unsafe unlink($0) }
        }
        return ByteFile(descriptor: descriptor, closes: true)
    }

    deinit { if closes { close(descriptor) } }

    /// The length of a regular file; nil for a pipe or a terminal.
    package var size: Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    /// Whether the file can be read from the beginning again.
    package var canRewind: Bool { lseek(descriptor, 0, SEEK_CUR) >= 0 && size != nil }

    /// Goes back to the beginning.
    ///
    /// - Throws: ``ImportError/file(operation:code:)`` when it is a pipe.
    package mutating func rewind() throws(ImportError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw .file(operation: "rewound", code: errno)
        }
        readBytes = 0
    }

    /// Reads the next piece and lends it.
    ///
    /// - Returns: False, without a call, at the end of the file.
    /// - Throws: ``ImportError/file(operation:code:)``, and what `body` throws.
    package mutating func readPiece(
        _ body: (Span<UInt8>) throws(ImportError) -> Void
    ) throws(ImportError) -> Bool {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: ByteFile.pieceBytes) }
        var count = -1
        repeat {
            count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe read(descriptor, bytes.baseAddress, bytes.count)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .file(operation: "read", code: errno) }
        guard count > 0 else {
            if let program, !program.hasSucceeded() {
                throw .conversion(reason: program.complaint())
            }
            return false
        }
        readBytes += count
        try body(buffer.span.extracting(0..<count))
        return true
    }

    /// Writes bytes at the end.
    ///
    /// - Throws: ``ImportError/file(operation:code:)``, for example when the disk is full.
    package mutating func append(_ bytes: Span<UInt8>) throws(ImportError) {
        var place = 0
        while place < bytes.count {
            let rest = bytes.extracting(place..<bytes.count)
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .file(operation: "written", code: errno) }
            place += count
        }
    }
}
