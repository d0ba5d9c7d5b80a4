/// Tells, entry by entry in Morton order, which cells have enough distinct owners.
///
/// Entries of one cell follow one another. The gate counts a cell's owners exactly, and no more of
/// them than are needed; owner 0 is nobody and counts for none.
struct OwnerGate {
    /// Up to this many owners a plain search is faster than a hash table.
    private static let fewOwners = 16

    private let needed: Int
    private let shift: UInt64
    private var cell: UInt64?
    private var few: [UInt64] = []
    private var many: Set<UInt64> = []

    /// - Parameters:
    ///   - needed: How many owners a cell must have.
    ///   - level: The level of the cells.
    init(needed: Int, level: UInt8) {
        self.needed = needed
        shift = 64 - 2 * UInt64(level)
    }

    /// Whether the cell at hand has enough owners.
    var isOpen: Bool { max(few.count, many.count) >= needed }

    /// Whether an entry lies in another cell than the one before it, which then is complete.
    func isNewCell(_ key: UInt64) -> Bool { key >> shift != cell }

    /// Goes on to the cell of an entry.
    mutating func enterCell(of key: UInt64) {
        cell = key >> shift
        few.removeAll(keepingCapacity: true)
        many.removeAll(keepingCapacity: true)
    }

    /// Counts the owner of an entry of the cell at hand. O(1): at most 16 comparisons or a hash.
    mutating func count(owner: UInt64) {
        guard owner != 0, !isOpen else { return }
        if needed > OwnerGate.fewOwners {
            many.insert(owner)
        } else if !few.contains(owner) {
            few.append(owner)
        }
    }
}
