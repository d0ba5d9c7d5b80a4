/// Which units of a ``PageHeap``'s large page are free: a bit for each, set when it is.
struct FreeUnits {
    /// Units of a large page.
    static let count = HugePages.bytes / PageHeap.unitBytes
    private static let wordBits = UInt64.bitWidth

    private var words = [UInt64](repeating: .max, count: FreeUnits.count / FreeUnits.wordBits)
    private(set) var freeCount = FreeUnits.count
    /// No run of free units is longer.
    private(set) var longestAtMost = FreeUnits.count

    var isEmpty: Bool { freeCount == FreeUnits.count }

    /// Takes the first run of free units of a length, and gives its start; nil when there is none.
    ///
    /// - Precondition: the length is positive.
    /// - Complexity: O(words of the bits).
    mutating func take(_ length: Int) -> Int? {
        guard length <= longestAtMost else { return nil }
        guard let start = firstRun(of: length) else { return nil }
        set(start, length, free: false)
        freeCount -= length
        return start
    }

    /// Gives units back that were taken.
    mutating func give(_ start: Int, _ length: Int) {
        set(start, length, free: true)
        freeCount += length
        longestAtMost = freeCount
    }

    /// The start of the first run of free units that is as long; learns the longest when none is.
    private mutating func firstRun(of length: Int) -> Int? {
        var longest = 0
        var run = 0
        for (number, word) in words.enumerated() {
            if word == .max {
                run += FreeUnits.wordBits
                if run >= length { return (number + 1) * FreeUnits.wordBits - run }
                continue
            }
            var rest = word
            var place = 0
            while place < FreeUnits.wordBits {
                let ones = min((~rest).trailingZeroBitCount, FreeUnits.wordBits - place)
                run += ones
                place += ones
                if run >= length { return number * FreeUnits.wordBits + place - run }
                if place == FreeUnits.wordBits { break }
                longest = max(longest, run)
                run = 0
                // The shifts of Swift give 0 for all bits and more.
                rest >>= UInt64(ones)
                let zeros = min(rest.trailingZeroBitCount, FreeUnits.wordBits - place)
                rest >>= UInt64(zeros)
                place += zeros
            }
        }
        longestAtMost = max(longest, run)
        return nil
    }

    private mutating func set(_ start: Int, _ length: Int, free: Bool) {
        var place = start
        let end = start + length
        while place < end {
            let (number, bit) = place.quotientAndRemainder(dividingBy: FreeUnits.wordBits)
            let bits = min(FreeUnits.wordBits - bit, end - place)
            let mask = (UInt64.max >> UInt64(FreeUnits.wordBits - bits)) << UInt64(bit)
            precondition(
                words[number] & mask == (free ? 0 : mask), "units are taken and given by turns")
            words[number] ^= mask
            place += bits
        }
    }
}
