/// The units of one question that are remembered for a layer or a view and hold for one state of
/// it.
struct KeptUnits {
    let snapshot: IndexSnapshot
    let question: ClusterQuestion

    init(_ snapshot: IndexSnapshot, _ question: ClusterQuestion) {
        self.snapshot = snapshot
        self.question = question
    }

    /// The units with some keys, ascending, nil for others.
    ///
    /// A view has two memos: that of the layer below, whose units hold for it wherever the two have
    /// the same objects, and its own, for the others alone.
    ///
    /// - Complexity: O(1) a unit, O(log n) after a write; for a view O(log k) more, with k objects
    ///   of its own.
    func units(_ keys: ArraySlice<UInt64>) -> [ClusterUnit?] {
        var units = [ClusterUnit?](repeating: nil, count: keys.count)
        if let underlay = snapshot.underlay {
            // First those of the layer: a viewer mostly sees what everybody does.
            KeptUnits(underlay.base, question).fill(&units, keys)
            for place in units.indices {
                if let unit = units[place], underlay.differs(in: unit.dependency) {
                    units[place] = nil
                }
            }
        }
        fill(&units, keys)
        return units
    }

    /// Puts those of the snapshot's own memo where there are none yet.
    private func fill(_ units: inout [ClusterUnit?], _ keys: ArraySlice<UInt64>) {
        var stale: [Int] = []
        let generation = snapshot.generation
        for (place, key) in keys.enumerated() where units[place] == nil {
            guard let unit = snapshot.memo.unit(key, of: question) else { continue }
            if unit.holds(for: generation) {
                units[place] = unit
            } else if unit.mayHold(for: generation) {
                stale.append(place)
                units[place] = unit
            }
        }
        if !stale.isEmpty { prove(stale, of: &units) }
    }

    /// Proves units for the snapshot's generation; those that fail are forgotten.
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
        var gone: [ClusterUnit] = []
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
            if isSame {
                unit.prove(snapshot.generation)
            } else {
                units[place] = nil
                gone.append(unit)
            }
        }
        if !gone.isEmpty { snapshot.memo.remove(gone) }
    }

    private func isUnchanged(_ window: WorldWindow, since: UInt64) -> Bool {
        window.roughKeyRanges(level: question.options.level).allSatisfy {
            snapshot.isUnchanged(keys: $0, since: since)
        }
    }
}
