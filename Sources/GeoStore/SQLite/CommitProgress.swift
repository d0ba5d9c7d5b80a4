import Dispatch
import Synchronization

/// How far the writer is: commits that were begun, and those whose observer is done too.
///
/// Between the two the store is ahead of whoever follows its changes.
package final class CommitProgress: Sendable {
    private struct State {
        var begun: UInt64 = 0
        var observed: UInt64 = 0
        var waiting: [Waiter] = []
    }

    /// A thread that waits until so many commits are done.
    private struct Waiter {
        let count: UInt64
        let isDone: DispatchSemaphore
    }

    private let state = Mutex(State())

    init() {}

    /// Commits that were begun. What a read that has ended saw is of no later one.
    package var begunCount: UInt64 { state.withLock { $0.begun } }

    /// Commits that are done: failed, or shown to the observer.
    package var observedCount: UInt64 { state.withLock { $0.observed } }

    /// Waits until all commits are done that have begun by now: what a read that has ended may
    /// have seen, the observer has then seen too. Returns at once when none is under way.
    ///
    /// Not for the writer thread, which would wait for itself.
    package func waitForObserver() {
        let isDone: DispatchSemaphore? = state.withLock { state in
            guard state.observed < state.begun else { return nil }
            let waiter = Waiter(count: state.begun, isDone: DispatchSemaphore(value: 0))
            state.waiting.append(waiter)
            return waiter.isDone
        }
        isDone?.wait()
    }

    func begin() { state.withLock { $0.begun += 1 } }

    func end() {
        let done = state.withLock { state in
            state.observed += 1
            let done = state.waiting.filter { $0.count <= state.observed }
            state.waiting.removeAll { $0.count <= state.observed }
            return done
        }
        for waiter in done { waiter.isDone.signal() }
    }
}
