import Synchronization

/// The live index of one layer: one writer at a time, any number of readers that never wait.
public final class LayerIndex: Sendable {
    private let holder: SnapshotHolder
    private let writer: Mutex<IndexWriter>
    /// What readers last made for themselves while the writer was at work.
    private let derived = DerivedHolder()
    /// The last changes, from the first view on.
    let edits = EditLog()

    /// Starts from a snapshot: an empty one, or one that was built in bulk.
    ///
    /// - Parameter clusterMemoBytes: How much memory resolved clusters may take to be remembered.
    public init(
        _ snapshot: IndexSnapshot = BulkBuilder().build(),
        clusterMemoBytes: Int = ClusterMemo.defaultBytes
    ) {
        // Two indices may start from one snapshot and go apart: neither may see what the other
        // remembers.
        let snapshot = IndexSnapshot(snapshot, memo: ClusterMemo(limitBytes: clusterMemoBytes))
        holder = SnapshotHolder(snapshot)
        writer = Mutex(IndexWriter(snapshot, log: edits))
    }

    /// The newest state. Take it once for each request.
    public var current: IndexSnapshot { holder.current }

    /// The newest state without what has expired at an instant. Take it once for each request.
    ///
    /// The first reader after an expiry takes the expired objects out for all, unless a writer is
    /// at work: then readers make a state of their own, each from what the last one made.
    ///
    /// - Parameter now: The request's one reading of the clock, in milliseconds since 1970.
    /// - Complexity: O(1), and O(log n) for each object that has expired since the last call.
    public func current(at now: Int64) -> IndexSnapshot {
        let newest = holder.current
        guard newest.summary.expires <= now else { return newest }
        let published = writer.withLockIfAvailable { writer in
            let next = writer.expire(at: now)
            publish(next)
            return next
        }
        return published ?? derive(from: newest, at: now)
    }

    /// Takes out what has expired at an instant, after a writer who is at work. Called now and then,
    /// it leaves the next reader little to do.
    ///
    /// - Complexity: O(1) when nothing has, else O(log n) for each object that has.
    public func removeExpired(at now: Int64) {
        guard holder.current.summary.expires <= now else { return }
        writer.withLock { publish($0.expire(at: now)) }
    }

    private func derive(from newest: IndexSnapshot, at now: Int64) -> IndexSnapshot {
        let start = derived.current.flatMap { $0.base === newest ? $0.state : nil } ?? newest
        let state = start.derived(at: now)
        if state !== start { derived.keep(DerivedState(base: newest, state: state)) }
        return state
    }

    private func publish(_ next: IndexSnapshot) {
        holder.publish(next)
        derived.keep(nil)
    }

    /// Collects the places of all objects now instead of when the first change comes. O(n).
    public func prepareForChanges() {
        writer.withLock { $0.prepare() }
    }

    /// How many bytes the table of places takes that changes need; 0 before the first.
    public var placeTableBytes: Int { writer.withLock { $0.placeTableBytes } }

    /// Applies a batch of changes in order; readers see all of it or nothing.
    ///
    /// - Throws: ``IDTable/Failure`` when an id cannot be indexed; then nothing has changed.
    /// - Complexity: O(b log n + p) for b changes that touch p pages of at most 256 entries; the
    ///   first call after a bulk build also collects the places of all objects, O(n).
    public func apply(_ edits: [ObjectEdit]) throws(IDTable.Failure) {
        let result = writer.withLock { writer -> Result<Void, IDTable.Failure> in
            do throws(IDTable.Failure) {
                publish(try writer.apply(edits))
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}

/// A state without what has expired, and the published one that it was made from.
private struct DerivedState {
    let base: IndexSnapshot
    let state: IndexSnapshot
}

/// Keeps what readers last made for themselves.
///
/// A type of its own, so that what Thread Sanitizer cannot see here (`scripts/tsan.suppressions`)
/// hides nothing else.
private final class DerivedHolder: Sendable {
    private let slot = Mutex<DerivedState?>(nil)

    var current: DerivedState? { slot.withLock { $0 } }

    /// Keeps a state, or none; the old one is freed outside of the lock.
    func keep(_ next: DerivedState?) {
        var last = next
        slot.withLock { swap(&$0, &last) }
    }
}
