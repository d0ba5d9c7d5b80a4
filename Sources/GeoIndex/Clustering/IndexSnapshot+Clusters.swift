extension IndexSnapshot {
    /// The clusters and singles whose point lies in a window.
    ///
    /// The answer is the part of the world's clustering that falls in the window, however it was
    /// cut. docs/clusters.md has the definition and its seven laws. What was resolved once is
    /// remembered for as long as nothing it depends on changes; a filter with a test is not.
    ///
    /// - Parameter most: With more clusters than this the work may end early, and the set is not
    ///   whole: it has more than `most`.
    /// - Complexity: O(k) for k clusters that are remembered. For others O(c log n) for c occupied
    ///   cells in the window and along the chains of cells that it depends on; the number of
    ///   objects plays no part.
    public func clusters(
        in window: WorldWindow, options: ClusterOptions, filter: EntryFilter = .all,
        atMost most: Int = .max
    ) -> ClusterSet {
        let question = ClusterQuestion(options, filter)
        guard question.isMemorable else {
            return resolveClusters(in: window, options: options, filter: filter, atMost: most)
        }
        if ClusterParts.isHalfTheWorld(window, level: options.level),
            let units = worldUnits(question)
        {
            var found = ClusterSet(options: options)
            found.reserve(units, in: window)
            for unit in units where found.count <= most { found.append(unit, in: window) }
            return found
        }
        var rest = UnitWindow.keys(of: window, question, in: self)[...]
        var reader = UnitReader(self, question)
        if ClusterParts.gridCells(window, level: options.level) <= ClusterParts.freeCells {
            let units = reader.worthyUnits(rest, in: window)
            return assemble(units, question, in: window, reader, atMost: most)
        }
        // So much that its edges hardly count: whole units.
        var found = ClusterSet(options: options)
        while !rest.isEmpty && found.count <= most {
            let units = reader.units(rest.prefix(IndexSnapshot.unitsAtOnce))
            found.reserve(units, in: window)
            for unit in units { found.append(unit, in: window) }
            rest = rest.dropFirst(IndexSnapshot.unitsAtOnce)
        }
        return found
    }

    /// Units that are taken from the memo before it is asked whether there are enough clusters.
    private static let unitsAtOnce = 256

    /// Clusters of a view from units and, where there are none, from the cells.
    private func assemble(
        _ units: [(key: UInt64, unit: ClusterUnit?)], _ question: ClusterQuestion,
        in window: WorldWindow, _ reader: UnitReader, atMost most: Int
    ) -> ClusterSet {
        let known = units.compactMap(\.unit)
        var found = ClusterSet(options: question.options)
        if known.count == units.count {
            found.reserve(known, in: window)
            for unit in known { found.append(unit, in: window) }
            return found
        }
        if known.isEmpty { return reader.resolveDirectly(in: window, atMost: most) }
        let missing = units.compactMap { $0.unit == nil ? $0.key : nil }
        let groups = UnitGroups(question, in: window)
        var parts = groups.groups(of: missing[...])[...]
        var rest = ClusterSet(options: question.options)
        var lastOfRest: UInt64?
        var next = 0
        found.reserve(known, in: window)
        for (key, unit) in units where found.count <= most {
            if let unit {
                found.append(unit, in: window)
                continue
            }
            if lastOfRest.map({ key > $0 }) ?? true, let part = parts.popFirst() {
                rest = reader.resolveDirectly(in: groups.part(of: part), atMost: most)
                found.depend(on: rest)
                lastOfRest = part.keys.last ?? key
                next = 0
            }
            let first = question.firstID(ofUnit: key)
            let last = first | ((1 << question.cellBits) - 1)
            while next < rest.count && rest.ids[next] < first { next += 1 }
            let start = next
            while next < rest.count && rest.ids[next] <= last { next += 1 }
            found.append(rest, start..<next)
        }
        return found
    }

    /// The same, from the cells alone: nothing is taken from the memo or left there.
    func resolveClusters(
        in window: WorldWindow, options: ClusterOptions, filter: EntryFilter,
        atMost most: Int = .max
    ) -> ClusterSet {
        resolveClusters(
            in: window, options: options, filter: ResolvedFilter(filter, kinds: kinds),
            atMost: most)
    }

    /// As ``resolveClusters(in:options:filter:atMost:)``, with a filter in the snapshot's terms.
    func resolveClusters(
        in window: WorldWindow, options: ClusterOptions, filter resolved: ResolvedFilter?,
        atMost most: Int
    ) -> ClusterSet {
        var found = ClusterSet(options: options)
        for part in ClusterParts.of(window, level: options.level, in: self) {
            var resolver = SeedResolver(
                CellField(self, window: part, options: options, filter: resolved))
            resolver.appendClusters(in: part, to: &found)
            if found.count > most { break }
        }
        found.sortByID()
        return found
    }

    /// The cluster with an id; nil when its seed cell is no seed (any more).
    public func cluster(_ id: ClusterID, options: ClusterOptions, filter: EntryFilter = .all)
        -> ClusterSet?
    {
        guard id.level == options.level else { return nil }
        let question = ClusterQuestion(options, filter)
        var reader = UnitReader(self, question)
        let bits = question.cellBits
        // A cell's point lies in the cell.
        let window = WorldWindow(QuadCell(level: id.level, key: id.cell))
        guard question.isMemorable,
            let unit = reader.worthyUnits([id.cell >> bits], in: window).first?.unit
        else {
            let found = reader.resolveDirectly(in: window)
            return found.count == 1 ? found : nil
        }
        guard let index = unit.index(ofCell: UInt16(id.cell & ((1 << bits) - 1))) else {
            return nil
        }
        var found = ClusterSet(options: options)
        found.append(unit, only: index)
        return found
    }
}
