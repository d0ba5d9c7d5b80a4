import Dispatch
import GeoIndex
import GeoStore

/// Takes what has expired out of all layers, soon after it has, so that a request seldom pays for
/// more than the few objects that expired since. Answers do not depend on it: each asks for its own
/// instant.
final class ExpirySweep: Sendable {
    /// The shortest pause, in milliseconds. Where 100,000 objects expire within a minute it leaves
    /// the next request 8 of them at most: a quarter of a millisecond.
    static let leastPauseMilliseconds: Int64 = 5
    /// The longest: an object that comes meanwhile may expire before it is over.
    private static let greatestPauseMilliseconds: Int64 = 1_000

    private let catalog: LayerCatalog
    private let stopping = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(catalog: LayerCatalog) {
        self.catalog = catalog
    }

    /// Begins, on a thread of its own.
    func start() {
        let isStarted = SystemThread.start { [self] in
            var pause = ExpirySweep.leastPauseMilliseconds
            while stopping.wait(timeout: .now() + .milliseconds(Int(pause))) == .timedOut {
                pause = ExpirySweep.pause(until: sweep(), now: catalog.now().milliseconds)
            }
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
    ///
    /// - Returns: When the next object expires, in milliseconds since 1970; nil when none will.
    @discardableResult
    func sweep() -> Int64? {
        let now = catalog.now().milliseconds
        var next: Int64?
        for layer in catalog.all {
            layer.index.removeExpired(at: now)
            guard let expiry = layer.index.current.nextExpiry else { continue }
            next = min(next ?? expiry, expiry)
        }
        return next
    }

    /// How long to wait for the next expiry, in milliseconds.
    static func pause(until next: Int64?, now: Int64) -> Int64 {
        guard let next else { return greatestPauseMilliseconds }
        // Compared before they are subtracted: an expiry may be ages away, or ago.
        if next <= now { return leastPauseMilliseconds }
        if next >= now + greatestPauseMilliseconds { return greatestPauseMilliseconds }
        return max(leastPauseMilliseconds, next - now)
    }
}
