import GeoIndex
import GeoService
import TestSupport
import TileRender

extension Bench {
    /// `tile.basemap`: the world map on the tiles of the input, from nothing to the file;
    /// `tile.basemap-anywhere`: on as many tiles of zooms 0 to 14 anywhere on earth. Each run
    /// begins with a map that has not drawn anything, so that names are drawn anew.
    func basemap() throws {
        var random = SeededGenerator(seed: 14)
        var anywhere: [TileID] = []
        while anywhere.count < 200 {
            let zoom = UInt8.random(in: 0...14, using: &random)
            let place = WorldPoint(
                x: UInt32.random(in: 0...UInt32.max, using: &random),
                y: UInt32.random(in: 0...UInt32.max, using: &random))
            anywhere.append(TileID(QuadCell(level: zoom, containing: place)))
        }
        try basemap("tile.basemap", input.tiles, "the tiles of the other styles")
        try basemap("tile.basemap-anywhere", anywhere, "zooms 0 to 14 anywhere on earth")
    }

    private func basemap(_ operation: String, _ tiles: [TileID], _ where: String) throws {
        guard wants(operation), !tiles.isEmpty else { return }
        let assets = try Assets(root: nil)
        let sample = sample(10, of: tiles.count)
        var statistics: [Statistics] = []
        var sizes: Set<Int> = []
        var drawing = Samples()
        for _ in 0..<runs {
            let map = try assets.basemap()
            var (samples, bytes) = (Samples(), 0)
            for tile in tiles {
                bytes += try samples.time {
                    let image = try map.image(of: PixelWindow(tile: tile, scale: 1))
                    return try PNGEncoder().encode(image)
                }.count
            }
            statistics.append(samples.statistics)
            sizes.insert(bytes)
            guard statistics.count == runs else { continue }
            for tile in tiles {
                _ = try drawing.time { try map.image(of: PixelWindow(tile: tile, scale: 1)) }
            }
            for index in sample { try checkBasemap(map, tiles[index]) }
        }
        try check(sizes.count == 1, "\(operation) gave \(sizes) bytes for the same tiles")
        let again = Int(drawing.statistics.processor.p50.rounded())
        report.add(
            Record(
                name: input.benchmark(operation), statistics: Statistics(medianOf: statistics),
                calls: tiles.count, runs: runs, result: sizes.first.map(Double.init),
                check: "\(sample.count) tiles read back and as parts of larger pictures",
                note: "\(`where`); processor p50 without PNG, names drawn before: \(again) us; "
                    + "\((sizes.first ?? 0) / tiles.count) bytes"))
    }

    /// The file must hold the pixels of the tile cut out of a picture around it.
    private func checkBasemap(_ map: Basemap, _ tile: TileID) throws {
        let window = PixelWindow(tile: tile, scale: 1)
        let file = try DecodedPNG(PNGEncoder().encode(try map.image(of: window)))
        let margin = 100
        let around = PixelWindow(
            zoom: tile.zoom, scale: 1, originX: window.originX - margin,
            originY: window.originY - margin, width: window.width + 2 * margin,
            height: window.height + 2 * margin)
        let whole = try DecodedPNG(PNGEncoder().encode(try map.image(of: around)))
        for row in 0..<window.height {
            let start = (row + margin) * around.width + margin
            try check(
                file.pixels[row * window.width..<(row + 1) * window.width]
                    == whole.pixels[start..<start + window.width],
                "row \(row) of the basemap's tile \(tile)")
        }
    }
}
