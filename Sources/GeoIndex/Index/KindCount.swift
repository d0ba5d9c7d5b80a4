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

    /// Takes one entry of a kind away, which was counted before.
    mutating func remove(_ kind: UInt16) { byNumber[Int(kind)] -= 1 }

    /// The list. O(kinds).
    var counts: [KindCount] {
        byNumber.indices.compactMap { kind in
            byNumber[kind] == 0 ? nil : KindCount(kind: UInt16(kind), count: byNumber[kind])
        }
    }
}

extension KindCount {
    /// The sum of two lists. O(n + kinds).
    static func merging(_ left: [KindCount], _ right: [KindCount]) -> [KindCount] {
        if left.isEmpty { return right }
        var counter = KindCounter(left)
        counter.add(right)
        return counter.counts
    }
}
