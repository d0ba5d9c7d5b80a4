/// What is asked of all units of one clustering: the zoom, the radius and the filter.
final class ClusterQuestion: Sendable {
    /// log2 of a unit's side in cells: 512 px at radius 40, 256 px at radius 20.
    static let unitBits: UInt8 = 5

    let options: ClusterOptions
    let filter: EntryFilter
    /// The level of the units. Where the world is narrower than a unit, it is the one unit.
    let unitLevel: UInt8
    private let hash: UInt64

    init(_ options: ClusterOptions, _ filter: EntryFilter) {
        self.options = options
        self.filter = filter
        unitLevel = options.level - min(options.level, ClusterQuestion.unitBits)
        var hasher = Hasher()
        hasher.combine(options)
        if !filter.keepsAll { hasher.combine(filter) }
        hash = UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Whether answers can be remembered: what a test says of an object may change without the
    /// index knowing.
    var isMemorable: Bool { filter.test == nil }

    /// log2 of the number of cells in a unit.
    var cellBits: UInt64 { 2 * UInt64(options.level - unitLevel) }

    /// The columns and rows of a unit, in cells.
    var unitCells: Int { 1 << Int(options.level - unitLevel) }

    /// The window of the points that clusters of a unit may have.
    func window(ofUnit key: UInt64) -> WorldWindow {
        WorldWindow(QuadCell(level: unitLevel, key: key))
    }

    /// The keys of those points.
    func keys(ofUnit key: UInt64) -> ClosedRange<UInt64> {
        QuadCell(level: unitLevel, key: key).keys
    }

    /// The window of a unit and what its clusters depend on for the most part.
    func surroundings(ofUnit key: UInt64) -> WorldWindow {
        window(ofUnit: key).expanded(
            by: UInt64(CellField.marginCells) << (32 - UInt64(options.level)))
    }

    /// The id of a unit's first cell.
    @inline(__always)
    func firstID(ofUnit key: UInt64) -> UInt64 {
        ClusterID(level: options.level, cell: key << cellBits).number
    }

    /// Spreads the units of all questions over 64 bits.
    @inline(__always)
    func hash(ofUnit key: UInt64) -> UInt64 {
        // A product modulo 2^64 by definition.
        StableHash.finalize(hash &+ key &* 0x9e37_79b9_7f4a_7c15)
    }

    func isSame(as other: ClusterQuestion) -> Bool {
        self === other || options == other.options && filter == other.filter
    }
}
