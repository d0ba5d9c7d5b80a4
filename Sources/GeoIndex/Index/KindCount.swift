/// How often one kind occurs. Lists of them ascend by number; kinds that do not occur are left out.
struct KindCount: Sendable, Equatable {
    var kind: UInt16
    var count: UInt32
}

extension KindCount {
    /// Counts the kinds of a page. O(entries + kinds).
    static func counting(_ kinds: Span<UInt16>) -> [KindCount] {
        var counts = [UInt32]()
        for index in kinds.indices { add(1, of: kinds[index], to: &counts) }
        return compacted(counts)
    }

    /// The sum of many lists. O(n + kinds).
    static func total(of lists: [[KindCount]]) -> [KindCount] {
        var counts = [UInt32]()
        for list in lists {
            for item in list { add(item.count, of: item.kind, to: &counts) }
        }
        return compacted(counts)
    }

    /// The sum of two lists. O(n + kinds).
    static func merging(_ left: [KindCount], _ right: [KindCount]) -> [KindCount] {
        left.isEmpty ? right : total(of: [left, right])
    }

    /// A list from which one part of it was taken out and another put in. O(n + kinds).
    static func replacing(
        _ old: [KindCount], by new: [KindCount], in list: [KindCount]
    ) -> [KindCount] {
        if old == new { return list }
        var counts = [UInt32]()
        for item in list { add(item.count, of: item.kind, to: &counts) }
        for item in new { add(item.count, of: item.kind, to: &counts) }
        for item in old { counts[Int(item.kind)] -= item.count }
        return compacted(counts)
    }

    @inline(__always)
    private static func add(_ count: UInt32, of kind: UInt16, to counts: inout [UInt32]) {
        if Int(kind) >= counts.count {
            counts.append(contentsOf: repeatElement(0, count: Int(kind) + 1 - counts.count))
        }
        counts[Int(kind)] += count
    }

    private static func compacted(_ counts: [UInt32]) -> [KindCount] {
        counts.indices.compactMap { kind in
            counts[kind] == 0 ? nil : KindCount(kind: UInt16(kind), count: counts[kind])
        }
    }
}
