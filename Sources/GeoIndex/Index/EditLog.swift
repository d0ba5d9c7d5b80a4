import Synchronization

/// The last changes of a layer's index with the entries that they brought, so that a view over the
/// layer can make up for what it has missed.
///
/// Nothing is kept before the first view comes: whoever has none pays for a counter alone.
final class EditLog: Sendable {
    /// What made one generation out of the one before.
    struct Batch: Sendable {
        let generation: UInt64
        /// In the order of coming.
        let changes: [Change]
        /// The entries that the changes bring.
        let added: EntryBatch
    }

    fileprivate struct State {
        var batches: [Batch] = []
        /// Batches before this one are gone.
        var head = 0
        /// Changes of all batches that are there.
        var count = 0
        /// Every generation after this one, up to `newest`, is here; nil while nothing is kept.
        var since: UInt64?
        var newest: UInt64 = 0
    }

    /// Changes that are kept: some two megabytes.
    static let mostChanges = 16_384

    private let state = Mutex(State())

    /// Notes the changes from which a generation was made, before readers can see it. O(1).
    func note(_ changes: [Change], _ added: EntryBatch, generation: UInt64) {
        state.withLock { state in
            state.newest = generation
            guard state.since != nil else { return }
            if changes.count > EditLog.mostChanges {
                state = State(since: generation, newest: generation)
                return
            }
            state.batches.append(Batch(generation: generation, changes: changes, added: added))
            state.count += changes.count + 1
            state.shrink()
        }
    }

    /// Keeps changes from now on.
    ///
    /// - Parameter generation: Of a state that is published.
    func start(at generation: UInt64) {
        state.withLock { state in
            guard state.since == nil else { return }
            // One that is noted may not be published yet.
            state.newest = max(state.newest, generation)
            state.since = state.newest
        }
    }

    /// What was changed after one generation and up to another, in order; nil when that is not
    /// known any more, or is more than `most` changes.
    ///
    /// - Complexity: O(batches between the two).
    func batches(after first: UInt64, through last: UInt64, most: Int) -> [Batch]? {
        if first == last { return [] }
        return state.withLock { state -> [Batch]? in
            guard let since = state.since, since <= first, last <= state.newest else { return nil }
            var start = state.batches.count
            var count = 0
            while start > state.head, state.batches[start - 1].generation > first {
                start -= 1
                if state.batches[start].generation <= last {
                    count += state.batches[start].changes.count
                }
                if count > most { return nil }
            }
            return state.batches[start...].filter { $0.generation <= last }
        }
    }
}

extension EditLog.State {
    /// Lets the oldest batches go until the rest are few enough.
    fileprivate mutating func shrink() {
        while count > EditLog.mostChanges, head < batches.count {
            since = batches[head].generation
            count -= batches[head].changes.count + 1
            head += 1
        }
        // Each batch is moved once for every time that the list is halved.
        if head > 64 && 2 * head > batches.count {
            batches.removeFirst(head)
            head = 0
        }
    }
}
