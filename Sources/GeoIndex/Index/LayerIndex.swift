import Synchronization

/// The live index of one layer: one writer at a time, any number of readers that never wait.
public final class LayerIndex: Sendable {
    private let holder: SnapshotHolder
    private let writer: Mutex<IndexWriter>

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
        writer = Mutex(IndexWriter(snapshot))
    }

    /// The newest state. Take it once for each request.
    public var current: IndexSnapshot { holder.current }

    /// The newest state without what has expired at an instant. Take it once for each request.
    ///
    /// - Parameter now: The request's one reading of the clock, in milliseconds since 1970.
    public func current(at now: Int64) -> IndexSnapshot { holder.current }

    /// Collects the places of all objects now instead of when the first change comes. O(n).
    public func prepareForChanges() {
        writer.withLock { $0.prepare() }
    }

    /// Applies a batch of changes in order; readers see all of it or nothing.
    ///
    /// - Throws: ``IDTable/Failure`` when an id cannot be indexed; then nothing has changed.
    /// - Complexity: O(b log n + p) for b changes that touch p pages of at most 1,024 entries; the
    ///   first call after a bulk build also collects the places of all objects, O(n).
    public func apply(_ edits: [ObjectEdit]) throws(IDTable.Failure) {
        let result = writer.withLock { writer -> Result<Void, IDTable.Failure> in
            do throws(IDTable.Failure) {
                holder.publish(try writer.apply(edits))
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
