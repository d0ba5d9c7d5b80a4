extension IndexSnapshot {
    /// Adds the weights of all objects that show in a grid.
    ///
    /// - Complexity: O(log n + pixels) where pixels hold many objects, however many, since the sums
    ///   that nodes keep are added; else, or with a filter, O(entries).
    public func addWeights(to grid: inout DensityGrid, filter: EntryFilter = .all) {
        let area = WorldWindow(grid.window, marginPixels: grid.marginPixels)
        let level = UInt8(32 - grid.window.pixelShift)
        if !filter.keepsAll {
            forEachChunk(in: area, level: level, filter: filter) { xs, ys, _, weights in
                grid.add(xs: xs, ys: ys, weights: weights)
            }
            return
        }
        let rectangles = QuadCover.rectangles(of: area, level: level)
        addWeights(level: level, in: QuadCover.coarseRanges(of: rectangles), to: &grid)
    }
}

extension DensityGrid: WeightSink {
    var isFull: Bool { false }

    mutating func add(_ weight: UInt64, cell: UInt64) {
        add(
            weight, column: Int(MortonKey.compact(cell)), row: Int(MortonKey.compact(cell >> 1)))
    }

    mutating func add(_ page: LeafPage, _ range: Range<Int>) {
        add(
            xs: page.xs.extracting(range), ys: page.ys.extracting(range),
            weights: page.weights.extracting(range))
    }
}

extension WorldWindow {
    /// The points whose pixels lie in a window or at most `marginPixels` beside it.
    public init(_ window: PixelWindow, marginPixels: Int) {
        let shift = UInt64(window.pixelShift)
        let world = window.worldSizePixels
        let top = min(max(0, window.originY - marginPixels), world)
        let bottom = min(max(0, window.originY + window.height + marginPixels), world)
        let left = (window.originX - marginPixels) & (world - 1)
        self.init(
            west: UInt32(truncatingIfNeeded: UInt64(left) << shift),
            width: UInt64(window.width + 2 * marginPixels) << shift,
            north: UInt32(clamping: UInt64(top) << shift),
            height: UInt64(bottom - top) << shift)
    }
}
