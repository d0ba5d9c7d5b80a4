/// An entry that came or went: what the sums of the nodes above it change by.
struct EntryDelta {
    var key: UInt64
    var x: UInt32
    var y: UInt32
    var weight: UInt32
    var kind: UInt16
    var isAdded: Bool
}

extension EntryDelta {
    /// An entry of a page that goes.
    init(removing index: Int, of page: LeafPage) {
        self.init(
            key: page.key(index), x: page.xs[index], y: page.ys[index],
            weight: page.weights[index], kind: page.kinds[index], isAdded: false)
    }

    /// An entry that comes.
    init(adding entry: IndexEntry) {
        self.init(
            key: entry.key, x: MortonKey.compact(entry.key), y: MortonKey.compact(entry.key >> 1),
            weight: entry.weight, kind: entry.kind, isAdded: true)
    }
}

extension CellRun {
    /// Changes the sums by an entry that came, or by one that was in the cell and went.
    fileprivate mutating func apply(_ delta: EntryDelta) {
        if delta.isAdded {
            sumX += UInt64(delta.x)
            sumY += UInt64(delta.y)
            weight += UInt64(delta.weight)
            count += 1
        } else {
            sumX -= UInt64(delta.x)
            sumY -= UInt64(delta.y)
            weight -= UInt64(delta.weight)
            count -= 1
        }
    }
}

extension CellRuns {
    /// These cells after entries came and went, which are sorted by key. O(d log n) for d of them,
    /// and a copy of the rest.
    func applying(_ deltas: ArraySlice<EntryDelta>, level: UInt8) -> CellRuns {
        let shift = 64 - 2 * UInt64(level)
        var result = CellRuns()
        result.reserve(count + deltas.count)
        var done = 0
        var index = deltas.startIndex
        while index < deltas.endIndex {
            let cell = deltas[index].key >> shift
            let place = firstIndex(from: cell, after: done)
            result.copy(self, done..<place)
            let isKnown = place < count && self[place].key == cell
            var run =
                isKnown
                ? self[place] : CellRun(key: cell, sumX: 0, sumY: 0, weight: 0, count: 0)
            done = isKnown ? place + 1 : place
            repeat {
                run.apply(deltas[index])
                index += 1
            } while index < deltas.endIndex && deltas[index].key >> shift == cell
            if run.count > 0 { result.append(run) }
        }
        result.copy(self, done..<count)
        return result
    }
}

extension CellPyramid {
    /// Up to so many entries that came or went are looked for at each level.
    private static let fewDeltas = 6

    /// The kept cells after entries came and went, which are sorted by key; nil when they must be
    /// gathered from the children.
    ///
    /// The finest level that was once chosen stays until its cells are twice too many.
    func applying(_ deltas: ArraySlice<EntryDelta>) -> CellPyramid? {
        guard let last = levels.last else { return nil }
        var next: [CellRuns]
        if deltas.count <= CellPyramid.fewDeltas {
            next = levels.indices.map { index in
                levels[index].applying(deltas, level: coarsest + UInt8(index))
            }
        } else {
            // The other levels are summed up from the finest: cheaper than to look for the cells
            // of all that came and went in each.
            var rising = [last.applying(deltas, level: finestLevel)]
            while rising.count < levels.count { rising.append(rising[rising.count - 1].parents()) }
            next = rising.reversed()
        }
        while let last = next.last, last.count > 2 * CellPyramid.keptCells { next.removeLast() }
        guard let finest = next.last, finest.count > 1 else { return nil }
        // Entries that came may lie outside of the cell that held all; those that went may have
        // been the only ones outside of one.
        var top = coarsest
        while next[0].count == 1 {
            next.removeFirst()
            top += 1
        }
        while top > 0 {
            let parents = next[0].parents()
            if parents.count == 1 { break }
            next.insert(parents, at: 0)
            top -= 1
        }
        return CellPyramid(levels: next, coarsest: top)
    }
}
