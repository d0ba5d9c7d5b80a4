/// Tells, entry by entry in Morton order, which cells have enough distinct owners.
///
/// Entries of one cell follow one another, so that one ``OwnerTally`` does.
struct OwnerGate {
    private let shift: UInt64
    private var cell: UInt64?
    private var owners: OwnerTally

    /// - Parameters:
    ///   - needed: How many owners a cell must have.
    ///   - level: The level of the cells.
    init(needed: Int, level: UInt8) {
        owners = OwnerTally(needed: needed)
        shift = 64 - 2 * UInt64(level)
    }

    /// Whether the cell at hand has enough owners.
    var isOpen: Bool { owners.isEnough }

    /// Whether an entry lies in another cell than the one before it, which then is complete.
    func isNewCell(_ key: UInt64) -> Bool { key >> shift != cell }

    /// Goes on to the cell of an entry.
    mutating func enterCell(of key: UInt64) {
        cell = key >> shift
        owners.reset()
    }

    /// Counts the owner of an entry of the cell at hand.
    mutating func count(owner: UInt64) { owners.count(owner) }
}
