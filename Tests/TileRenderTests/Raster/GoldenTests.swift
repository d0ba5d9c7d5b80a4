import GeoIndex
import TestSupport
import Testing
import TileRender

/// The styles against pictures that were looked at. At most 1 % of the pixels may differ by more
/// than 8 in a channel: glyph outlines vary with the font's version, nothing else does.
struct GoldenTests {
    static let names = [
        "clusters_12-2200-1343", "clusters_12-2200-1343@2x", "points_12-2200-1343",
        "points_12-2200-1343@2x", "points_9-270-170", "heat_12-2200-1343",
        "heat_12-2200-1343@2x", "heat_12-2200-1343_lagoon", "heat_12-2200-1343_meadow",
        "heat_12-2200-1343_graphite", "labels", "labels@2x",
    ]

    @Test("a picture is the one that was looked at", arguments: names)
    func picture(name: String) throws {
        let file = try PNGEncoder().encode(try image(name))
        if Golden.isUpdating { try Golden.store(file, name) }
        let golden = try #require(Golden.stored(name), "run once with UPDATE_GOLDENS=1")
        let share = Golden.share(
            of: try DecodedPNG(file), differingFrom: try DecodedPNG(golden), byMoreThan: 8)
        #expect(share <= 0.01)
    }

    private func image(_ name: String) throws -> IndexedImage {
        let scale = name.hasSuffix("@2x") ? 2 : 1
        if name.hasPrefix("labels") { return try labels(scale: scale) }
        let tile =
            name.contains("_9-")
            ? try TileID(zoom: 9, x: 270, y: 170) : try TileID(zoom: 12, x: 2200, y: 1343)
        let window = PixelWindow(tile: tile, scale: scale)
        if name.hasPrefix("clusters") {
            let map = SampleMap(seed: 7, count: 60_000, around: tile)
            return try ClusterLayer().draw(map.marks(zoom: tile.zoom), in: window)
        }
        if name.hasPrefix("points") {
            let map = SampleMap(seed: 7, count: tile.zoom == 9 ? 35_000 : 3_000, around: tile)
            return try PointLayer().draw(map.pointGrid(window))
        }
        let palette = name.split(separator: "_").dropFirst(2).first.map(String.init)
        let ramp = try #require(ColorRamp(named: palette ?? ColorRamp.standard.name))
        let layer = HeatLayer(domain: 2048, ramp: ramp)
        let map = SampleMap(seed: 7, count: 60_000, around: tile)
        return layer.draw(map.densityGrid(window, layer))
    }

    /// Every size, colour and character of a badge.
    private func labels(scale: Int) throws -> IndexedImage {
        let window = PixelWindow(
            zoom: 2, scale: scale, originX: 0, originY: 0, width: 320 * scale, height: 200 * scale)
        let counts = [1, 2, 9, 11, 47, 80, 99, 123, 456, 789, 999, 1000, 1234, 9_876]
        let more = [12_000, 45_678, 120_000, 999_999, 1_300_000, 88_000_000, 7_100_000_000]
        let marks = (counts + more).enumerated().map { index, count in
            let column = UInt32(24 + index % 7 * 45)
            let row = UInt32(24 + index / 7 * 60)
            let place = WorldPoint(x: column << 22, y: row << 22)
            return ClusterMark(
                place: place, count: count, slot: UInt8(index % KindStyle.standard.slotCount))
        }
        return try ClusterLayer().draw(marks, in: window)
    }
}
