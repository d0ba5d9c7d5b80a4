import Glibc
import Synchronization

/// One thread that cuts connections past their deadline, and reads what refused clients still send.
///
/// A socket that is closed with unread bytes resets the connection, and the client may lose the
/// answer that says what was wrong. So a copy of the descriptor is kept here, its bytes are
/// dropped, and it is closed when the client has closed, or after ``Limits/lingering``.
final class Housekeeper: Sendable {
    /// More refused clients than this at once are closed the hard way.
    static let maxLingering = 256

    private struct Lingering {
        let descriptor: Int32
        let deadline: UInt64
    }

    private struct State {
        var isStopped = false
        var arrivals: [Lingering] = []
        var lingeringCount = 0
    }

    private let state = Mutex(State())
    private let table: ConnectionTable
    private let lingeringMilliseconds: UInt64
    private let tickMilliseconds: UInt64
    private let waker: Waker
    private let hasEnded = Semaphore()

    /// - Returns: `nil` when the system gives no pipe or no thread.
    init?(table: ConnectionTable, limits: Limits) {
        self.table = table
        lingeringMilliseconds = limits.lingering.wholeMilliseconds
        let shortest = min(
            limits.headDeadline, limits.bodyGrace, limits.replyGrace, limits.idleTimeout
        ).wholeMilliseconds
        tickMilliseconds = min(max(shortest / 4, 20), 1_000)
        guard let waker = Waker() else { return nil }
        self.waker = waker
        guard SystemThread.start({ [self] in run() }) else { return nil }
    }

    /// Takes over the reading end of a connection that the library is about to close.
    func linger(_ descriptor: Int32) {
        let isAllowed = state.withLock { state in
            guard !state.isStopped, state.lingeringCount < Self.maxLingering else { return false }
            state.lingeringCount += 1
            return true
        }
        guard isAllowed else { return }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        let deadline = MonotonicClock.milliseconds &+ lingeringMilliseconds
        state.withLock { state in
            guard copy >= 0 else {
                state.lingeringCount -= 1
                return
            }
            state.arrivals.append(Lingering(descriptor: copy, deadline: deadline))
        }
        waker.wake()
    }

    /// Ends the thread and closes what it holds.
    func stop() {
        state.withLock { $0.isStopped = true }
        waker.wake()
        hasEnded.wait()
    }

    private func run() {
        var lingering: [Lingering] = []
        var nextSweep = MonotonicClock.milliseconds &+ tickMilliseconds
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { unsafe scratch.deallocate() }
        while true {
            var polled = [pollfd(fd: waker.reader, events: Int16(POLLIN), revents: 0)]
            polled += lingering.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            let now = MonotonicClock.milliseconds
            let timeout = nextSweep > now ? min(nextSweep - now, 1_000) : 0
            unsafe poll(&polled, nfds_t(polled.count), Int32(timeout))
            if polled[0].revents != 0 { waker.drain() }
            let isOver = MonotonicClock.milliseconds
            lingering = lingering.enumerated().compactMap { index, entry in
                var isDone = entry.deadline <= isOver
                if polled[index + 1].revents != 0, unsafe Self.drain(entry.descriptor, scratch) {
                    isDone = true
                }
                guard isDone else { return entry }
                close(entry.descriptor)
                return nil
            }
            if nextSweep <= isOver {
                table.cutExpired(at: isOver)
                nextSweep = isOver &+ tickMilliseconds
            }
            let isStopped = state.withLock { state in
                lingering += state.arrivals
                state.arrivals = []
                state.lingeringCount = lingering.count
                return state.isStopped
            }
            guard !isStopped else { break }
        }
        for entry in lingering { close(entry.descriptor) }
        hasEnded.signal()
    }

    /// Reads and drops; true when the client has closed. Stops after 1 MB, so that one client does
    /// not keep the thread from the others.
    private static func drain(
        _ descriptor: Int32, _ scratch: UnsafeMutableRawBufferPointer
    ) -> Bool {
        for _ in 0..<16 {
            let count = unsafe recv(
                descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
            if count == 0 { return true }
            if count < 0 { return errno != EAGAIN && errno != EINTR }
        }
        return false
    }
}
