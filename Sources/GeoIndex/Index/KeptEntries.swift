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
            // Not beyond the distance, which is below ``most``.
            unsafe distances[unchecked: left] = UInt8(truncatingIfNeeded: distance)
            left &+= isKept(distance) ? 1 : 0
        }
        count = left
    }
}

extension ResolvedFilter {
    /// The cell of the entries of a part of a page that are kept, all of which lie in it; nil when
    /// more than one kind has to be looked at, which takes ``find(in:_:_:)``.
    ///
    /// - Complexity: O(entries), several at once: no entry decides what is done with the next.
    func cell(_ key: UInt64, of page: LeafPage, _ range: Range<Int>) -> CellRun? {
        guard let soleKind, since == .min, until == .max, test == nil else { return nil }
        let kinds = page.kinds.extracting(range)
        let xs = page.xs.extracting(range)
        let ys = page.ys.extracting(range)
        let weights = page.weights.extracting(range)
        var run = CellRun(key: key, sumX: 0, sumY: 0, weight: 0, count: 0)
        // All four columns have the range's length, and a page has few entries: no sum overflows.
        // Checks of each index would keep the entries one by one.
        for index in 0..<range.count {
            let mask: UInt32 = unsafe kinds[unchecked: index] == soleKind ? .max : 0
            run.count &+= mask & 1
            unsafe run.sumX &+= UInt64(xs[unchecked: index] & mask)
            unsafe run.sumY &+= UInt64(ys[unchecked: index] & mask)
            unsafe run.weight &+= UInt64(weights[unchecked: index] & mask)
        }
        return run
    }

    /// Finds the entries of a part of a page that are kept.
    ///
    /// - Precondition: the part has at most ``KeptEntries/most`` entries.
    /// - Complexity: O(entries); columns that the filter does not ask about are not read.
    func find(in page: LeafPage, _ range: Range<Int>, _ kept: inout KeptEntries) {
        let kinds = page.kinds.extracting(range)
        if let soleKind {
            // A distance is below the range's length.
            kept.take(of: range.count) { unsafe kinds[unchecked: $0] == soleKind }
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
