import Glibc

/// A stream of the process: standard output or standard error.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    fileprivate let descriptor: Int32

    /// Whether a person looks at it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The width of the terminal in characters, or 80.
    var columns: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    /// Writes all bytes.
    ///
    /// - Returns: 0, or the system's error number, such as `EPIPE` when nobody reads any more.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int32 {
        var place = 0
        while place < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(
                    descriptor, all.baseAddress.map { unsafe $0 + place }, bytes.count - place)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return errno }
            place += count
        }
        return 0
    }
}

/// A file that a command makes.
struct OutputFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Opens a file, making it or emptying it.
    ///
    /// - Throws: ``OutputError``.
    init(_ path: String) throws(OutputError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw OutputError(path, errno) }
    }

    deinit { close(descriptor) }

    /// Writes all bytes.
    ///
    /// - Throws: ``OutputError``.
    func write(_ bytes: [UInt8]) throws(OutputError) {
        let code = Output(descriptor: descriptor).write(bytes)
        guard code == 0 else { throw OutputError(path, code) }
    }
}

/// Why a file could not be written.
struct OutputError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ code: Int32) {
        description = "\(path) cannot be written: \(unsafe String(cString: strerror(code)))"
    }
}
