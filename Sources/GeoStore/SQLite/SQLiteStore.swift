import Dispatch
import Synchronization

/// The embedded store: documents in one SQLite database, written by one thread that groups
/// commits, read by many connections.
///
/// An acknowledged write is on the disk (`synchronous=FULL`) and was shown to the observer.
package final class SQLiteStore: Sendable {
    private let directory: StoreDirectory
    private let loop: CommitLoop
    private let pool: ReaderPool
    private let thread: WorkerThread
    private let finished = DispatchGroup()

    /// Opens the database of a directory, or makes it.
    ///
    /// - Throws: ``StoreError``: `notADatabase`, `foreignDatabase`, `newerVersion`, `corrupt`,
    ///   `directoryNotUsable`, `inputOutput`, `diskFull`, `outOfMemory`.
    package init(
        _ directory: StoreDirectory, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        self.directory = directory
        try directory.createDatabaseFile()
        let path = directory.databasePath
        let hasLog = directory.logBytes() > 0
        let writer = try SQLiteWriter(path: path, options: options)
        // A process that was killed left its log, with what it may have removed.
        writer.hasDroppedSecrets = hasLog
        let loop = CommitLoop(writer, directory, options)
        self.loop = loop
        pool = try ReaderPool(path: path, options: options)
        let finished = finished
        finished.enter()
        do throws(StoreError) {
            thread = try WorkerThread {
                loop.run()
                finished.leave()
            }
        } catch {
            finished.leave()
            throw error
        }
    }

    deinit { close() }

    /// Gives every group of changes to `observer`, in commit order, on the writer thread: after
    /// the commit and before the completions of its jobs. It should be quick. Set it before the
    /// first write whose change must not be missed.
    package func observeCommits(_ observer: @escaping CommitObserver) {
        loop.observe(observer)
    }

    /// How far the writer is.
    package var progress: CommitProgress { loop.progress }

    /// The classes as of the last commit.
    package var catalog: SchemaCatalog { loop.catalog.withLock { $0 } }

    /// Queues a job for the writer.
    ///
    /// Jobs run in the order of their submission, each in a savepoint: one that throws undoes
    /// only itself. Several share one commit; when that fails, all of them fail with its error.
    ///
    /// - Parameters:
    ///   - bytes: About how much memory the job holds on to, for the queue's bound.
    ///   - waitsForRoom: Whether this thread sleeps while the queue is full: for threads of their
    ///     own, as ``write(bytes:_:)``.
    ///   - job: Runs on the writer thread.
    ///   - completion: Called once on the writer thread, after commit and observer; must be quick
    ///     and not wait for the store.
    /// - Throws: ``StoreError/busy`` when the queue is full and it does not wait for room,
    ///   ``StoreError/closed``; the completion is not called then.
    package func submit<Value: Sendable>(
        bytes: Int = 0, waitsForRoom: Bool = false,
        _ job: @escaping @Sendable (inout WriteTransaction) throws -> Value,
        then completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) throws(StoreError) {
        precondition(
            !waitsForRoom || !thread.isCurrent, "the writer thread would wait for itself")
        try loop.queue.submit(
            WriteQueue.Job(
                bytes: bytes,
                run: { writer in
                    let result = Result { try writer.runJob(job) }
                    return { failure in completion(failure.map { .failure($0) } ?? result) }
                },
                fail: { completion(.failure($0)) }), waitsForRoom: waitsForRoom)
    }

    /// Queues a job and waits on this thread until it is durable and visible.
    ///
    /// Not for the cooperative pool, nor for jobs, observers and completions: those are the
    /// writer thread, which would wait for itself.
    ///
    /// - Parameter waitsForRoom: Whether a full queue is waited for: right for one step of many,
    ///   which must not end half way because others write much.
    /// - Throws: What the job throws; ``StoreError``.
    package func write<Value: Sendable>(
        bytes: Int = 0, waitsForRoom: Bool = false,
        _ job: @escaping @Sendable (inout WriteTransaction) throws -> Value
    ) throws -> Value {
        precondition(!thread.isCurrent, "the writer thread would wait for itself")
        let answer = Answer<Value>()
        try submit(bytes: bytes, waitsForRoom: waitsForRoom, job) { answer.give($0) }
        return try answer.wait()
    }

    /// Queues a job and suspends until it is durable and visible.
    ///
    /// - Throws: What the job throws; ``StoreError``.
    package func write<Value: Sendable>(
        bytes: Int = 0, _ job: @escaping @Sendable (inout WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(StoreError) {
                try submit(bytes: bytes, job) { continuation.resume(with: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Lends one consistent state of the store to `body`, on this thread.
    ///
    /// A long `body` keeps the write-ahead log from being emptied. Reads inside a `body` need a
    /// second reader and may end in ``StoreError/busy``.
    ///
    /// - Parameter limit: How long it may take, once it has a reader: what it reads beyond that
    ///   throws ``StoreError/timeout``.
    /// - Throws: ``StoreError``, and what `body` throws.
    package func read<Value>(
        within limit: Duration? = nil, _ body: (borrowing Reader) throws -> Value
    ) throws -> Value {
        try pool.withConnection { connection in
            try connection.inSnapshot(within: limit) { try body(Reader(connection)) }
        }
    }

    /// As ``read(_:)``, but nil, without having waited, when no reader is free: for threads that
    /// must not wait.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func readIfFree<Value>(_ body: (borrowing Reader) throws -> Value) throws -> Value? {
        try pool.withFreeConnection { connection in
            try connection.inSnapshot { try body(Reader(connection)) }
        }
    }

    /// As ``read(_:)``, but nil when no reader is free, without having waited, or when it would take
    /// more than a fraction of a millisecond: for threads that must not wait.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func readIfQuick<Value>(_ body: (borrowing Reader) throws -> Value) throws -> Value? {
        do {
            return try pool.withFreeConnection { connection in
                try connection.inBoundedSnapshot { try body(Reader(connection)) }
            }
        } catch StoreError.timeout {
            return nil
        }
    }

    /// Does what is queued, refuses more, moves the log into the database and gives up the files.
    /// Waits until that is done, unless called on the writer thread. May be called again.
    package func close() {
        loop.queue.close()
        pool.close()
        if !thread.isCurrent { finished.wait() }
    }
}

/// One job's answer, handed from the writer thread to the thread that waits.
private final class Answer<Value: Sendable>: Sendable {
    private let slot = Mutex<Result<Value, any Error>?>(nil)
    private let given = DispatchSemaphore(value: 0)

    func give(_ result: Result<Value, any Error>) {
        slot.withLock { $0 = result }
        given.signal()
    }

    func wait() throws -> Value {
        given.wait()
        guard let result = slot.withLock({ $0 }) else { throw StoreError.closed }
        return try result.get()
    }
}
