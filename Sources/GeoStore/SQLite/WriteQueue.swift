import Dispatch
import Synchronization

/// The jobs that wait for the writer, bounded in number and bytes.
final class WriteQueue: Sendable {
    /// Tells a job's submitter how it ended: the group's failure, or nil once it is durable.
    typealias Completion = @Sendable (StoreError?) -> Void

    /// One job, its result type hidden.
    struct Job: Sendable {
        /// What the submitter declared.
        let bytes: Int
        /// Runs the job inside a savepoint; the job's own result waits in the completion.
        let run: @Sendable (SQLiteWriter) -> Completion
        /// Ends the job without running it.
        let fail: @Sendable (StoreError) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        /// Jobs that were taken in and have not been answered, waiting ones included.
        var unansweredJobs = 0
        var unansweredBytes = 0
        var isClosed = false
        var writerSleeps = false
        /// Threads that wait for room; all are woken when there is some, and look again.
        var waitingForRoom: [DispatchSemaphore] = []
    }

    /// What became of a job that was offered.
    private enum Offer {
        case taken(mustWake: Bool)
        case refused(StoreError)
        case wait(DispatchSemaphore)
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let maximumJobs: Int
    private let maximumBytes: Int

    init(maximumJobs: Int, maximumBytes: Int) {
        self.maximumJobs = maximumJobs
        self.maximumBytes = maximumBytes
    }

    /// Takes in a job. One job of any size is taken when nothing else is there.
    ///
    /// - Parameter waitsForRoom: Whether to sleep until the job fits, and not to refuse it.
    /// - Throws: ``StoreError/busy`` unless it waits, ``StoreError/closed``.
    func submit(_ job: Job, waitsForRoom: Bool = false) throws(StoreError) {
        while true {
            switch offer(job, waitsForRoom: waitsForRoom) {
            case .taken(let mustWake):
                if mustWake { wake.signal() }
                return
            case .refused(let refusal): throw refusal
            case .wait(let room): room.wait()
            }
        }
    }

    private func offer(_ job: Job, waitsForRoom: Bool) -> Offer {
        state.withLock { state in
            if state.isClosed { return .refused(.closed) }
            let fits =
                state.unansweredJobs < maximumJobs
                && job.bytes <= maximumBytes - state.unansweredBytes
            guard fits || state.unansweredJobs == 0 else {
                guard waitsForRoom else { return .refused(.busy) }
                let room = DispatchSemaphore(value: 0)
                state.waitingForRoom.append(room)
                return .wait(room)
            }
            state.waiting.append(job)
            state.unansweredJobs += 1
            state.unansweredBytes += job.bytes
            let sleeps = state.writerSleeps
            state.writerSleeps = false
            return .taken(mustWake: sleeps)
        }
    }

    /// All jobs that wait, in order, sleeping until there is one. Empty once the queue is closed
    /// and drained.
    func take() -> [Job] {
        while true {
            let (jobs, isClosed) = state.withLock { state -> ([Job], Bool) in
                let jobs = state.waiting
                state.waiting = []
                state.writerSleeps = jobs.isEmpty && !state.isClosed
                return (jobs, state.isClosed)
            }
            if !jobs.isEmpty || isClosed { return jobs }
            wake.wait()
        }
    }

    /// Gives back the room of jobs that are about to be answered.
    func release(_ jobs: ArraySlice<Job>) {
        let bytes = jobs.reduce(0) { $0 + $1.bytes }
        let waiting = state.withLock { state in
            state.unansweredJobs -= jobs.count
            state.unansweredBytes -= bytes
            let waiting = state.waitingForRoom
            state.waitingForRoom = []
            return waiting
        }
        for room in waiting { room.signal() }
    }

    /// Refuses further jobs; those that wait are still done.
    func close() {
        let (mustWake, waiting) = state.withLock { state in
            state.isClosed = true
            let sleeps = state.writerSleeps
            state.writerSleeps = false
            let waiting = state.waitingForRoom
            state.waitingForRoom = []
            return (sleeps, waiting)
        }
        if mustWake { wake.signal() }
        for room in waiting { room.signal() }
    }
}
