/// Members of a cluster with their sort keys, of which some ranks are wanted.
struct LeafCandidates {
    /// The first ``count`` of both are in use.
    private(set) var keys: [UInt64] = []
    /// Numbers of members.
    private(set) var members: [UInt32] = []
    private(set) var count = 0
    /// How many keys below the range were seen.
    private(set) var before = 0
    /// Whether one of the keys that were seen is that of a long id.
    var hasHashed = false

    /// log2 of the number of buckets of a histogram.
    private static let bucketBits: UInt64 = 12

    /// Adds those of some keys that lie in a range.
    ///
    /// - Parameter start: The number of the first key's member.
    mutating func add(_ column: Span<UInt64>, from start: Int, in range: ClosedRange<UInt64>) {
        if members.count < count + column.count {
            let more = max(count + column.count, 2 * members.count) - members.count
            keys.append(contentsOf: repeatElement(0, count: more))
            members.append(contentsOf: repeatElement(0, count: more))
        }
        LeafCandidates.sift(
            column, from: start, in: range, into: &keys, &members, &count, &before, &hasHashed)
    }

    private static func sift(
        _ column: Span<UInt64>, from start: Int, in range: ClosedRange<UInt64>,
        into keys: inout [UInt64], _ members: inout [UInt32], _ kept: inout Int,
        _ below: inout Int, _ hasHashed: inout Bool
    ) {
        let lowest = range.lowerBound
        let width = range.upperBound &- lowest
        var keys = keys.mutableSpan
        var members = members.mutableSpan
        var count = kept
        var before = 0
        var marks: UInt64 = 0
        for index in column.indices {
            // Each is written and most are written over: no branch that nobody can foretell.
            let key = column[index]
            keys[count] = key
            members[count] = UInt32(truncatingIfNeeded: start &+ index)
            before &+= key < lowest ? 1 : 0
            count &+= key &- lowest <= width ? 1 : 0
            // 16 only for the lowest bits of a hash.
            marks |= (key & 15) &+ 1
        }
        kept = count
        below += before
        if marks & 16 != 0 { hasHashed = true }
    }

    /// Leaves members out that do not have the wanted ranks, until there are few.
    mutating func narrow(to range: inout Range<Int>, untilFew few: Int) {
        while count > few && count > 4 * range.count {
            let (column, numbers) = (self.keys, self.members)
            let keys = column.span.extracting(first: count)
            var lowest = UInt64.max
            var highest = UInt64.min
            for index in keys.indices {
                lowest = min(lowest, keys[index])
                highest = max(highest, keys[index])
            }
            var buckets = Buckets(lowest: lowest, highest: highest)
            for index in keys.indices { buckets.count(keys[index]) }
            let kept = buckets.choose(&range)
            if kept.count == count { return }
            var left = LeafCandidates()
            left.keys.reserveCapacity(kept.count)
            left.members.reserveCapacity(kept.count)
            for index in keys.indices where kept.keys.contains(keys[index]) {
                left.keys.append(keys[index])
                left.members.append(numbers[index])
            }
            left.count = kept.count
            self = left
        }
    }

    /// A histogram of keys between the smallest and the largest.
    private struct Buckets {
        private let lowest: UInt64
        private let shift: UInt64
        private var counts = [UInt32](repeating: 0, count: 1 << Int(bucketBits))

        init(lowest: UInt64, highest: UInt64) {
            self.lowest = lowest
            let bits = UInt64(64 - (highest - lowest).leadingZeroBitCount)
            shift = bits - min(bits, bucketBits)
        }

        @inline(__always)
        mutating func count(_ key: UInt64) {
            // Not below the lowest, and the shift leaves 12 bits.
            counts[Int(truncatingIfNeeded: (key &- lowest) >> shift)] &+= 1
        }

        /// The keys of the buckets that hold the wanted ranks, and how many there are; the ranks
        /// count from the first of these buckets on from now on.
        func choose(_ range: inout Range<Int>) -> (keys: ClosedRange<UInt64>, count: Int) {
            var before = 0
            var first = 0
            while before + Int(counts[first]) <= range.lowerBound {
                before += Int(counts[first])
                first += 1
            }
            var upTo = before + Int(counts[first])
            var last = first
            while upTo < range.upperBound {
                last += 1
                upTo += Int(counts[last])
            }
            range = (range.lowerBound - before)..<(range.upperBound - before)
            let start = lowest + UInt64(first) << shift
            // The last bucket may end beyond the last key there can be.
            let (end, isOver) = (lowest + UInt64(last) << shift).addingReportingOverflow(
                (1 << shift) - 1)
            return (start...(isOver ? .max : end), upTo - before)
        }
    }
}
