/// What was prepared.
public struct ClusterPreparation: Sendable, Equatable {
    /// Units of clusters that are remembered now.
    public var units = 0
    /// Clusters and singles in them.
    public var clusters = 0
    /// Whether all zooms that were asked for are prepared: false when it was stopped or had no
    /// room left.
    public var isWhole = true
}

extension IndexSnapshot {
    /// Resolves all clusters of a radius at some zooms, so that they are remembered for this and
    /// later states of the layer.
    ///
    /// For the time after a start or a load in bulk; readers are answered meanwhile, and nobody
    /// waits. What is remembered already is left as it is.
    ///
    /// - Parameters:
    ///   - radiusPixels: The radius, in `ClusterOptions.radiusRange`.
    ///   - zooms: The zooms, lowest first; those that need finer cells than there are, are left
    ///     out.
    ///   - filter: What the clusters are of; nothing is prepared for a filter with a test.
    ///   - mostBytes: Ends when the layer's remembered clusters take more than this; at most what
    ///     the layer was given for them.
    ///   - goesOn: Asked every few milliseconds; ends when the answer is false.
    /// - Throws: ``ClusterOptionsError`` for a radius or a lowest zoom that does not exist.
    /// - Complexity: O(c log n) for c occupied cells of all zooms.
    @discardableResult
    public func prepareClusters(
        radiusPixels: Int = ClusterOptions.defaultRadiusPixels, zooms: ClosedRange<Int>,
        filter: EntryFilter = .all, mostBytes: Int = .max, while goesOn: () -> Bool = { true }
    ) throws(ClusterOptionsError) -> ClusterPreparation {
        var next: ClusterOptions? = try ClusterOptions(
            zoom: zooms.lowerBound, radiusPixels: radiusPixels)
        var done = ClusterPreparation()
        while let options = next, Int(options.zoom) <= zooms.upperBound {
            let question = ClusterQuestion(options, filter)
            guard question.isMemorable else { return done }
            prepare(question, mostBytes: min(mostBytes, memo.unitLimitBytes), while: goesOn, &done)
            if !done.isWhole { return done }
            next = options.deeper
        }
        return done
    }

    private func prepare(
        _ question: ClusterQuestion, mostBytes: Int, while goesOn: () -> Bool,
        _ done: inout ClusterPreparation
    ) {
        var rest = UnitWindow.keys(of: .world, question, in: self)[...]
        while !rest.isEmpty {
            guard goesOn(), memo.bytes < mostBytes - mostBytes / 16 else {
                // Parts of the memo fill at different times; some room stays for the others.
                done.isWhole = false
                return
            }
            let some = rest.prefix(IndexSnapshot.unitsPrepared)
            var reader = UnitReader(self, question)
            for unit in reader.units(some) {
                done.units += 1
                done.clusters += unit.seeds.count
            }
            rest = rest.dropFirst(IndexSnapshot.unitsPrepared)
        }
    }

    /// Units that are prepared at once: a few milliseconds of work.
    private static let unitsPrepared = 256

    /// About how much memory the remembered clusters of the layer take.
    public var rememberedClusterBytes: Int { memo.bytes }

    /// Forgets all clusters that were resolved.
    package func forgetClusters() { memo.removeAll() }

    /// How many occupied cells are loaded to settle all clusters of a window.
    package func cellsResolved(in window: WorldWindow, options: ClusterOptions) -> Int {
        ClusterParts.of(window, level: options.level, in: self).reduce(0) { sum, part in
            var resolver = SeedResolver(
                CellField(self, window: part, options: options, filter: nil))
            var set = ClusterSet(options: options)
            resolver.appendClusters(in: part, to: &set)
            return sum + resolver.field.count
        }
    }
}
