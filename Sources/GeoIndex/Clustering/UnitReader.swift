/// Gives the units of one question to one snapshot: from the memo where they hold, else resolved.
struct UnitReader {
    let snapshot: IndexSnapshot
    let question: ClusterQuestion
    private let filter: ResolvedFilter?
    /// How many units were resolved.
    private(set) var resolved = 0

    /// Units that one answer may leave in the memo: one that is larger would push out all others.
    private static let mostRemembered = 4_096
    /// Empty cells that are cleared in the time in which a field is begun.
    private static let fieldCells = 6_000

    init(_ snapshot: IndexSnapshot, _ question: ClusterQuestion) {
        self.snapshot = snapshot
        self.question = question
        filter = ResolvedFilter(question.filter, kinds: snapshot.kinds)
    }

    /// The units with some keys, ascending.
    ///
    /// - Complexity: O(u) for u units that are remembered, O(u log n) after a write; for others
    ///   O(c log n) for c occupied cells in them, around them and along chains.
    mutating func units(_ keys: ArraySlice<UInt64>) -> [ClusterUnit] {
        var units: [ClusterUnit?] = []
        units.reserveCapacity(keys.count)
        var isMissing = false
        var stale: [Int] = []
        let generation = snapshot.generation
        for key in keys {
            let unit = snapshot.memo.unit(key, of: question)
            if let unit, unit.holds(for: generation) {
                units.append(unit)
            } else if let unit, unit.mayHold(for: generation) {
                stale.append(units.count)
                units.append(unit)
            } else {
                isMissing = true
                units.append(nil)
            }
        }
        if !stale.isEmpty {
            prove(stale, of: &units)
            isMissing = units.contains { $0 == nil }
        }
        if isMissing { resolveMissing(&units, keys) }
        return units.compactMap { $0 }
    }

    /// Proves units for the snapshot's generation; those that fail are taken out.
    ///
    /// What changed of late is known place by place; what did longer ago, page by page.
    private func prove(_ stale: [Int], of units: inout [ClusterUnit?]) {
        let all = stale.compactMap { units[$0] }
        guard let first = all.first else { return }
        let window = all.reduce(first.dependency) { $0.union($1.dependency) }
        let since = all.reduce(first.provedGeneration) { min($0, $1.provedGeneration) }
        let changed = snapshot.memo.log.changes.places(
            in: window, after: since, through: snapshot.generation)
        if changed == nil && isUnchanged(window, since: since) || changed?.isEmpty == true {
            // A write is mostly elsewhere: then one look at all of them together is enough.
            for unit in all { unit.prove(snapshot.generation) }
            return
        }
        for place in stale {
            guard let unit = units[place] else { continue }
            let proved = unit.provedGeneration
            let isSame =
                if let changed {
                    !changed.contains {
                        $0.generation > proved && unit.dependency.contains($0.place)
                    }
                } else {
                    isUnchanged(unit.dependency, since: proved)
                }
            if isSame { unit.prove(snapshot.generation) } else { units[place] = nil }
        }
    }

    private func isUnchanged(_ window: WorldWindow, since: UInt64) -> Bool {
        window.roughKeyRanges(level: question.options.level).allSatisfy {
            snapshot.isUnchanged(keys: $0, since: since)
        }
    }

    private mutating func resolveMissing(_ units: inout [ClusterUnit?], _ keys: ArraySlice<UInt64>)
    {
        let places = units.indices.filter { units[$0] == nil }
        let wanted = places.map { keys[keys.startIndex + $0] }
        let found = resolve(wanted)
        for (place, unit) in zip(places, found) { units[place] = unit }
        if resolved <= UnitReader.mostRemembered { remember(found) }
    }

    /// Stores units for the readers to come.
    func remember(_ units: [ClusterUnit]) {
        guard question.isMemorable else { return }
        for unit in units { snapshot.memo.insert(unit) }
    }

    /// Resolves units, ascending.
    mutating func resolve(_ keys: [UInt64]) -> [ClusterUnit] {
        resolved += keys.count
        var units: [ClusterUnit] = []
        units.reserveCapacity(keys.count)
        resolve(keys[...], blockBits: UInt64(2 * question.unitLevel), into: &units)
        return units
    }

    /// Resolves units of one quadtree block: together where that is less work than one by one,
    /// else quarter by quarter.
    ///
    /// - Parameter blockBits: The bits of a key that tell units of the block apart.
    private func resolve(
        _ keys: ArraySlice<UInt64>, blockBits: UInt64, into units: inout [ClusterUnit]
    ) {
        guard let first = keys.first, let last = keys.last else { return }
        var columns = MortonKey.compact(first)...MortonKey.compact(first)
        var rows = MortonKey.compact(first >> 1)...MortonKey.compact(first >> 1)
        if first != last {
            for key in keys {
                let column = MortonKey.compact(key)
                let row = MortonKey.compact(key >> 1)
                columns = min(column, columns.lowerBound)...max(column, columns.upperBound)
                rows = min(row, rows.lowerBound)...max(row, rows.upperBound)
            }
        }
        if first == last || isWorthOneField(keys.count, columns.count, rows.count) {
            var cutter = UnitCutter(
                snapshot, question, filter: filter, wanted: keys, columns: columns, rows: rows)
            units.append(contentsOf: cutter.cut())
            return
        }
        // Quarters whose units all lie in one of them are passed over.
        let bits = min(blockBits, (UInt64(64 - (first ^ last).leadingZeroBitCount) + 1) & ~1)
        var rest = keys
        while let next = rest.first {
            let quarter = next >> (bits - 2)
            let end = rest.firstIndex { $0 >> (bits - 2) != quarter } ?? rest.endIndex
            resolve(rest[..<end], blockBits: bits - 2, into: &units)
            rest = rest[end...]
        }
    }

    private func isWorthOneField(_ count: Int, _ columns: Int, _ rows: Int) -> Bool {
        let side = question.unitCells
        let margins = 2 * CellField.marginCells
        let cells = (columns * side + margins) * (rows * side + margins)
        let alone = (side + margins) * (side + margins) + UnitReader.fieldCells
        return cells <= Int(ClusterParts.freeCells) && cells <= count * alone
    }
}

extension WorldWindow {
    /// About ten ranges that hold the Morton keys of all points of the window, and of others
    /// up to a quarter of its size around it. O(1).
    func roughKeyRanges(level: UInt8) -> [ClosedRange<UInt64>] {
        let shift = 64 - 2 * UInt64(level)
        return QuadCover.rectangles(of: self, level: level).flatMap { rectangle in
            let longest = max(
                rectangle.x.upperBound - rectangle.x.lowerBound,
                rectangle.y.upperBound - rectangle.y.lowerBound)
            let slack = UInt8(max(2, 32 - longest.leadingZeroBitCount - 3))
            return QuadCover.cellRanges(of: rectangle, slack: slack).map {
                ($0.lowerBound << shift)...($0.upperBound << shift
                    | (shift == 64 ? .max : (1 << shift) - 1))
            }
        }
    }
}
