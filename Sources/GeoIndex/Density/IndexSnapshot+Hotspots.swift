extension IndexSnapshot {
    /// The hotspots of a window, the hottest first, ties by id.
    ///
    /// A hotspot is a pixel of the zoom's heat picture whose density exceeds that of all pixels
    /// nearer than ``HotspotQuery/reachPixels`` (of equal ones, the first in Morton order), and
    /// whose score is above 0. Whether it is one depends on the objects nearer than that and a
    /// kernel's radius only, so the answer does not depend on how the world was cut into windows.
    ///
    /// Blocks of the picture are blurred in the order of an upper bound of their density until no
    /// block that is left can hold one of the hottest.
    ///
    /// - Parameter background: Of the same zoom, filter and options.
    /// - Throws: ``HotspotError`` when that is too much work.
    /// - Complexity: O(log n + occupied pixels of the window) from the sums that nodes keep when
    ///   all objects count with their own weight, else O(log n + entries of the window); and a
    ///   blur of few blocks.
    public func hotspots(
        _ query: HotspotQuery, background: HotspotBackground
    ) throws(HotspotError) -> [Hotspot] {
        precondition(background.zoom == query.zoom, "the background is of another zoom")
        guard background.weight > 0, !query.window.isEmpty else { return [] }
        var search = HotspotSearch(query, background)
        return try search.run(blocks(of: query))
    }

    /// The occupied pixels that a query depends on.
    private func blocks(of query: HotspotQuery) throws(HotspotError) -> HotspotBlocks {
        let kernel = query.kernel
        var blocks = HotspotBlocks(query)
        let margin = UInt64(query.reachPixels + kernel.marginPixels) << UInt64(24 - query.zoom)
        let area = query.window.expanded(by: margin)
        let level = HotspotBackground.blockLevel(zoom: query.zoom)
        if let protection = query.protection {
            for cell in protectedCells(in: area, zoom: query.zoom, protection) {
                blocks.spread(cell)
            }
        } else if query.filter.keepsAll && query.options.isPlain {
            let pixelLevel = query.zoom + 8
            let ranges = QuadCover.coarseRanges(of: QuadCover.rectangles(of: area, level: level))
            addWeights(
                level: pixelLevel,
                in: ranges.map { $0.cells(ofLevel: level, in: pixelLevel) }, to: &blocks)
        } else {
            forEachHeatChunk(
                in: area, level: level, zoom: query.zoom, filter: query.filter,
                options: query.options
            ) { xs, ys, _, weights in blocks.add(xs: xs, ys: ys, weights: weights) }
        }
        guard !blocks.isTooLarge else {
            throw .tooManyPixels(
                limit: query.limits.pixels, blockLimit: query.limits.blocks)
        }
        return blocks
    }
}
