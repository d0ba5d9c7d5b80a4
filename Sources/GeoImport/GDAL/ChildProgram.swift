import Glibc

/// A program that was started with fixed arguments, without a shell, and whose output is read.
///
/// It gets no input and only the environment that it is given. It is killed
/// when its owner goes before it has ended.
@safe final class ChildProgram {
    private let identifier: pid_t
    /// Where its standard output comes; -1 once it was given away.
    private var output: CInt
    /// A file without a name that its complaints go to.
    private let complaints: CInt
    private var status: CInt?

    /// What bounds it, by util-linux's `prlimit`: 4 GiB of memory, four hours of computing, 64 MiB
    /// in any file that a library keeps beside a database, and no core dump.
    private static let limiter = "/usr/bin/prlimit"
    private static let limits = [
        "--as=4294967296", "--cpu=14400", "--fsize=67108864", "--core=0",
    ]

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: All but the first, which is its name.
    ///   - directory: Where its complaints wait, in a file that has no name.
    /// - Throws: ``ImportError/file(operation:code:)``.
    init(
        _ path: String, _ arguments: [String], environment: [String], directory: String
    ) throws(ImportError) {
        var template = Array((directory + "/complaints-XXXXXX").utf8CString)
        let complaints = unsafe template.withUnsafeMutableBufferPointer { name in
            unsafe name.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard complaints >= 0 else { throw .file(operation: "created", code: errno) }
        _ = unsafe template.withUnsafeBufferPointer { name in
            unsafe name.baseAddress.map { unsafe unlink($0) }
        }
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            let code = errno
            close(complaints)
            throw .file(operation: "created", code: code)
        }
        // No other program may keep them open.
        for descriptor in ends + [complaints] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, complaints, 2)
        var child = pid_t()
        let words = [ChildProgram.limiter] + ChildProgram.limits + [path] + arguments
        let code = unsafe ChildProgram.withPointers(words) { words in
            unsafe ChildProgram.withPointers(environment) { settings in
                unsafe posix_spawn(
                    &child, ChildProgram.limiter, &actions, nil, words, settings)
            }
        }
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            close(complaints)
            throw .file(operation: "converted", code: code)
        }
        identifier = child
        output = ends[0]
        self.complaints = complaints
    }

    deinit {
        if output >= 0 { close(output) }
        close(complaints)
        if status == nil {
            kill(identifier, SIGKILL)
            wait()
        }
    }

    /// The descriptor of its output, which then belongs to who took it.
    func takeOutput() -> CInt {
        defer { output = -1 }
        return output
    }

    /// Waits for its end; true when it did what it was asked.
    func hasSucceeded() -> Bool {
        wait()
        return status == 0
    }

    private func wait() {
        guard status == nil else { return }
        var ended: CInt = 0
        while unsafe waitpid(identifier, &ended, 0) < 0 && errno == EINTR {}
        status = ended
    }

    /// The first line of what it complained of.
    func complaint() -> String {
        var bytes = [UInt8](repeating: 0, count: 2000)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(complaints, $0.baseAddress, $0.count, 0)
        }
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(separator: "\n")
        return lines.first { !$0.hasPrefix("Warning") && $0 != "FAILURE:" }.map(String.init) ?? ""
    }

    private static func withPointers<Result>(
        _ words: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe pointers.withUnsafeBufferPointer { buffer in
            guard let first = buffer.baseAddress else {
                preconditionFailure("an array with an element has an address")
            }
            return unsafe body(first)
        }
    }
}
