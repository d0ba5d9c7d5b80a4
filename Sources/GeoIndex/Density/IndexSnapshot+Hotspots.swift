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
    /// - Complexity: O(log n + entries of the window), and a blur of few blocks.
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
        var blocks = HotspotBlocks(zoom: query.zoom, kernel: kernel)
        let margin = UInt64(query.reachPixels + kernel.marginPixels) << UInt64(24 - query.zoom)
        forEachHeatChunk(
            in: query.window.expanded(by: margin),
            level: HotspotBackground.blockLevel(zoom: query.zoom), zoom: query.zoom,
            filter: query.filter, options: query.options
        ) { xs, ys, _, weights in blocks.add(xs: xs, ys: ys, weights: weights) }
        guard !blocks.isTooLarge else {
            throw .tooManyPixels(
                limit: HotspotBlocks.pixelLimit, blockLimit: HotspotBlocks.blockLimit)
        }
        return blocks
    }

    /// How many objects lie nearer than the kernel's radius to a hotspot, by their pixels, and how
    /// many of each kind, by name.
    ///
    /// - Parameter query: What the hotspot was asked with; its filter may be another.
    /// - Complexity: O(log n + entries around it).
    public func members(
        of hotspot: Hotspot, _ query: HotspotQuery
    ) -> (count: Int, kinds: [(kind: String, count: Int)]) {
        let shift = UInt32(24 - query.zoom)
        let radius = query.options.radiusPixels
        let pixel = WorldWindow(
            west: hotspot.pixel.x, width: 1 << UInt64(shift), north: hotspot.pixel.y,
            height: 1 << UInt64(shift))
        let half = Int(WorldWindow.worldSize >> UInt64(shift + 1))
        var total = 0
        var counts = [Int](repeating: 0, count: kindNames.count)
        forEachHeatChunk(
            in: pixel.expanded(by: UInt64(radius - 1) << UInt64(shift)),
            level: query.zoom + 8, zoom: query.zoom, filter: query.filter, options: query.options
        ) { xs, ys, kinds, weights in
            for index in xs.indices where weights[index] > 0 {
                var across = abs(Int(xs[index] >> shift) - Int(hotspot.pixel.x >> shift))
                if across > half { across = 2 * half - across }
                let down = Int(ys[index] >> shift) - Int(hotspot.pixel.y >> shift)
                guard across * across + down * down < radius * radius else { continue }
                total += 1
                counts[Int(kinds[index])] += 1
            }
        }
        let kinds = counts.indices.dropFirst().filter { counts[$0] > 0 }
            .map { (kind: kindNames[$0], count: counts[$0]) }
            .sorted { $0.kind < $1.kind }
        return (total, kinds)
    }
}
