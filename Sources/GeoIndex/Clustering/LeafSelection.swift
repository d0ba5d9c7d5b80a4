import Synchronization

/// Collects a cluster's members and picks a page of them out of their order, without sorting all.
struct LeafSelection: RangeVisitor {
    /// Members that follow one another in a page of the index.
    private struct Run {
        var page: LeafPage
        var first: Int
        /// The number of the run's first member.
        var start: Int
    }

    private let filter: ResolvedFilter?
    private var objects: [UInt64] = []
    private var runs: [Run] = []

    /// Buckets of the histogram, and members that are sorted rather than counted once more.
    private static let bucketBits: UInt64 = 12
    private static let fewMembers = 2_048
    private static let sampleSize = 2_048

    /// - Parameter expected: How many members there are.
    init(filter: ResolvedFilter?, expected: Int) {
        self.filter = filter
        objects.reserveCapacity(expected)
    }

    func enters(_ summary: NodeSummary) -> Bool { filter?.mayKeep(summary) ?? true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        guard let filter else { return add(page, range) }
        var first: Int?
        for index in range {
            if filter.keeps(page, index) {
                first = first ?? index
            } else if let start = first {
                add(page, start..<index)
                first = nil
            }
        }
        if let first { add(page, first..<range.upperBound) }
    }

    private mutating func add(_ page: LeafPage, _ range: Range<Int>) {
        runs.append(Run(page: page, first: range.lowerBound, start: objects.count))
        let column = page.objects.extracting(range)
        objects.append(addingCapacity: column.count) { output in
            for index in column.indices { output.append(column[index]) }
        }
    }

    /// The members from `offset` on in the order of their ids, up to `limit` of them.
    ///
    /// - Complexity: O(m + l log l) for m members and l on the page.
    func page(limit: Int, offset: Int, ids: IDTable) -> [PlacedObject] {
        guard offset < objects.count, limit > 0 else { return [] }
        let keys = sortKeys(ids)
        let end = offset + min(limit, objects.count - offset)
        var selection = Selection(offset..<end, of: keys)
        selection.narrow(keys)
        let members = sorted(selection.members, by: keys, ids)
        return members[selection.range].map { placed(Int($0), ids) }
    }

    /// Members in the order of their ids.
    private func sorted(_ members: [UInt32], by keys: [UInt64], _ ids: IDTable) -> [UInt32] {
        guard members.contains(where: { ObjectKey(bits: objects[Int($0)]).isHashed }) else {
            return members.sorted { keys[Int($0)] < keys[Int($1)] }
        }
        // Each text is looked up once, not at every comparison.
        let texts = members.map { ids.id(of: ObjectKey(bits: objects[Int($0)])) }
        let places = members.indices.sorted { left, right in
            let first = keys[Int(members[left])]
            let second = keys[Int(members[right])]
            if first != second { return first < second }
            return texts[left].utf8.lexicographicallyPrecedes(texts[right].utf8)
        }
        return places.map { members[$0] }
    }

    /// Words in the order of the ids; equal only for long ids that start alike.
    private func sortKeys(_ ids: IDTable) -> [UInt64] {
        guard objects.contains(where: { ObjectKey(bits: $0).isHashed }) else { return objects }
        return ids.sortKeys(of: objects)
    }

    private func placed(_ member: Int, _ ids: IDTable) -> PlacedObject {
        var low = 0
        var high = runs.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if runs[middle].start <= member { low = middle } else { high = middle }
        }
        let index = runs[low].first + member - runs[low].start
        let page = runs[low].page
        return PlacedObject(
            id: ids.id(of: ObjectKey(bits: page.objects[index])),
            position: RoundedPosition(trustedLonE7: page.lonE7(index), latE7: page.latE7[index]))
    }

    /// Members among which the wanted ones are, and their ranks among these.
    private struct Selection {
        private(set) var range: Range<Int>
        private(set) var members: [UInt32]

        /// Starts with the members between two of a sample that should enclose the wanted ones
        /// (R. W. Floyd and R. L. Rivest, "Expected time bounds for selection", 1975); with all
        /// of them when there are few, or when the sample misleads.
        init(_ range: Range<Int>, of keys: [UInt64]) {
            self.range = range
            members = []
            guard keys.count > 8 * sampleSize, keys.count > 8 * range.count else {
                members = Array(0..<UInt32(keys.count))
                return
            }
            let sample = (0..<sampleSize).map { keys[$0 * keys.count / sampleSize] }.sorted()
            // Nearly four standard deviations of a rank's place in the sample.
            let margin = sampleSize / 24
            let first = range.lowerBound * sampleSize / keys.count - margin
            let last = range.upperBound * sampleSize / keys.count + margin
            let lowest = first < 0 ? UInt64.min : sample[first]
            let highest = last < sampleSize ? sample[last] : UInt64.max
            let column = keys.span
            var before = 0
            var count = 0
            members = [UInt32](repeating: 0, count: keys.count)
            var kept = members.mutableSpan
            // Each is written and most are written over: no branch that nobody can foretell.
            for index in column.indices {
                let key = column[index]
                kept[count] = UInt32(truncatingIfNeeded: index)
                before &+= key < lowest ? 1 : 0
                count &+= key &- lowest <= highest &- lowest ? 1 : 0
            }
            members.removeLast(keys.count - count)
            if before <= range.lowerBound && before + members.count >= range.upperBound {
                self.range = (range.lowerBound - before)..<(range.upperBound - before)
            } else {
                members = Array(0..<UInt32(keys.count))
            }
        }

        /// Leaves more of them out, until few are left.
        mutating func narrow(_ keys: [UInt64]) {
            let keys = keys.span
            while members.count > fewMembers && members.count > 4 * range.count {
                var lowest = UInt64.max
                var highest = UInt64.min
                for member in members {
                    lowest = min(lowest, keys[Int(member)])
                    highest = max(highest, keys[Int(member)])
                }
                var buckets = Buckets(lowest: lowest, highest: highest)
                for member in members { buckets.count(keys[Int(member)]) }
                let kept = buckets.choose(&range)
                if kept.count == members.count { return }
                members = members.filter { kept.keys.contains(keys[Int($0)]) }
            }
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

extension IDTable {
    /// Keys that are looked up before others get a turn at the table.
    private static let keysAtOnce = 1_024

    /// Words that order ids as their bytes do: the first ten symbols, packed. Longer ids come
    /// after the ten symbols that they start with; those that start alike have the same word.
    ///
    /// - Complexity: O(1) a key: about 0.1 µs for a long id.
    fileprivate func sortKeys(of objects: [UInt64]) -> [UInt64] {
        var keys = objects
        for start in stride(from: 0, to: keys.count, by: IDTable.keysAtOnce) {
            let end = min(start + IDTable.keysAtOnce, keys.count)
            texts.withLock { texts in
                for place in start..<end where ObjectKey(bits: keys[place]).isHashed {
                    guard let text = texts[keys[place]] else {
                        preconditionFailure("the key \(keys[place]) was not made by this table")
                    }
                    keys[place] = IDTable.sortKey(of: text)
                }
            }
        }
        return keys
    }

    private static func sortKey(of text: String) -> UInt64 {
        var word: UInt64 = 0
        for byte in text.utf8.prefix(ObjectKey.packedLength) {
            guard let digit = ObjectKey.digit(ofSymbol: byte) else {
                preconditionFailure("an id of this table is of its alphabet")
            }
            word = word << 6 | digit
        }
        // 15 where a packed id has its length, at most 10.
        return word << 4 | 15
    }
}
