import Glibc

/// Threads of our own, for work that blocks: the cooperative pool is not made for it.
enum SystemThread {
    /// Starts a detached thread. False when the system gives none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let box = unsafe Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// A counting semaphore of the system.
@safe final class Semaphore: @unchecked Sendable {
    // The system's semaphore is made for many threads, and must not move: hence the allocation.
    private let handle: UnsafeMutablePointer<sem_t>

    init() {
        unsafe handle = .allocate(capacity: 1)
        unsafe handle.initialize(to: sem_t())
        unsafe sem_init(handle, 0, 0)
    }

    deinit {
        unsafe sem_destroy(handle)
        unsafe handle.deallocate()
    }

    func signal() { unsafe sem_post(handle) }

    /// Waits for a signal.
    func wait() {
        while unsafe sem_wait(handle) != 0 {}  // interrupted by a signal handler
    }
}
