import GeoIndex
import GeoService
import TestSupport
import TileRender

extension Bench {
    /// `tile.png`: the pictures of all styles into files; `tile.png-deflate`: libdeflate at level 1
    /// alone on the same packed rows; `tile.png-size`: bytes a file.
    ///
    /// - Parameter folder: Where the files go, for programs that encode the same pictures.
    /// - Throws: ``CheckFailure``, ``FileFailure``.
    func pictures(_ snapshot: IndexSnapshot, folder: String?) throws {
        guard wants("tile.png") || wants("tile.png-deflate") || wants("tile.png-size") else {
            return
        }
        let painter = try TilePainter(KindStyle(assets: nil))
        let scale = HeatScale.fitted(to: snapshot, version: 1)
        let images = TileStyle.allCases.flatMap { style in
            input.tiles.map { tile in
                let request = TileRequest(
                    layer: "City", tile: tile, scale: 1, style: style, ramp: .standard,
                    filter: .all)
                return painter.drawing(of: request, from: snapshot, scale: scale).image()
            }
        }.filter { $0.pixels.contains { $0 != 0 } }
        var sizes: [Double] = []
        for (number, image) in images.enumerated() {
            let file = try PNGEncoder().encode(image)
            sizes.append(Double(file.count))
            if let folder { try Export.save(file, "\(folder)/\(number).png") }
        }
        for number in sample(20, of: images.count) {
            let decoded = try DecodedPNG(try PNGEncoder().encode(images[number]))
            let colors = images[number].palette.colors.map { color in
                color.alpha == 0 ? 0 : color.argb << 8 | UInt32(color.alpha)
            }
            try check(
                decoded.pixels == images[number].pixels.map { colors[Int($0)] },
                "the file of picture \(number) is not it")
        }
        try ask(
            "tile.png", count: images.count, checked: "20 files read back",
            note: "all styles' pictures of the tiles that are not empty"
        ) {
            try PNGEncoder().encode(images[$0])
        } sum: {
            Double($0.count)
        }
        let rows = images.map { CodedRows($0).rows }
        let deflater = try Deflater(level: 1)
        try ask(
            "tile.png-deflate", count: rows.count, checked: "is part of the files",
            note: "libdeflate at level 1 alone on the rows of the same pictures"
        ) {
            deflater.zlib(rows[$0])
        } sum: {
            Double($0.count)
        }
        guard wants("tile.png-size") else { return }
        let spread = Spread(sizes)
        report.add(
            Record(
                name: input.benchmark("tile.png-size"), unit: "B",
                statistics: Statistics(
                    wall: Spread(p50: spread.mean, p99: spread.p99, mean: spread.mean),
                    processor: Spread(p50: spread.mean, p99: spread.p99, mean: spread.mean)),
                calls: images.count, runs: 1, check: "20 files read back",
                note: "bytes a file, the mean of \(images.count); palette and check sums included"))
    }
}
