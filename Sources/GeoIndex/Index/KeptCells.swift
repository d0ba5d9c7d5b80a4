import Synchronization

/// The kept cells of a node, which may be some changes behind it.
///
/// To write them anew for every entry that comes would be half of the work of a writer, and most
/// of these states nobody asks for their cells. So a node keeps the cells of the last state for
/// which they were made, and what came and went since; who asks first catches up, for all.
///
/// Readers do not wait for one another: two who catch up at once do the same twice.
struct KeptCells: ~Copyable, Sendable {
    /// Changes that are put off. More are cheaper for a writer, but the first reader's wait grows:
    /// he sorts and applies them in a few microseconds.
    static let mostPending = 64

    /// Cells of an earlier state of the node; nil when they are to be gathered from its children.
    private let base: CellPyramid?
    /// What came and went since, in the order of time.
    private let pending: [EntryDelta]
    private let current = AtomicLazyReference<Current>()

    /// The cells, once somebody has asked.
    private final class Current: Sendable {
        let cells: CellPyramid

        init(_ cells: CellPyramid) { self.cells = cells }
    }

    /// Cells of this state; nil gathers them when somebody asks.
    init(_ cells: CellPyramid?) { self.init(base: cells, pending: []) }

    private init(base: CellPyramid?, pending: [EntryDelta]) {
        self.base = base
        self.pending = pending
    }

    /// The cells of a node after entries came and went, which are sorted by key.
    ///
    /// - Complexity: O(``mostPending`` + deltas); when these are too many to be put off, O(cells).
    init(changing old: borrowing KeptCells, _ deltas: ArraySlice<EntryDelta>) {
        let known = old.current.load()
        guard let cells = known?.cells ?? old.base else {
            self.init(nil)
            return
        }
        let earlier = known == nil ? old.pending : []
        if earlier.count + deltas.count <= KeptCells.mostPending {
            self.init(base: cells, pending: earlier + deltas)
        } else {
            self.init(cells.applying(KeptCells.sorted(earlier + deltas)[...]))
        }
    }

    /// The cells.
    ///
    /// - Parameter gather: Makes them of the node's children.
    /// - Complexity: O(1); O(cells) for the first who asks after a change.
    func cells(gather: () -> CellPyramid) -> CellPyramid {
        if pending.isEmpty, let base { return base }
        if let known = current.load() { return known.cells }
        let cells = base?.applying(KeptCells.sorted(pending)[...]) ?? gather()
        return current.storeIfNil(Current(cells)).cells
    }

    /// The cells of a level, when they are kept; those that are finer are not made to find out.
    ///
    /// - Complexity: As of ``cells(gather:)``.
    @inline(__always)
    func cells(ofLevel level: UInt8, gather: () -> CellPyramid) -> CellRuns? {
        // What comes and goes makes the finest level coarser or leaves it.
        if let base, base.levels.isEmpty || level > base.finestLevel { return nil }
        let cells = cells(gather: gather)
        return cells.index(ofLevel: level).map { cells.levels[$0] }
    }

    /// By key, of one key in the order of time: so no sum falls below zero on the way.
    private static func sorted(_ deltas: [EntryDelta]) -> [EntryDelta] {
        deltas.indices.sorted { (deltas[$0].key, $0) < (deltas[$1].key, $1) }.map { deltas[$0] }
    }

    /// The memory that is taken now.
    var bytes: Int {
        var bytes = IndexBytes.array(pending)
        if let base { bytes += KeptCells.bytes(of: base) }
        if let known = current.load() {
            bytes += IndexBytes.block(16 + MemoryLayout<CellPyramid>.stride)
            bytes += KeptCells.bytes(of: known.cells)
        }
        return bytes
    }

    private static func bytes(of cells: CellPyramid) -> Int {
        cells.levels.reduce(IndexBytes.array(cells.levels)) { $0 + IndexBytes.array($1.runs) }
    }
}
