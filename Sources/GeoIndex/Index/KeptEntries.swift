/// The entries of a part of a page that a filter keeps, as their distances from its start.
struct KeptEntries {
    /// The most entries of a page that are looked at together: a distance has 8 bits.
    static let most = 256

    private(set) var distances = InlineArray<256, UInt8>(repeating: 0)
    private(set) var count = 0

    /// Leaves those that a condition does not hold for out; called with distances.
    @inline(__always)
    mutating func narrow(_ isKept: (Int) -> Bool) {
        var left = 0
        for place in 0..<count {
            let distance = distances[place]
            // Each is written and some are written over: no branch that nobody can foretell.
            distances[left] = distance
            left &+= isKept(Int(distance)) ? 1 : 0
        }
        count = left
    }

    /// Takes those of `total` that a condition holds for in place of what was there.
    ///
    /// - Precondition: `total` is at most ``most``.
    @inline(__always)
    mutating func take(of total: Int, _ isKept: (Int) -> Bool) {
        precondition(total <= KeptEntries.most, "\(total) entries are too many at once")
        var left = 0
        for distance in 0..<total {
            // Not beyond the distance.
            distances[left] = UInt8(truncatingIfNeeded: distance)
            left &+= isKept(distance) ? 1 : 0
        }
        count = left
    }
}

extension ResolvedFilter {
    /// Finds the entries of a part of a page that are kept.
    ///
    /// - Precondition: the part has at most ``KeptEntries/most`` entries.
    /// - Complexity: O(entries); columns that the filter does not ask about are not read.
    func find(in page: LeafPage, _ range: Range<Int>, _ kept: inout KeptEntries) {
        let kinds = page.kinds.extracting(range)
        if let soleKind {
            kept.take(of: range.count) { kinds[$0] == soleKind }
        } else if let keptKinds {
            let flags = keptKinds.span
            kept.take(of: range.count) { flags[Int(kinds[$0])] }
        } else {
            kept.take(of: range.count) { _ in true }
        }
        if since > .min || until < .max {
            let times = page.times.extracting(range)
            // `until` at the end of time leaves out nothing.
            kept.narrow { times[$0] >= since && (times[$0] < until || until == .max) }
        }
        if let test {
            let objects = page.objects.extracting(range)
            kept.narrow { test(ObjectKey(bits: objects[$0])) }
        }
    }
}
