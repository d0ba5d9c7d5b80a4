import Dispatch
import Synchronization

/// A request's body on its way from the event thread to an import's thread, a bounded piece at a
/// time: while the import is behind, the client waits.
final class ImportBody: BodySink {
    /// The client has gone; there is nobody to answer.
    struct Abandoned: Error {}

    private struct State {
        var bytes: [UInt8] = []
        /// Wakes the connection that was told to wait.
        var flow: BodyFlow?
        var hasEnded = false
        var isAbandoned = false
        var responder: Responder?
        var outcome: Result<Response, any Error>?
    }

    /// How much may wait for the import.
    private static let limitBytes = 1 << 20

    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)

    // MARK: - On the event thread

    func receive(_ bytes: Span<UInt8>, flow: BodyFlow) throws -> BodyVerdict {
        let verdict = try state.withLock { state -> BodyVerdict in
            // The import has failed: what still comes is of no use.
            if case .failure(let error)? = state.outcome { throw error }
            guard state.bytes.isEmpty || state.bytes.count + bytes.count <= ImportBody.limitBytes
            else {
                state.flow = flow
                return .busy
            }
            unsafe bytes.withUnsafeBufferPointer { unsafe state.bytes.append(contentsOf: $0) }
            return .taken
        }
        if case .taken = verdict { changed.signal() }
        return verdict
    }

    func finish(_ request: Request) -> Action {
        .later { [self] responder in
            let outcome = state.withLock { state in
                state.hasEnded = true
                if state.outcome == nil { state.responder = responder }
                return state.outcome
            }
            changed.signal()
            if let outcome { ImportBody.answer(outcome, responder) }
        }
    }

    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.bytes = []
        }
        changed.signal()
    }

    // MARK: - On the import's thread

    /// Waits for the next bytes and takes them all; nil at the end.
    ///
    /// - Throws: ``Abandoned``.
    func next() throws -> [UInt8]? {
        while true {
            let (bytes, flow, isOver) = try state.withLock { state in
                guard !state.isAbandoned else { throw Abandoned() }
                let taken = (state.bytes, state.flow, state.hasEnded)
                state.bytes = []
                state.flow = nil
                return taken
            }
            flow?.resume()
            if !bytes.isEmpty { return bytes }
            if isOver { return nil }
            changed.wait()
        }
    }

    /// Gives the answer: now, or when the body has ended, or in place of the rest of it.
    func answer(_ outcome: Result<Response, any Error>) {
        let (responder, flow) = state.withLock { state in
            state.outcome = outcome
            let waiting = (state.responder, state.flow)
            state.responder = nil
            state.flow = nil
            return waiting
        }
        flow?.resume()
        if let responder { ImportBody.answer(outcome, responder) }
    }

    private static func answer(_ outcome: Result<Response, any Error>, _ responder: Responder) {
        switch outcome {
        case .success(let response): responder.respond(response)
        case .failure(let error): responder.fail(error)
        }
    }
}
