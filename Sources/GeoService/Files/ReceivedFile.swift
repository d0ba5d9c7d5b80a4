import Synchronization

/// A request's body on its way into a file.
///
/// Pieces are written by the pool's threads, never by the event thread; while one is being written
/// the next is collected, and then the client waits. No thread waits for a client. A body that is
/// cut off leaves nothing.
final class ReceivedFile: BodySink {
    /// Goes on with the whole file, on one of the pool's threads.
    typealias Completion = @Sendable (IncomingFile, Responder) -> Void

    private struct State {
        var waiting: [UInt8] = []
        var received = 0
        var isWriting = false
        /// Wakes the connection that was told to wait.
        var flow: BodyFlow?
        var file: IncomingFile?
        var error: (any Error)?
        var isAbandoned = false
        /// Is told of the end when the piece that is being written is done.
        var responder: Responder?
    }

    /// How much is collected in memory before it is written, in bytes.
    private static let pieceBytes = 256 << 10

    private let state = Mutex(State())
    private let folder: FileFolder
    private let pool: WorkPool
    private let limitBytes: Int
    private let then: Completion

    init(
        into folder: FileFolder, limitBytes: Int, pool: WorkPool, then: @escaping Completion
    ) {
        self.folder = folder
        self.limitBytes = limitBytes
        self.pool = pool
        self.then = then
    }

    // MARK: - On the event thread

    func receive(_ bytes: Span<UInt8>, flow: BodyFlow) throws -> BodyVerdict {
        let (verdict, mustWrite) = try state.withLock { state -> (BodyVerdict, Bool) in
            if let error = state.error { throw error }
            guard bytes.count <= limitBytes - state.received else {
                throw Problem.tooLarge(limitBytes)
            }
            let isFull = state.waiting.count + bytes.count > Self.pieceBytes
            if isFull, !state.waiting.isEmpty {
                state.flow = flow
                let mustWrite = !state.isWriting
                state.isWriting = true
                return (.busy, mustWrite)
            }
            unsafe bytes.withUnsafeBufferPointer { unsafe state.waiting.append(contentsOf: $0) }
            state.received += bytes.count
            return (.taken, false)
        }
        if mustWrite, !pool.submit({ [self] in writePiece() }) { throw ReceivedFile.tooMany }
        return verdict
    }

    func finish(_ request: Request) throws -> Action {
        .later { [self] responder in
            let isIdle = state.withLock { state in
                if state.isWriting { state.responder = responder }
                return !state.isWriting
            }
            guard isIdle, !pool.submit({ [self] in complete(responder) }) else { return }
            abandon()
            responder.fail(ReceivedFile.tooMany)
        }
    }

    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.waiting = []
            state.file = nil
        }
    }

    private static var tooMany: Problem {
        Problem(
            .serviceUnavailable, "too many files are being sent; try again later",
            headers: [HeaderField("Retry-After", "5")])
    }

    // MARK: - On the pool's threads

    private func writePiece() {
        let outcome = Result { try write() }
        let (flow, responder) = state.withLock { state in
            state.isWriting = false
            if case .failure(let error) = outcome { state.error = error }
            let waiting = (state.flow, state.responder)
            state.flow = nil
            state.responder = nil
            return waiting
        }
        flow?.resume()
        if let responder { complete(responder) }
    }

    /// Writes what waits.
    private func write() throws {
        let (bytes, known) = state.withLock { state in
            let taken = state.waiting
            state.waiting = []
            return (taken, state.file)
        }
        let file: IncomingFile
        if let known {
            file = known
        } else {
            try folder.checkRoom()
            file = try folder.makeIncoming()
        }
        try file.append(bytes)
        state.withLock { state in
            if !state.isAbandoned { state.file = file }
        }
    }

    private func complete(_ responder: Responder) {
        do {
            if let error = state.withLock({ $0.error }) { throw error }
            try write()
            let file = state.withLock { state in
                let file = state.file
                state.file = nil
                return file
            }
            guard let file else { throw Problem.stopping }
            then(file, responder)
        } catch {
            responder.fail(error)
        }
    }
}
