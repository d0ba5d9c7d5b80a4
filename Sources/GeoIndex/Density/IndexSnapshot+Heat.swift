extension IndexSnapshot {
    /// Calls `body` with the entries that heat is made of in and just around a window, in Morton
    /// order: the columns and rows of their points, their kind numbers and weights in units of 1/256,
    /// as they are left by fading; what has faded to nothing and cells with too few owners are left
    /// out.
    ///
    /// - Parameters:
    ///   - level: The level of the cells that the window is made of, at most the fixed cells' when
    ///     owners count. Entries up to an eighth of the window's size outside of it may come too.
    ///   - zoom: The zoom whose fixed cells owners are counted in.
    /// - Complexity: O(log n + entries).
    public func forEachHeatChunk(
        in window: WorldWindow, level: UInt8, zoom: UInt8, filter: EntryFilter = .all,
        options: HeatOptions,
        _ body: (
            _ xs: Span<UInt32>, _ ys: Span<UInt32>, _ kinds: Span<UInt16>,
            _ weights: Span<UInt32>
        ) -> Void
    ) {
        guard !options.isPlain else {
            return forEachChunk(in: window, level: level, filter: filter, body)
        }
        let fixedLevel = HeatOptions.fixedLevel(zoom: zoom)
        // A cell at the window's edge must come whole, or its owners would depend on the edge.
        let level = options.minOwners > 0 ? min(level, fixedLevel) : level
        withoutActuallyEscaping(body) { body in
            var visitor = HeatVisitor(
                filter: ResolvedFilter(filter, kinds: kinds), options: options,
                fixedLevel: fixedLevel, body: body)
            for range in window.coarseKeyRanges(level: level) { walk(range, &visitor) }
            visitor.finish()
        }
    }
}

extension IndexSnapshot {
    /// Adds the weights of all objects that show in a grid, as they are left by fading, of cells
    /// with enough owners.
    ///
    /// - Complexity: that of ``addWeights(to:filter:)`` for plain heat, else O(log n + entries).
    public func addHeat(
        zoom: UInt8, filter: EntryFilter = .all, options: HeatOptions, to grid: inout DensityGrid
    ) {
        if options.isPlain { return addWeights(to: &grid, filter: filter) }
        forEachHeatChunk(
            in: WorldWindow(grid.window, marginPixels: grid.marginPixels),
            level: UInt8(32 - grid.window.pixelShift), zoom: zoom, filter: filter, options: options
        ) { xs, ys, _, weights in grid.add(xs: xs, ys: ys, weights: weights) }
    }
}

extension IndexSnapshot {
    /// Up to `count` points of objects that heat is made of, the same ones for the same objects:
    /// evenly spread along the order of the index, or along what fading leaves of the weights.
    ///
    /// - Complexity: O(count · log n); with fading O(entries).
    public func heatSamplePoints(count wanted: Int, options: HeatOptions) -> [WorldPoint] {
        guard options.decay != nil else { return samplePoints(count: wanted) }
        let options = HeatOptions(decay: options.decay)
        var total: UInt64 = 0
        forEachHeatChunk(in: .world, level: 0, zoom: 0, options: options) { _, _, _, weights in
            // At most 2^32 entries of less than 2^32 each.
            for index in weights.indices { total &+= UInt64(weights[index]) }
        }
        guard total > 0 else { return [] }
        // The middles of equal parts, in 128 bits: `total` may have 64.
        let middles = (0..<wanted).map { part in
            UInt64(UInt128(total) * UInt128(2 * part + 1) / UInt128(2 * wanted))
        }
        var samples: [WorldPoint] = []
        var sum: UInt64 = 0
        forEachHeatChunk(in: .world, level: 0, zoom: 0, options: options) { xs, ys, _, weights in
            for index in weights.indices where samples.count < wanted {
                sum &+= UInt64(weights[index])
                guard middles[samples.count] < sum else { continue }
                let point = WorldPoint(x: xs[index], y: ys[index])
                // One heavy object may be the middle of several parts.
                while samples.count < wanted && middles[samples.count] < sum {
                    samples.append(point)
                }
            }
        }
        return samples
    }
}

extension HeatOptions {
    /// The level at which the edges of a picture's dependencies lie: whole pixels, or whole fixed
    /// cells where owners count.
    public func edgeLevel(zoom: UInt8, pixelLevel: UInt8) -> UInt8 {
        minOwners > 0 ? min(pixelLevel, HeatOptions.fixedLevel(zoom: zoom)) : pixelLevel
    }
}

private struct HeatVisitor: RangeVisitor {
    /// Entries that are gathered before they are handed on.
    private static let chunk = 4_096

    let filter: ResolvedFilter?
    let decay: TimeDecay?
    let body: (Span<UInt32>, Span<UInt32>, Span<UInt16>, Span<UInt32>) -> Void
    private var gate: OwnerGate?
    private var xs: [UInt32] = []
    private var ys: [UInt32] = []
    private var kinds: [UInt16] = []
    private var weights: [UInt32] = []
    /// Entries of complete cells; those after them wait for their cell's owners.
    private var settled = 0

    init(
        filter: ResolvedFilter?, options: HeatOptions, fixedLevel: UInt8,
        body: @escaping (Span<UInt32>, Span<UInt32>, Span<UInt16>, Span<UInt32>) -> Void
    ) {
        self.filter = filter
        self.body = body
        decay = options.decay
        if options.minOwners > 0 {
            gate = OwnerGate(needed: options.minOwners, level: fixedLevel)
        }
    }

    func enters(_ summary: NodeSummary) -> Bool { filter?.mayKeep(summary) ?? true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        for index in range {
            if let filter, !filter.keeps(page, index) { continue }
            let whole = page.weights[index]
            let weight = decay?.faded(whole, time: page.times[index]) ?? whole
            // What has faded to nothing is gone.
            guard weight > 0 || whole == 0 else { continue }
            // What weighs nothing does not show, so it must not vouch for others either.
            if gate != nil { pass(page.key(index), weight > 0 ? page.owner(index) : 0) }
            xs.append(page.xs[index])
            ys.append(page.ys[index])
            kinds.append(page.kinds[index])
            weights.append(weight)
        }
        if gate == nil { settled = xs.count }
        if settled >= HeatVisitor.chunk { handOn() }
    }

    private mutating func pass(_ key: UInt64, _ owner: UInt64) {
        if gate?.isNewCell(key) == true {
            settle()
            gate?.enterCell(of: key)
        }
        gate?.count(owner: owner)
    }

    /// The last cell is complete, and so is all that was gathered.
    mutating func finish() {
        settle()
        handOn()
    }

    private mutating func settle() {
        if gate?.isOpen ?? true {
            settled = xs.count
        } else {
            let dropped = xs.count - settled
            xs.removeLast(dropped)
            ys.removeLast(dropped)
            kinds.removeLast(dropped)
            weights.removeLast(dropped)
        }
    }

    private mutating func handOn() {
        guard settled > 0 else { return }
        let done = 0..<settled
        body(
            xs.span.extracting(done), ys.span.extracting(done), kinds.span.extracting(done),
            weights.span.extracting(done))
        xs.removeSubrange(done)
        ys.removeSubrange(done)
        kinds.removeSubrange(done)
        weights.removeSubrange(done)
        settled = 0
    }
}
