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

    init(filter: ResolvedFilter?) { self.filter = filter }

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
        var selection = Selection(range: offset..<end, members: Array(0..<UInt32(keys.count)))
        selection.narrow(keys)
        let members = selection.members.sorted { left, right in
            let (first, second) = (keys[Int(left)], keys[Int(right)])
            if first != second { return first < second }
            return ids.precedes(
                ObjectKey(bits: objects[Int(left)]), ObjectKey(bits: objects[Int(right)]))
        }
        return members[selection.range].map { placed(Int($0), ids) }
    }

    /// Words in the order of the ids; equal only for long ids that start alike.
    private func sortKeys(_ ids: IDTable) -> [UInt64] {
        guard objects.contains(where: { ObjectKey(bits: $0).isHashed }) else { return objects }
        return objects.map { ids.sortKey(of: ObjectKey(bits: $0)) }
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
        var range: Range<Int>
        var members: [UInt32]

        /// Leaves members out that come before or after the wanted ones, by a histogram of the
        /// keys between the smallest and the largest, until few are left.
        mutating func narrow(_ keys: [UInt64]) {
            let keys = keys.span
            while members.count > fewMembers && members.count > 4 * range.count {
                var lowest = UInt64.max
                var highest = UInt64.min
                for member in members {
                    lowest = min(lowest, keys[Int(member)])
                    highest = max(highest, keys[Int(member)])
                }
                let bits = UInt64(64 - (highest - lowest).leadingZeroBitCount)
                let shift = bits - min(bits, bucketBits)
                var counts = [Int](repeating: 0, count: 1 << Int(bucketBits))
                for member in members { counts[Int((keys[Int(member)] - lowest) >> shift)] += 1 }
                var before = 0
                var first = 0
                while before + counts[first] <= range.lowerBound {
                    before += counts[first]
                    first += 1
                }
                var upTo = before + counts[first]
                var last = first
                while upTo < range.upperBound {
                    last += 1
                    upTo += counts[last]
                }
                let kept = members.filter { member in
                    let bucket = Int((keys[Int(member)] - lowest) >> shift)
                    return first <= bucket && bucket <= last
                }
                if kept.count == members.count { return }
                members = kept
                range = (range.lowerBound - before)..<(range.upperBound - before)
            }
        }
    }
}

extension IDTable {
    /// A word that orders ids as their bytes do: the first ten symbols, packed. Longer ids come
    /// after the ten symbols that they start with; those that start alike have the same word.
    fileprivate func sortKey(of key: ObjectKey) -> UInt64 {
        guard key.isHashed else { return key.bits }
        let start = id(of: key).prefix(ObjectKey.packedLength)
        guard let packed = ObjectKey(packing: String(start)) else {
            preconditionFailure("an id of this table is of its alphabet")
        }
        // 15 where a packed id has its length, at most 10.
        return packed.bits | 15
    }
}
