import Synchronization

/// How far the writer is: commits that were begun, and those whose observer is done too.
///
/// Between the two the store is ahead of whoever follows its changes.
package final class CommitProgress: Sendable {
    private let begun = Atomic<UInt64>(0)
    private let observed = Atomic<UInt64>(0)

    init() {}

    /// Commits that were begun. What a read that has ended saw is of no later one.
    package var begunCount: UInt64 { begun.load(ordering: .acquiring) }

    /// Commits that are done: failed, or shown to the observer.
    package var observedCount: UInt64 { observed.load(ordering: .acquiring) }

    func begin() { begun.add(1, ordering: .acquiringAndReleasing) }

    func end() { observed.add(1, ordering: .acquiringAndReleasing) }
}
