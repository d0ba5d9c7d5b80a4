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
        for cells in QuadCover.coarseRanges(of: rectangles) {
            switch root {
            case .empty: return
            case .page(let page):
                let shift = 64 - 2 * UInt64(level)
                let last = cells.upperBound << shift | (shift == 64 ? .max : (1 << shift) - 1)
                grid.add(page, page.indices(in: (cells.lowerBound << shift)...last))
            case .node(let node): grid.add(node, level: level, cells)
            }
        }
    }
}

extension DensityGrid {
    fileprivate mutating func add(_ page: LeafPage, _ range: Range<Int>) {
        add(
            xs: page.xs.extracting(range), ys: page.ys.extracting(range),
            weights: page.weights.extracting(range))
    }

    /// Adds what lies below a node in some cells of the level whose cells are the pixels.
    fileprivate mutating func add(_ node: TreeNode, level: UInt8, _ cells: ClosedRange<UInt64>) {
        if let kept = node.cells.index(ofLevel: level) {
            let runs = node.cells.levels[kept]
            var index = runs.firstIndex(from: cells.lowerBound)
            while index < runs.count && runs[index].key <= cells.upperBound {
                add(runs[index].weight, cell: runs[index].key)
                index += 1
            }
            return
        }
        let shift = 64 - 2 * UInt64(level)
        let heads = node.heads
        var index = node.firstChild(reaching: cells.lowerBound << shift)
        while index < node.childCount {
            let first = heads.firstKeys[index] >> shift
            let last = heads.lastKeys[index] >> shift
            if first > cells.upperBound { return }
            if first == last {
                if first >= cells.lowerBound { add(heads.summaries[index].weight, cell: first) }
            } else {
                switch node.children {
                case .nodes(let nodes): add(nodes[index], level: level, cells)
                case .pages(let pages):
                    let page = pages[index]
                    let isWhole = cells.lowerBound <= first && last <= cells.upperBound
                    let end = cells.upperBound << shift | ((1 << shift) - 1)
                    add(
                        page,
                        isWhole
                            ? 0..<page.count
                            : page.indices(in: (cells.lowerBound << shift)...end))
                }
            }
            index += 1
        }
    }

    private mutating func add(_ weight: UInt64, cell: UInt64) {
        add(
            weight, column: Int(MortonKey.compact(cell)), row: Int(MortonKey.compact(cell >> 1)))
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
