import GeoStore
import Synchronization

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let instant: Mutex<Timestamp>

    init(milliseconds: Int64 = 1_800_000_000_000) {
        instant = Mutex(Timestamp(milliseconds: milliseconds))
    }

    var now: Timestamp { instant.withLock { $0 } }

    func advance(milliseconds: Int64) {
        instant.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + milliseconds) }
    }
}
