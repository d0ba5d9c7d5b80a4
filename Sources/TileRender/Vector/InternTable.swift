import GeoIndex

/// Fields of one message that stand in it once each, with their numbers in the order in which they
/// came first: the keys or the values of a layer (Vector Tile Specification 2.1, §4.4).
///
/// Whoever adds a field appends its bytes and settles it; a field that is there already goes again.
/// Nothing is allocated for a field beyond the growth of the three arrays.
struct InternTable {
    /// All fields, one behind the other.
    var bytes: [UInt8] = []
    /// Where each field ends.
    private var ends: [Int] = []
    /// One more than the number of a field by its hash, 0 is free; a power of two of them.
    private var slots: [UInt32]

    private static let firstSlots = 64

    init() { slots = [UInt32](repeating: 0, count: InternTable.firstSlots) }

    /// How many fields there are.
    var count: Int { ends.count }

    /// The number of the field whose bytes were appended last, behind `start`.
    ///
    /// - Complexity: O(bytes of the field), amortised.
    mutating func settle(from start: Int) -> UInt32 {
        var slot = slot(of: start..<bytes.count)
        let mask = slots.count - 1
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if isSame(number, start..<bytes.count) {
                bytes.removeLast(bytes.count - start)
                return UInt32(number)
            }
            slot = (slot + 1) & mask
        }
        ends.append(bytes.count)
        slots[slot] = UInt32(ends.count)
        if 2 * ends.count > slots.count { grow() }
        return UInt32(ends.count - 1)
    }

    /// Forgets all fields and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        for index in slots.indices { slots[index] = 0 }
    }

    private func range(_ number: Int) -> Range<Int> {
        (number == 0 ? 0 : ends[number - 1])..<ends[number]
    }

    /// Where the search for a field begins.
    private func slot(of range: Range<Int>) -> Int {
        let bytes = bytes.span
        var hash = UInt64(range.count)
        var word: UInt64 = 0
        for place in range {
            word = word << 8 | UInt64(bytes[place])
            if (place - range.lowerBound) & 7 == 7 {
                hash = StableHash.finalize(hash ^ word)
                word = 0
            }
        }
        return Int(truncatingIfNeeded: StableHash.finalize(hash ^ word)) & (slots.count - 1)
    }

    private func isSame(_ number: Int, _ other: Range<Int>) -> Bool {
        let known = range(number)
        guard known.count == other.count else { return false }
        let bytes = bytes.span
        for index in 0..<known.count
        where bytes[known.lowerBound + index] != bytes[other.lowerBound + index] {
            return false
        }
        return true
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: 2 * slots.count)
        let mask = slots.count - 1
        for number in ends.indices {
            var slot = slot(of: range(number))
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(number + 1)
        }
    }
}
