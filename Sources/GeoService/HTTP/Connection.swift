import Glibc
import Synchronization

/// One client's connection: its deadline, and what must be remembered between its requests.
///
/// All but the atomics belongs to the connection's event thread; while the connection is suspended,
/// to whoever holds the gate's lock.
final class Connection: @unchecked Sendable {
    /// No deadline: the server itself is at work.
    static let never = UInt64.max

    let descriptor: Int32
    let peer: IPAddress
    /// When the connection is cut, in milliseconds of ``MonotonicClock``.
    let deadline: Atomic<UInt64>
    /// Whether a request is under way.
    let isBusy = Atomic(false)
    /// Whether the client still owes bytes of a body, and when last looked at had closed its end.
    private let owesBody = Atomic(false)
    private let wasLeft = Atomic(false)
    /// Whether the address had too many connections: the first request is answered 503.
    let isTurnedAway: Bool
    /// Whether the client was refused while it may still be sending: its bytes are read and
    /// dropped for a while, since closing at once would reset what it has not read yet.
    var isRefused = false

    private let limits: Limits
    private var bodyBegan: UInt64 = 0
    private var bodyBytes: UInt64 = 0
    private var suspendedAt: UInt64 = 0

    init(descriptor: Int32, peer: IPAddress, isTurnedAway: Bool, limits: Limits) {
        self.descriptor = descriptor
        self.peer = peer
        self.isTurnedAway = isTurnedAway
        self.limits = limits
        let patience = isTurnedAway ? limits.lingering : limits.headDeadline
        deadline = Atomic(MonotonicClock.milliseconds &+ patience.wholeMilliseconds)
    }

    // Sums of a clock reading and of limits that are at most a century in milliseconds, and of
    // byte counts times 1000, stay far below 2^64.

    private func set(_ milliseconds: UInt64) { deadline.store(milliseconds, ordering: .relaxed) }

    /// The request line is there; the rest of the head has its own time.
    func beginHead() {
        isBusy.store(true, ordering: .relaxed)
        let latest = MonotonicClock.milliseconds &+ limits.headDeadline.wholeMilliseconds
        set(min(latest, deadline.load(ordering: .relaxed)))
    }

    /// The server is at work: no deadline.
    func beginWork() {
        owesBody.store(false, ordering: .relaxed)
        set(Self.never)
    }

    func beginBody() {
        bodyBegan = MonotonicClock.milliseconds
        bodyBytes = 0
        setBodyDeadline()
    }

    func noteBody(bytes: Int) {
        bodyBytes &+= UInt64(bytes)
        setBodyDeadline()
    }

    private func setBodyDeadline() {
        owesBody.store(true, ordering: .relaxed)
        wasLeft.store(false, ordering: .relaxed)
        let earned = bodyBytes &* 1_000 / UInt64(max(limits.bodyBytesPerSecond, 1))
        set(bodyBegan &+ limits.bodyGrace.wholeMilliseconds &+ earned)
    }

    /// The consumer of a body is busy: its client does not lose time by that.
    func pauseBody() {
        suspendedAt = MonotonicClock.milliseconds
        beginWork()
    }

    /// Whether the client has gone in the middle of a body. The library misses an end that comes
    /// together with bytes, and would wait for more until the deadline.
    ///
    /// Asked again and again: true when it was so the time before too and nothing came in between,
    /// so that a body whose last bytes are just being handed on is not taken for a broken one.
    func hasBrokenOff() -> Bool {
        guard owesBody.load(ordering: .relaxed), hasBeenLeft else { return false }
        return wasLeft.exchange(true, ordering: .relaxed)
    }

    func continueBody() {
        bodyBegan &+= MonotonicClock.milliseconds &- suspendedAt
        setBodyDeadline()
    }

    /// An answer, or the next part of one, is on its way.
    func beginReply(bytes: Int) {
        let earned = UInt64(bytes) &* 1_000 / UInt64(max(limits.replyBytesPerSecond, 1))
        set(MonotonicClock.milliseconds &+ limits.replyGrace.wholeMilliseconds &+ earned)
    }

    /// The request has ended; the connection may be used again.
    func becomeIdle() {
        isBusy.store(false, ordering: .relaxed)
        set(MonotonicClock.milliseconds &+ limits.idleTimeout.wholeMilliseconds)
    }

    /// Whether bytes have come that nobody has read.
    var hasUnread: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            > 0
    }

    /// Whether the client has closed its end, as far as this machine knows.
    var hasBeenLeft: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }

    /// Sends bytes past the library: only for an answer after which the connection is closed, while
    /// the library itself sends nothing. What the socket's buffer does not take is lost.
    func sendLast(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { buffer in
            _ = unsafe send(
                descriptor, buffer.baseAddress, buffer.count,
                Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }
}

/// All connections. A descriptor is in the table from its start until just before it is closed, so
/// whoever holds the lock can use it.
final class ConnectionTable: Sendable {
    private struct State {
        var open: [Int32: Connection] = [:]
        var perAddress: [IPAddress: Int] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.open.count } }

    func add(_ connection: Connection) {
        state.withLock { state in
            state.open[connection.descriptor] = connection
            state.perAddress[connection.peer, default: 0] += 1
        }
    }

    func remove(_ connection: Connection) {
        state.withLock { state in
            state.open[connection.descriptor] = nil
            if let left = state.perAddress[connection.peer] {
                state.perAddress[connection.peer] = left > 1 ? left - 1 : nil
            }
        }
    }

    func count(of address: IPAddress) -> Int { state.withLock { $0.perAddress[address] ?? 0 } }

    /// Cuts the connections whose deadline has passed or whose client has gone in the middle of a
    /// body; the library then finds them closed.
    func cutExpired(at now: UInt64) {
        state.withLock { state in
            for connection in state.open.values
            where connection.deadline.load(ordering: .relaxed) <= now || connection.hasBrokenOff() {
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Ends the connections that have no request under way: what they send is not read any more.
    func endIdle() {
        state.withLock { state in
            for connection in state.open.values
            where !connection.isBusy.load(ordering: .relaxed) {
                shutdown(connection.descriptor, Int32(SHUT_RD))
            }
        }
    }
}
