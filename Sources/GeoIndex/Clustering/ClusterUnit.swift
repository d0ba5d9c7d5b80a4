import Synchronization

/// The clusters whose point lies in one quadtree cell, resolved: what answers are put together of.
///
/// A cell's point lies in the cell, so the clusters of units that follow one another along the
/// Z-curve follow one another in the order of their ids.
final class ClusterUnit: Sendable {
    /// A cluster. Its id is the unit's first cell and `cell` more.
    struct Seed: Sendable {
        var x: UInt32
        var y: UInt32
        var count: UInt32
        /// The seed cell's number within the unit.
        var cell: UInt16
        /// Where in ``ClusterUnit/members`` the next cluster's cells start.
        var end: UInt16
    }

    let question: ClusterQuestion
    /// The unit's number along the Z-curve of ``ClusterQuestion/unitLevel``.
    let key: UInt64
    /// Ascending by cell.
    let seeds: [Seed]
    /// The cells of all clusters: positions in the unit and three columns and rows around it.
    let members: [UInt16]
    /// As long as nothing changes in this window, the clusters stay the same.
    let dependency: WorldWindow
    /// The first generation that the unit is known to hold for, and the memo of its layer.
    private let made: UInt64
    private let lineage: UInt64
    /// The last generation that it is known to hold for, and so for all between.
    private let proved: Atomic<UInt64>
    /// The details of clusters, as far as they were asked for.
    private let details: Mutex<[ClusterDetails?]>

    /// The positions of a row of ``members``.
    static let memberStride = (1 << Int(ClusterQuestion.unitBits)) + 2 * ClusterOptions.reachCells

    init(
        _ question: ClusterQuestion, key: UInt64, seeds: [Seed], members: [UInt16],
        dependency: WorldWindow, of snapshot: IndexSnapshot
    ) {
        self.question = question
        self.key = key
        self.seeds = seeds
        self.members = members
        self.dependency = dependency
        made = snapshot.generation
        lineage = snapshot.memo.lineage
        proved = Atomic(snapshot.generation)
        details = Mutex([])
    }

    /// The generation up to which the unit is proved.
    var provedGeneration: UInt64 { proved.load(ordering: .relaxed) }

    /// Whether the unit is known to hold for a snapshot of its layer.
    @inline(__always)
    func holds(for generation: UInt64) -> Bool {
        made <= generation && generation <= provedGeneration
    }

    /// Whether it may hold for a snapshot, so that a proof is worth a try.
    func mayHold(for generation: UInt64) -> Bool { made <= generation }

    /// Notes that nothing changed up to a generation.
    func prove(_ generation: UInt64) { proved.max(generation, ordering: .relaxed) }

    /// Whether the unit is one of this snapshot's answers to a filter.
    func answers(_ filter: EntryFilter, for snapshot: IndexSnapshot) -> Bool {
        lineage == snapshot.memo.lineage && holds(for: snapshot.generation)
            && (filter.keepsAll ? question.filter.keepsAll : question.filter == filter)
    }

    /// The id of a unit's first cell.
    var firstID: UInt64 { question.firstID(ofUnit: key) }

    /// The points that the unit's clusters may have.
    var window: WorldWindow { question.window(ofUnit: key) }

    /// The keys of a cluster's cells, at the options' level, ascending.
    func cells(of index: Int) -> [UInt64] {
        let mask = UInt32((UInt64(1) << UInt64(question.options.level)) - 1)
        let side = UInt32(question.unitCells)
        let stride = ClusterUnit.memberStride
        let margin = ClusterOptions.reachCells
        let west = MortonKey.compact(key) &* side
        let north = Int(MortonKey.compact(key >> 1) &* side)
        let first = index == 0 ? 0 : Int(seeds[index - 1].end)
        return members[first..<Int(seeds[index].end)].map { position in
            let (row, column) = Int(position).quotientAndRemainder(dividingBy: stride)
            // Columns are counted modulo the width of the world.
            let x = UInt32(truncatingIfNeeded: Int(west) + column - margin) & mask
            return MortonKey(WorldPoint(x: x, y: UInt32(north + row - margin))).bits
        }
    }

    /// The place of a cluster by its cell's number in the unit; nil when that is no seed.
    func index(ofCell cell: UInt16) -> Int? {
        let seeds = self.seeds
        var low = 0
        var high = seeds.count
        while low < high {
            let middle = (low + high) / 2
            if seeds[middle].cell < cell { low = middle + 1 } else { high = middle }
        }
        return low < seeds.count && seeds[low].cell == cell ? low : nil
    }

    /// About how much memory the unit takes, its place in the memo with it.
    var bytes: Int {
        let head = 240
        return seeds.isEmpty
            ? head : head + 64 + seeds.count * MemoryLayout<Seed>.stride + members.count * 2
    }

    /// About how much memory the details take.
    var detailBytes: Int { details.withLock { $0.count } * ClusterUnit.detailBytes }

    /// The details of a cluster; computed once, outside of any lock.
    func details(
        of index: Int, for memo: ClusterMemo, _ compute: () -> ClusterDetails
    ) -> ClusterDetails {
        let known = details.withLock { $0.isEmpty ? nil : $0[index] }
        if let known { return known }
        let found = compute()
        let isFirst = details.withLock { details in
            let isFirst = details.isEmpty
            if isFirst { details = Array(repeating: nil, count: seeds.count) }
            details[index] = found
            return isFirst
        }
        if isFirst { memo.charge(self, bytes: seeds.count * ClusterUnit.detailBytes) }
        return found
    }

    /// About how much memory the details of a cluster take, their lists and texts with them.
    private static let detailBytes = MemoryLayout<ClusterDetails?>.stride + 144
}
