/// Counts distinct owners exactly, and no more of them than are needed; owner 0 is nobody and
/// counts for none.
struct OwnerTally {
    /// Up to this many owners a plain search is faster than a hash table.
    private static let fewOwners = 16

    private let needed: Int
    private var few: [UInt64] = []
    private var many: Set<UInt64> = []

    /// - Parameter needed: How many owners are enough.
    init(needed: Int) { self.needed = needed }

    /// Whether there are enough.
    var isEnough: Bool { max(few.count, many.count) >= needed }

    /// Counts an owner. O(1): at most 16 comparisons or a hash.
    mutating func count(_ owner: UInt64) {
        guard owner != 0, !isEnough else { return }
        if needed > OwnerTally.fewOwners {
            many.insert(owner)
        } else if !few.contains(owner) {
            few.append(owner)
        }
    }

    /// Begins anew.
    mutating func reset() {
        few.removeAll(keepingCapacity: true)
        many.removeAll(keepingCapacity: true)
    }
}
