import Synchronization

/// Where the last changes of a layer were: proves, cell by cell, what pages of the index can only
/// prove for all of their entries.
final class ChangeLog: Sendable {
    /// A place at which something came, went or became different.
    struct Entry: Sendable {
        var place: WorldPoint
        var generation: UInt64
    }

    /// Some changes of the past, in order.
    struct Changes: Sendable {
        fileprivate var blocks: [[Entry]] = []
        fileprivate var last: [Entry] = []
        /// Every change of a generation after this one, up to `newest`, is here.
        fileprivate var since: UInt64?
        fileprivate var newest: UInt64 = 0
    }

    private static let blockSize = 512
    /// The most memory that a log takes, unless its memo is small.
    private static let mostBytes = 1 << 20
    private let mostBlocks: Int
    /// Changes of one generation that are noted.
    private static let mostChanges = 16_384

    private let state = Mutex(Changes())

    /// - Parameter mostBytes: The most memory that the log may take, a block of changes at least.
    init(mostBytes: Int) {
        let block = ChangeLog.blockSize * MemoryLayout<Entry>.stride
        mostBlocks = max(1, min(mostBytes, ChangeLog.mostBytes) / block)
    }

    /// About how much memory it takes now.
    var bytes: Int {
        state.withLock { state in
            (state.blocks.count * ChangeLog.blockSize + state.last.capacity)
                * MemoryLayout<Entry>.stride
        }
    }

    /// Notes the changes from which a generation was made, before readers can see it.
    func note(_ changes: [Change], generation: UInt64) {
        state.withLock { state in
            if changes.count > ChangeLog.mostChanges {
                // More than is worth a look at: what was before is not known any more.
                state = Changes()
                state.since = generation
                state.newest = generation
                return
            }
            if state.since == nil || state.newest + 1 != generation {
                state = Changes()
                state.since = generation - 1
            }
            state.newest = generation
            for change in changes {
                state.last.append(
                    Entry(place: MortonKey(bits: change.key).point, generation: generation))
            }
            guard state.last.count >= ChangeLog.blockSize else { return }
            state.blocks.append(state.last)
            state.last = []
            while state.blocks.count > mostBlocks {
                state.since = state.blocks.removeFirst().last?.generation
            }
        }
    }

    /// What was noted so far. The lock is held for two retains.
    var changes: Changes { state.withLock { $0 } }
}

extension ChangeLog.Changes {
    /// The places in a window that changed after one generation and up to another; nil when
    /// that is not known.
    ///
    /// - Complexity: O(changes between the two).
    func places(
        in window: WorldWindow, after first: UInt64, through last: UInt64
    ) -> [ChangeLog.Entry]? {
        if first == last { return [] }
        guard let since, since <= first, last <= newest else { return nil }
        var found: [ChangeLog.Entry] = []
        func look(at entries: [ChangeLog.Entry]) {
            for entry in entries
            where entry.generation > first && entry.generation <= last
                && window.contains(entry.place)
            {
                found.append(entry)
            }
        }
        // Blocks ascend; those that end before the first generation are passed over.
        var start = blocks.count
        while start > 0, let end = blocks[start - 1].last, end.generation > first { start -= 1 }
        for block in blocks[start...] { look(at: block) }
        look(at: self.last)
        return found
    }
}
