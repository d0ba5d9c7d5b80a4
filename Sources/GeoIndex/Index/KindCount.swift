/// How often one kind occurs. Lists of them ascend by number; kinds that do not occur are left out.
struct KindCount: Sendable, Equatable {
    var kind: UInt16
    var count: UInt32
}

/// Adds up how often kinds occur.
struct KindCounter {
    private var byNumber: [UInt32] = []

    /// Starts from a list.
    init(_ counts: [KindCount] = []) { add(counts) }

    /// Counts entries' kinds. O(entries).
    mutating func add(_ kinds: Span<UInt16>) {
        for index in kinds.indices { add(1, of: kinds[index]) }
    }

    /// Adds a list. O(kinds).
    mutating func add(_ counts: [KindCount]) {
        for item in counts { add(item.count, of: item.kind) }
    }

    @inline(__always)
    mutating func add(_ count: UInt32, of kind: UInt16) {
        if Int(kind) >= byNumber.count {
            byNumber.append(contentsOf: repeatElement(0, count: Int(kind) + 1 - byNumber.count))
        }
        byNumber[Int(kind)] += count
    }

    /// The list. O(kinds).
    var counts: [KindCount] {
        byNumber.indices.compactMap { kind in
            byNumber[kind] == 0 ? nil : KindCount(kind: UInt16(kind), count: byNumber[kind])
        }
    }
}

extension KindCount {
    /// A list after entries came and went, of which none goes that was not counted. O(kinds), and
    /// O(log kinds) for each of them.
    static func changing(
        _ counts: [KindCount], by deltas: ArraySlice<EntryDelta>
    ) -> [KindCount] {
        var result = counts
        for delta in deltas {
            let index = firstIndex(of: delta.kind, in: result)
            let isKnown = index < result.count && result[index].kind == delta.kind
            switch (delta.isAdded, isKnown) {
            case (true, true): result[index].count += 1
            case (true, false): result.insert(KindCount(kind: delta.kind, count: 1), at: index)
            case (false, true) where result[index].count > 1: result[index].count -= 1
            case (false, true): result.remove(at: index)
            case (false, false): preconditionFailure("an entry went that was not counted")
            }
        }
        return result
    }

    /// The first place in an ascending list whose kind is at least `kind`.
    private static func firstIndex(of kind: UInt16, in counts: [KindCount]) -> Int {
        var low = 0
        var high = counts.count
        while low < high {
            let middle = (low + high) / 2
            if counts[middle].kind < kind { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The sum of two lists. O(n + kinds).
    static func merging(_ left: [KindCount], _ right: [KindCount]) -> [KindCount] {
        if left.isEmpty { return right }
        var counter = KindCounter(left)
        counter.add(right)
        return counter.counts
    }
}
