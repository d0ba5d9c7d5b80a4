import Synchronization

/// The connections that wait for something, and the only place that suspends and resumes them.
///
/// The library aborts the process when it is stopped with a suspended connection, and loses a wish
/// to resume that comes before the suspension. Neither can happen here: every change is made under
/// one lock, and a closed gate suspends nothing. A connection in the table is suspended, so the
/// library neither uses nor frees it: its handle is valid.
final class SuspensionGate: Sendable {
    /// What a connection waits for.
    enum Reason {
        /// A responder's answer.
        case answer
        /// A body sink that was busy, or a stream that had no bytes.
        case flow
    }

    /// How a wish to suspend ended.
    enum Outcome {
        case suspended
        /// It was woken before it slept: to be asked again.
        case woken
        /// The server is stopping: nothing may wait any more.
        case closed
    }

    private struct State {
        var isClosed = false
        var waiting: [ObjectIdentifier: (exchange: Exchange, reason: Reason)] = [:]
        /// Exchanges that were woken while they did not wait.
        var woken: Set<ObjectIdentifier> = []
    }

    /// Some of the connections.
    private final class Part: Sendable {
        let state = Mutex(State())
    }

    private let parts = (0..<16).map { _ in Part() }

    private func part(of id: ObjectIdentifier) -> Part {
        parts[Int(truncatingIfNeeded: UInt(bitPattern: id.hashValue) % UInt(parts.count))]
    }

    /// Suspends the exchange's connection.
    ///
    /// To be called on the connection's event thread, within a callback of the library.
    func suspend(_ exchange: Exchange, for reason: Reason) -> Outcome {
        let id = ObjectIdentifier(exchange)
        return part(of: id).state.withLock { state in
            if state.woken.remove(id) != nil, reason == .flow { return .woken }
            guard !state.isClosed else { return .closed }
            exchange.suspendConnection()
            state.waiting[id] = (exchange, reason)
            return .suspended
        }
    }

    /// Hands an answer to the exchange that waits for it. It does not wait when the gate was
    /// closed in between: then the answer is not wanted any more.
    func fulfill(_ exchange: Exchange, _ answer: Result<Response, any Error>) {
        let id = ObjectIdentifier(exchange)
        part(of: id).state.withLock { state in
            guard state.waiting[id]?.reason == .answer else { return }
            state.waiting[id] = nil
            exchange.resumeConnection(with: answer)
        }
    }

    /// Whether an exchange waits for an answer and its client is still there.
    func isAwaited(_ exchange: Exchange) -> Bool {
        let id = ObjectIdentifier(exchange)
        return part(of: id).state.withLock { state in
            // While it waits its descriptor is open.
            state.waiting[id]?.reason == .answer && !exchange.link.hasBeenLeft
        }
    }

    /// Wakes an exchange that waits for a flow, or lets its next wish to wait come to nothing.
    func wake(_ exchange: Exchange) {
        let id = ObjectIdentifier(exchange)
        part(of: id).state.withLock { state in
            switch state.waiting[id]?.reason {
            case .flow:
                state.waiting[id] = nil
                exchange.resumeConnection(with: nil)
            case .answer: break
            case nil:
                if exchange.isLive { state.woken.insert(id) }
            }
        }
    }

    /// Forgets an exchange that has ended.
    func forget(_ exchange: Exchange) {
        let id = ObjectIdentifier(exchange)
        part(of: id).state.withLock { state in
            exchange.isLive = false
            state.woken.remove(id)
        }
    }

    /// Resumes everything, and suspends nothing from now on.
    func close() {
        for part in parts {
            part.state.withLock { state in
                state.isClosed = true
                for entry in state.waiting.values { entry.exchange.resumeConnection(with: nil) }
                state.waiting = [:]
            }
        }
    }
}
