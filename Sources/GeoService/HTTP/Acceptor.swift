import Glibc
import Synchronization

/// One thread that accepts connections and hands them to the event threads.
///
/// The library could accept by itself, but its own way of ending that ("quiesce") aborts the
/// process when an event thread notices the end before its caller has finished. Here it ends
/// between two calls of `poll`, and the listener is closed with nobody looking at it.
final class Acceptor: Sendable {
    /// Takes a connected socket, which it owns from then on. False when it could not.
    typealias Take = @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool

    private let listener: ListenSocket
    private let limit: Int
    private let admitted = Atomic(0)
    private let isRunning = Atomic(false)
    private let isStopped = Atomic(false)
    private let waker: Waker
    private let hasEnded = Semaphore()

    /// - Parameter limit: how many connections may be open at once; more wait in the kernel.
    /// - Returns: `nil` when the system gives no pipe.
    init?(listener: ListenSocket, limit: Int) {
        guard let waker = Waker() else { return nil }
        self.listener = listener
        self.limit = max(limit, 1)
        self.waker = waker
    }

    /// Open connections, those included that are on their way to their event thread.
    var count: Int { admitted.load(ordering: .relaxed) }

    /// Starts to accept. False when the system gives no thread.
    func start(_ take: @escaping Take) -> Bool {
        let isStarted = SystemThread.start { [self] in unsafe run(take) }
        isRunning.store(isStarted, ordering: .releasing)
        return isStarted
    }

    /// A connection has ended.
    func release() { admitted.subtract(1, ordering: .relaxed) }

    /// Accepts no more, and closes the listener: clients are refused. Called once.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        waker.wake()
        if isRunning.load(ordering: .acquiring) { hasEnded.wait() }
        listener.close()
    }

    private func run(_ take: Take) {
        while !isStopped.load(ordering: .acquiring) {
            let isFull = admitted.load(ordering: .relaxed) >= limit
            var polled = [
                pollfd(fd: waker.reader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFull ? -1 : listener.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // A full house is looked at again soon: whoever leaves does not wake this thread.
            unsafe poll(&polled, 2, isFull ? 10 : -1)
            waker.drain()
            if polled[1].revents != 0 { unsafe acceptSome(take) }
        }
        // Who has connected already is not reset, but answered or closed.
        unsafe acceptSome(take)
        hasEnded.signal()
    }

    private func acceptSome(_ take: Take) {
        while admitted.load(ordering: .relaxed) < limit {
            var storage = sockaddr_storage()
            let isAccepted = unsafe withUnsafeMutablePointer(to: &storage) { storage in
                unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                    let descriptor = unsafe accept(listener.descriptor, address, &length)
                    guard descriptor >= 0 else { return false }
                    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    admitted.add(1, ordering: .relaxed)
                    if unsafe !take(descriptor, address, length) { release() }
                    return true
                }
            }
            guard isAccepted else {
                // Out of descriptors: the queue stays readable, so do not spin on it.
                if errno == EMFILE || errno == ENFILE { usleep(20_000) }
                return
            }
        }
    }
}

/// A pipe that wakes a thread out of `poll`.
final class Waker: Sendable {
    /// Becomes readable when woken.
    let reader: Int32
    private let writer: Int32

    /// - Returns: `nil` when the system gives no pipe.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        (reader, writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(reader)
        close(writer)
    }

    func wake() {
        var byte: UInt8 = 1
        // A full pipe has a wish to wake in it already.
        _ = unsafe write(writer, &byte, 1)
    }

    func drain() {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while unsafe read(reader, &bytes, bytes.count) > 0 {}
    }
}
