import Dispatch
import GeoIndex
import GeoStore

/// Takes what has expired out of all layers once a second, so that the first request after a quiet
/// spell does not pay for all of it. Answers do not depend on it: each asks for its own instant.
final class ExpirySweep: Sendable {
    private let catalog: LayerCatalog
    private let stopping = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private static let tick = DispatchTimeInterval.seconds(1)

    init(catalog: LayerCatalog) {
        self.catalog = catalog
    }

    /// Begins, on a thread of its own.
    func start() {
        let isStarted = SystemThread.start { [self] in
            while stopping.wait(timeout: .now() + ExpirySweep.tick) == .timedOut { sweep() }
            ended.signal()
        }
        if !isStarted {
            Log.warning("the system gave no thread: requests take out what has expired")
            ended.signal()
        }
    }

    /// Ends, and waits for the sweep under way. To be called once, after ``start()``.
    func stop() {
        stopping.signal()
        ended.wait()
    }

    /// Takes out what has expired by now.
    func sweep() {
        let now = catalog.now().milliseconds
        for layer in catalog.all { layer.index.removeExpired(at: now) }
    }
}
