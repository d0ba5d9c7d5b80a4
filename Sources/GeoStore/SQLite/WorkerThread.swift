import Glibc

/// A thread of its own for work that blocks, outside the cooperative pool.
///
/// Freeing the value waits for the thread's end, unless it is freed on the thread itself.
final class WorkerThread: Sendable {
    private let identifier: pthread_t

    /// Room for a deep document's recursion in unoptimised builds.
    private static let stackBytes = 8 << 20

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Throws: ``StoreError/outOfMemory`` when the system has no thread left.
    init(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, WorkerThread.stackBytes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        var created = pthread_t()
        let code = unsafe pthread_create(
            &created, &attributes,
            { raw in
                if let raw = unsafe raw {
                    unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            throw .outOfMemory
        }
        identifier = created
    }

    deinit {
        // Until here the identifier is not given to another thread, so `isCurrent` is reliable.
        if isCurrent {
            pthread_detach(identifier)
        } else {
            pthread_join(identifier, nil)
        }
    }

    /// True on the thread itself.
    var isCurrent: Bool { pthread_equal(identifier, pthread_self()) != 0 }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
