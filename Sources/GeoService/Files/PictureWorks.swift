/// Has pictures decoded and written anew, each by a process of its own and a few at a time.
struct PictureWorks: Sendable {
    let pool: WorkPool

    /// Processes at once.
    static let threads = 2
    /// Pictures that wait for them.
    static let queueLimit = 64

    static var isFull: Problem {
        Problem(
            .serviceUnavailable, "too many pictures and files are waiting; try again later",
            headers: [HeaderField("Retry-After", "5")])
    }

    /// A picture that was written anew.
    struct Picture: Sendable {
        let file: IncomingFile
        let kind: FileKind
        let size: PictureSize
    }

    /// Writes a picture anew without anything that is no pixel; answers on the pool's thread.
    ///
    /// - Throws: ``Problem`` 503 when too many wait.
    func convert(
        _ file: IncomingFile, _ kind: FileKind, in folder: FileFolder,
        done: @escaping @Sendable (Result<Picture, any Error>) -> Void
    ) throws {
        try submit(done) {
            try picture(in: folder) { output in
                try PictureChild.run(.convert, kind, from: file.descriptor, to: output)
            }
        }
    }

    /// Makes a smaller picture of a stored one; answers on the pool's thread.
    ///
    /// - Parameter input: Gives the opened file when its turn has come.
    /// - Throws: ``Problem`` 503 when too many wait.
    func shrink(
        _ input: @escaping @Sendable () throws -> FileSlice, _ kind: FileKind, width: Int,
        in folder: FileFolder, done: @escaping @Sendable (Result<Picture, any Error>) -> Void
    ) throws {
        try submit(done) {
            try picture(in: folder) { output in
                try input().withDescriptor {
                    try PictureChild.run(.shrink(width: width), kind, from: $0, to: output)
                }
            }
        }
    }

    private func picture(
        in folder: FileFolder, make: (Int32) throws -> PictureChild.Report
    ) throws -> Picture {
        try folder.checkRoom()
        let output = try folder.makeIncoming()
        do {
            let report = try make(output.descriptor)
            return Picture(file: output, kind: report.kind, size: report.size)
        } catch {
            output.discard()
            throw error
        }
    }

    private func submit(
        _ done: @escaping @Sendable (Result<Picture, any Error>) -> Void,
        _ work: @escaping @Sendable () throws -> Picture
    ) throws(Problem) {
        guard pool.submit({ done(Result { try work() }) }) else { throw Self.isFull }
    }
}
