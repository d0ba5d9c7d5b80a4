/// Gives the units of one question to one snapshot: from the memo where they hold, else resolved.
struct UnitReader {
    let snapshot: IndexSnapshot
    let question: ClusterQuestion
    private let filter: ResolvedFilter?
    /// How many units were resolved.
    private(set) var resolved = 0

    /// Units that one answer may leave in the memo: one that is larger would push out all others.
    private static let mostRemembered = 4_096

    init(_ snapshot: IndexSnapshot, _ question: ClusterQuestion) {
        self.snapshot = snapshot
        self.question = question
        filter = ResolvedFilter(question.filter, kinds: snapshot.kinds)
    }

    /// The units with some keys, ascending, resolved at need.
    ///
    /// - Complexity: O(u) for u units that are remembered, O(u log n) after a write; for others
    ///   O(c log n) for c occupied cells in them, around them and along chains.
    mutating func units(_ keys: ArraySlice<UInt64>) -> [ClusterUnit] {
        var units = KeptUnits(snapshot, question).units(keys)
        takeFromLayer(keys, &units)
        let missing = units.indices.filter { units[$0] == nil }
        if !missing.isEmpty { resolve(missing, of: &units, keys) }
        return units.compactMap { $0 }
    }

    /// Units for a view, ascending: those that are remembered, and those that are worth it because
    /// they were asked for before and have stayed as they were, or because all together are no more
    /// work. nil for the rest, which are marked; units without an object are left out.
    ///
    /// - Parameter window: What of the units is looked at.
    /// - Complexity: as ``units(_:)``.
    mutating func worthyUnits(_ keys: ArraySlice<UInt64>, in window: WorldWindow)
        -> [(key: UInt64, unit: ClusterUnit?)]
    {
        let known = KeptUnits(snapshot, question).units(keys)
        var found: [(key: UInt64, unit: ClusterUnit?)] = []
        found.reserveCapacity(known.count)
        var missing: [Int] = []
        for (key, unit) in zip(keys, known) {
            if unit == nil {
                if !snapshot.hasEntries(in: question.keys(ofUnit: key)) { continue }
                missing.append(found.count)
            }
            found.append((key, unit))
        }
        missing = takeWorthyFromLayer(missing, of: &found, in: window)
        if missing.isEmpty { return found }
        let hashes = missing.map { question.hash(ofUnit: found[$0].key) }
        var worthy = admitted(missing.map { found[$0].key }, hashes)
        if worthy.contains(true) {
            if areBetterTogether(missing.map { found[$0].key }, worthy, in: window) {
                worthy = Array(repeating: true, count: missing.count)
            }
            let places = zip(missing, worthy).compactMap { $1 ? $0 : nil }
            let units = resolve(places.map { found[$0].key })
            remember(units)
            for (place, unit) in zip(places, units) { found[place].unit = unit }
        }
        let marked = zip(hashes, worthy).compactMap { $1 ? nil : $0 }
        if !marked.isEmpty { snapshot.memo.door.mark(marked, generation: snapshot.generation) }
        return found
    }

    /// Of a view, has the layer below resolve and remember what is missing for both.
    ///
    /// - Returns: The places of units that are the view's own, and are missing still.
    private func takeWorthyFromLayer(
        _ missing: [Int], of found: inout [(key: UInt64, unit: ClusterUnit?)],
        in window: WorldWindow
    ) -> [Int] {
        guard let underlay = snapshot.underlay, !missing.isEmpty else { return missing }
        var own: [Int] = []
        var shared: [Int] = []
        for place in missing {
            if underlay.differs(in: question.surroundings(ofUnit: found[place].key)) {
                own.append(place)
            } else {
                shared.append(place)
            }
        }
        if shared.isEmpty { return own }
        var reader = UnitReader(underlay.base, question)
        let units = reader.worthyUnits(ArraySlice(shared.map { found[$0].key }), in: window)
        // Both have the same entries there, so that no unit was left out.
        for (place, (_, unit)) in zip(shared, units) {
            guard let unit else { continue }
            if underlay.differs(in: unit.dependency) {
                own.append(place)
            } else {
                found[place].unit = unit
            }
        }
        return own.sorted()
    }

    /// The same for all that is missing, worthy or not.
    private mutating func takeFromLayer(
        _ keys: ArraySlice<UInt64>, _ units: inout [ClusterUnit?]
    ) {
        guard let underlay = snapshot.underlay else { return }
        let shared = units.indices.filter {
            units[$0] == nil
                && !underlay.differs(
                    in: question.surroundings(ofUnit: keys[keys.startIndex + $0]))
        }
        if shared.isEmpty { return }
        var reader = UnitReader(underlay.base, question)
        let found = reader.units(ArraySlice(shared.map { keys[keys.startIndex + $0] }))
        resolved += reader.resolved
        for (place, unit) in zip(shared, found) where !underlay.differs(in: unit.dependency) {
            units[place] = unit
        }
    }

    /// Whether to resolve all units is no more work than to resolve the worthy ones and, beside
    /// them, what of the others is looked at.
    private func areBetterTogether(
        _ keys: [UInt64], _ worthy: [Bool], in window: WorldWindow
    ) -> Bool {
        guard worthy.contains(false) else { return true }
        let whole = UnitGroups(question, in: .world)
        let some = zip(keys, worthy).compactMap { $1 ? $0 : nil }
        let others = zip(keys, worthy).compactMap { $1 ? nil : $0 }
        return whole.cost(of: keys)
            <= whole.cost(of: some) + UnitGroups(question, in: window).cost(of: others)
    }

    /// Which units were marked, and have not changed since.
    private func admitted(_ keys: [UInt64], _ hashes: [UInt64]) -> [Bool] {
        let marks = snapshot.memo.door.generations(of: hashes)
        let generation = snapshot.generation
        let seen = marks.indices.filter { marks[$0].map { $0 <= generation } ?? false }
        var worthy = [Bool](repeating: false, count: keys.count)
        guard let since = seen.compactMap({ marks[$0] }).min() else { return worthy }
        let windows = seen.map { question.surroundings(ofUnit: keys[$0]) }
        let all = windows.dropFirst().reduce(windows[0]) { $0.union($1) }
        // What is not known any more may have changed.
        guard
            let changed = snapshot.memo.log.changes.places(
                in: all, after: since, through: generation)
        else { return worthy }
        for (place, window) in zip(seen, windows) {
            worthy[place] = !changed.contains {
                $0.generation > marks[place] ?? 0 && window.contains($0.place)
            }
        }
        return worthy
    }

    /// Resolves the units at some places.
    private mutating func resolve(
        _ places: [Int], of units: inout [ClusterUnit?], _ keys: ArraySlice<UInt64>
    ) {
        let found = resolve(places.map { keys[keys.startIndex + $0] })
        for (place, unit) in zip(places, found) { units[place] = unit }
        if resolved <= UnitReader.mostRemembered { remember(found) }
    }

    /// The clusters of a window from the cells alone: nothing of it is remembered.
    func resolveDirectly(in window: WorldWindow, atMost most: Int = .max) -> ClusterSet {
        snapshot.resolveClusters(
            in: window, options: question.options, filter: filter, atMost: most)
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
        for group in UnitGroups(question, in: .world).groups(of: keys[...]) {
            var cutter = UnitCutter(
                snapshot, question, filter: filter, wanted: group.keys, columns: group.columns,
                rows: group.rows)
            units.append(contentsOf: cutter.cut())
        }
        return units
    }
}

extension IndexSnapshot {
    /// Whether an entry has a key of a range. O(log n).
    func hasEntries(in keys: ClosedRange<UInt64>) -> Bool {
        var part = root
        while true {
            switch part {
            case .empty: return false
            case .page(let page): return !page.indices(in: keys).isEmpty
            case .node(let node):
                let child = node.firstChild(reaching: keys.lowerBound)
                guard child < node.childCount, node.firstKeys[child] <= keys.upperBound else {
                    return false
                }
                // Its last key is not below the range, and its first one not above.
                if node.lastKeys[child] <= keys.upperBound
                    || node.firstKeys[child] >= keys.lowerBound
                {
                    return true
                }
                switch node.children {
                case .pages(let pages): part = .page(pages[child])
                case .nodes(let nodes): part = .node(nodes[child])
                }
            }
        }
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
