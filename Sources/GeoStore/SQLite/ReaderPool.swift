import Dispatch
import Synchronization

/// A fixed number of read connections, each lent to one thread at a time.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [SQLiteReadConnection]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let permits: DispatchSemaphore
    private let waitMilliseconds: Int

    /// Opens all connections.
    init(path: String, options: StoreOptions) throws(StoreError) {
        let size = options.readers
        precondition(size > 0, "a pool of \(size) readers")
        var connections: [SQLiteReadConnection] = []
        for _ in 0..<size {
            connections.append(try SQLiteReadConnection(path: path, options: options))
        }
        state = Mutex(State(idle: connections))
        // Created with nothing and raised, since a semaphore must not be freed below its start.
        permits = DispatchSemaphore(value: 0)
        for _ in 0..<size { permits.signal() }
        waitMilliseconds = options.readerWaitMilliseconds
    }

    /// Lends a connection to `body`, waiting for one at most as long as the pool was told.
    ///
    /// - Throws: ``StoreError/busy``, ``StoreError/closed``, and what `body` throws.
    func withConnection<Result>(
        _ body: (SQLiteReadConnection) throws -> Result
    ) throws -> Result {
        guard permits.wait(timeout: .now() + .milliseconds(waitMilliseconds)) == .success else {
            throw StoreError.busy
        }
        return try withPermit(body)
    }

    /// Lends a connection to `body`; nil, without having waited, when all are lent.
    ///
    /// - Throws: ``StoreError/closed``, and what `body` throws.
    func withFreeConnection<Result>(
        _ body: (SQLiteReadConnection) throws -> Result
    ) throws -> Result? {
        guard permits.wait(timeout: .now()) == .success else { return nil }
        return try withPermit(body)
    }

    private func withPermit<Result>(
        _ body: (SQLiteReadConnection) throws -> Result
    ) throws -> Result {
        defer { permits.signal() }
        // One permit is one idle connection, unless the pool was closed.
        guard let connection = state.withLock({ $0.isClosed ? nil : $0.idle.popLast() }) else {
            throw StoreError.closed
        }
        defer {
            state.withLock { state in
                if !state.isClosed { state.idle.append(connection) }
            }
        }
        return try body(connection)
    }

    /// Refuses further reads and closes what is idle; reads that run close theirs at their end.
    func close() {
        let freed = state.withLock { state in
            state.isClosed = true
            let idle = state.idle
            state.idle = []
            return idle
        }
        // Connections are closed here, outside the lock.
        withExtendedLifetime(freed) {}
    }
}
