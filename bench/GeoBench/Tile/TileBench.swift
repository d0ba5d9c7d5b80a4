import GeoIndex
import GeoService
import TestSupport
import TileRender

extension Bench {
    /// `tile.heat`, `tile.points`, `tile.clusters`: from the index to the file, as the service
    /// makes a tile that is not in its cache: gathering, drawing, PNG with an encoder of its own.
    func tiles(_ snapshot: IndexSnapshot) throws {
        let styles = TileStyle.allCases.filter { wants("tile.\($0)") }
        guard !styles.isEmpty else { return }
        let painter = try TilePainter(KindStyle(assets: nil))
        let scale = HeatScale.fitted(to: snapshot, version: 1)
        for style in styles {
            let requests = input.tiles.map {
                TileRequest(
                    layer: "City", tile: $0, scale: 1, style: style, ramp: .standard, filter: .all)
            }
            let sample = sample(5, of: requests.count)
            let twin = try TileTwin(input: input, heat: scale)
            for index in sample {
                let image = painter.drawing(of: requests[index], from: snapshot, scale: scale)
                    .image()
                try twin.check(image, try PNGEncoder().encode(image), of: requests[index])
            }
            try ask(
                "tile.\(style)", count: requests.count,
                checked: "\(sample.count) tiles against all objects, and read back",
                note: try parts(of: requests, painter, snapshot, scale)
            ) {
                try PNGEncoder().encode(
                    painter.drawing(of: requests[$0], from: snapshot, scale: scale).image())
            } sum: {
                Double($0.count)
            }
        }
    }

    /// How the processor's time is shared out among the steps, and the mean size of a file.
    private func parts(
        of requests: [TileRequest], _ painter: TilePainter, _ snapshot: IndexSnapshot,
        _ scale: HeatScale
    ) throws -> String {
        var (gathering, drawing, encoding) = (Samples(), Samples(), Samples())
        var bytes = 0
        for request in requests {
            let drawn = gathering.time {
                painter.drawing(of: request, from: snapshot, scale: scale)
            }
            let image = drawing.time { drawn.image() }
            bytes += try encoding.time { try PNGEncoder().encode(image) }.count
        }
        func median(_ samples: Samples) -> Int { Int(samples.statistics.processor.p50.rounded()) }
        return "processor p50: gathering \(median(gathering)), drawing \(median(drawing)), "
            + "PNG \(median(encoding)) us; \(bytes / max(1, requests.count)) bytes"
    }
}
