import Synchronization

/// Collects a cluster's members and picks a page of them out of their order, without sorting all.
struct LeafSelection: RangeVisitor {
    /// Members that follow one another in a page of the index.
    private struct Run {
        var page: LeafPage
        var range: Range<Int>
        /// The number of the run's first member.
        var start: Int
    }

    private let filter: ResolvedFilter?
    private var runs: [Run] = []
    /// How many members there are.
    private var count = 0

    /// Members that are sorted rather than counted once more.
    private static let fewMembers = 2_048
    private static let sampleSize = 2_048

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
        runs.append(Run(page: page, range: range, start: count))
        count += range.count
    }

    /// The members from `offset` on in the order of their ids, up to `limit` of them.
    ///
    /// - Complexity: O(m + l log l) for m members and l on the page.
    func page(limit: Int, offset: Int, ids: IDTable) -> [PlacedObject] {
        guard offset < count, limit > 0 else { return [] }
        let range = offset..<(offset + min(limit, count - offset))
        var (candidates, wanted) = enclosing(range, words: nil)
        if candidates.hasHashed {
            // Hashes of long ids are in no order.
            (candidates, wanted) = enclosing(range, words: ids.sortKeys(of: objects))
        }
        candidates.narrow(to: &wanted, untilFew: LeafSelection.fewMembers)
        return sorted(candidates, ids)[wanted].map { placed(Int($0), ids) }
    }

    /// The packed ids of all members.
    private var objects: [UInt64] {
        [UInt64](capacity: count) { output in
            for run in runs {
                let column = run.page.objects.extracting(run.range)
                for index in column.indices { output.append(column[index]) }
            }
        }
    }

    /// Members among which those of some ranks are, and these members' ranks among them.
    ///
    /// Those between two of a sample that should enclose the wanted ones (R. W. Floyd and
    /// R. L. Rivest, "Expected time bounds for selection", 1975); all when there are few, or when
    /// the sample misleads. The keys are read where they stand: to gather them first took as long
    /// as all the rest.
    ///
    /// - Parameter words: The sort keys by the members' numbers; nil where these are the objects'
    ///   packed ids.
    private func enclosing(_ range: Range<Int>, words: [UInt64]?) -> (LeafCandidates, Range<Int>) {
        let size = LeafSelection.sampleSize
        guard count > 8 * size, count > 8 * range.count else {
            return (candidates(0...UInt64.max, words), range)
        }
        let sample = sample(words)
        // Nearly four standard deviations of a rank's place in the sample.
        let margin = size / 24
        let first = range.lowerBound * size / count - margin
        let last = range.upperBound * size / count + margin
        let lowest = first < 0 ? UInt64.min : sample[first]
        let highest = last < size ? sample[last] : UInt64.max
        let found = candidates(lowest...highest, words)
        if found.hasHashed { return (found, range) }
        guard found.before <= range.lowerBound,
            found.before + found.count >= range.upperBound
        else { return (candidates(0...UInt64.max, words), range) }
        return (found, (range.lowerBound - found.before)..<(range.upperBound - found.before))
    }

    /// The sort keys of some members, evenly spread over all, ascending.
    private func sample(_ words: [UInt64]?) -> [UInt64] {
        let size = LeafSelection.sampleSize
        var run = 0
        return (0..<size).map { place in
            let member = place * count / size
            if let words { return words[member] }
            while run + 1 < runs.count && runs[run + 1].start <= member { run += 1 }
            let page = runs[run].page
            return page.objects[runs[run].range.lowerBound + member - runs[run].start]
        }.sorted()
    }

    /// The members whose sort keys lie in a range.
    private func candidates(_ keys: ClosedRange<UInt64>, _ words: [UInt64]?) -> LeafCandidates {
        var found = LeafCandidates()
        if let words {
            found.add(words.span, from: 0, in: keys)
            found.hasHashed = false
        } else {
            for run in runs {
                found.add(run.page.objects.extracting(run.range), from: run.start, in: keys)
                if found.hasHashed { return found }
            }
        }
        return found
    }

    /// Members in the order of their ids.
    private func sorted(_ candidates: LeafCandidates, _ ids: IDTable) -> [UInt32] {
        let keys = candidates.keys.span
        let members = candidates.members.span
        let objects = (0..<candidates.count).map { object(Int(members[$0])) }
        let order = Array(0..<candidates.count)
        guard objects.contains(where: \.isHashed) else {
            return order.sorted { keys[$0] < keys[$1] }.map { members[$0] }
        }
        // Each text is looked up once, not at every comparison.
        let texts = objects.map { ids.id(of: $0) }
        return order.sorted { left, right in
            if keys[left] != keys[right] { return keys[left] < keys[right] }
            return texts[left].utf8.lexicographicallyPrecedes(texts[right].utf8)
        }.map { members[$0] }
    }

    private func place(of member: Int) -> (page: LeafPage, index: Int) {
        var low = 0
        var high = runs.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if runs[middle].start <= member { low = middle } else { high = middle }
        }
        return (runs[low].page, runs[low].range.lowerBound + member - runs[low].start)
    }

    private func object(_ member: Int) -> ObjectKey {
        let (page, index) = place(of: member)
        return ObjectKey(bits: page.objects[index])
    }

    private func placed(_ member: Int, _ ids: IDTable) -> PlacedObject {
        let (page, index) = place(of: member)
        return PlacedObject(
            id: ids.id(of: ObjectKey(bits: page.objects[index])),
            position: RoundedPosition(trustedLonE7: page.lonE7(index), latE7: page.latE7[index]))
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
