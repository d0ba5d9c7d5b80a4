import Synchronization

/// Publishes immutable snapshots; readers keep the one they took.
final class SnapshotHolder: Sendable {
    private let slot: Mutex<IndexSnapshot>

    init(_ first: IndexSnapshot) { slot = Mutex(first) }

    /// The newest snapshot. Take it once for each request.
    var current: IndexSnapshot { slot.withLock { $0 } }

    /// Publishes `next`; the old snapshot is freed outside the lock.
    func publish(_ next: IndexSnapshot) {
        var last = next
        slot.withLock { swap(&$0, &last) }
    }
}
