import Synchronization

/// A fixed number of threads for what blocks: hashing, outside calls, imports, exports.
///
/// The queue is bounded: when it is full, the client is told at once (503 with `Retry-After`)
/// instead of waiting for an answer that would come too late. Use one pool for each kind of work,
/// so that neither starves the other.
package final class WorkPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var next = 0
        var isShut = false

        var queued: Int { jobs.count - next }

        mutating func take() -> (@Sendable () -> Void)? {
            guard next < jobs.count else { return nil }
            let job = jobs[next]
            // Let go of what the job holds as soon as it is taken.
            jobs[next] = {}
            next += 1
            if next == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                next = 0
            }
            return job
        }
    }

    private let core: Core
    private let queueLimit: Int
    private let retryAfterSeconds: Int

    private final class Core: Sendable {
        let state = Mutex(State())
        let available = Semaphore()

        func work() {
            while true {
                available.wait()
                let (job, isShut) = state.withLock { ($0.take(), $0.isShut) }
                if let job { job() } else if isShut { return }
            }
        }
    }

    /// Creates a pool and its threads.
    ///
    /// - Parameters:
    ///   - threads: how many jobs run at once, at least 1. Fewer, when the system gives fewer.
    ///   - queueLimit: how many more may wait.
    ///   - retryAfterSeconds: what a client that is turned away is told to wait.
    package init(threads: Int, queueLimit: Int, retryAfterSeconds: Int = 1) {
        self.queueLimit = max(queueLimit, 1)
        self.retryAfterSeconds = retryAfterSeconds
        core = Core()
        for _ in 0..<max(threads, 1) {
            _ = SystemThread.start { [core] in core.work() }
        }
    }

    deinit { shut() }

    /// Takes no more jobs. Those that wait still run; then the threads end.
    package func shut() {
        core.state.withLock { $0.isShut = true }
        // More signals than threads do no harm: a thread that finds nothing ends.
        for _ in 0..<1_024 { core.available.signal() }
    }

    /// Queues a job. False when the queue is full or the pool is shut: then it will not run.
    package func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = core.state.withLock { state in
            guard !state.isShut, state.queued < queueLimit else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { core.available.signal() }
        return isTaken
    }

    /// Answers with what the closure makes on one of the pool's threads.
    package func run(_ make: @escaping @Sendable () throws -> Response) -> Action {
        .later { [self] responder in
            if !submit({ responder.respond(make) }) { responder.fail(isFull) }
        }
    }

    /// Answers 200 with bytes that the closure writes while they are sent.
    ///
    /// The closure runs on one of the pool's threads; ``ResponseStream/write(_:)`` blocks it while
    /// the client is slow, and throws when the client has gone. When it throws, the answer is cut
    /// off in a way that the client can see.
    package func stream(
        _ mediaType: MediaType, headers: [HeaderField] = [],
        produce: @escaping @Sendable (ResponseStream) throws -> Void
    ) -> Action {
        .later { [self] responder in
            let stream = ResponseStream()
            let isTaken = submit {
                do {
                    try produce(stream)
                    stream.finish()
                } catch {
                    stream.fail()
                }
            }
            guard isTaken else { return responder.fail(isFull) }
            var response = Response(.ok, mediaType, stream)
            response.headers = headers
            responder.respond(response)
        }
    }

    private var isFull: Problem {
        Problem(
            .serviceUnavailable, "too many requests of this kind are waiting; try again later",
            headers: [HeaderField("Retry-After", String(retryAfterSeconds))])
    }
}
