import GeoIndex
import GeoService
import TestSupport
import TileRender

/// Tiles drawn from all objects of the input, without the index.
struct TileTwin {
    private let input: BenchInput
    private let heat: HeatScale
    private let style: KindStyle
    private let clusterLayer: ClusterLayer
    private let pointLayer: PointLayer

    init(input: BenchInput, heat: HeatScale) throws {
        self.input = input
        self.heat = heat
        style = try KindStyle(assets: nil)
        clusterLayer = try ClusterLayer(style)
        pointLayer = try PointLayer(style)
    }

    /// Compares a picture, and the file made of it, with what it should be.
    ///
    /// - Throws: ``CheckFailure``.
    func check(_ image: IndexedImage, _ file: [UInt8], of request: TileRequest) throws {
        let decoded = try DecodedPNG(file)
        let colors = image.palette.colors.map { color -> UInt32 in
            if color.alpha == 0 { return 0 }
            return UInt32(color.red) << 24 | UInt32(color.green) << 16 | UInt32(color.blue) << 8
                | UInt32(color.alpha)
        }
        try GeoBench.check(
            decoded.pixels == image.pixels.map { colors[Int($0)] },
            "the file of \(request.tile) is not its picture")
        let window = PixelWindow(tile: request.tile, scale: request.scale)
        let isRight =
            switch request.style {
            case .points: image.pixels == points(window).pixels
            case .clusters: image.pixels == clusters(window, request.tile).pixels
            case .heat:
                HeatTwin(input: input, window: window, domain: heat.domains[Int(window.zoom)])
                    .agrees(with: image)
            }
        try GeoBench.check(isRight, "\(request.style) of \(request.tile)")
    }

    private func points(_ window: PixelWindow) -> IndexedImage {
        var grid = PointGrid(window: window)
        for placement in input.placements {
            grid.add(WorldPoint(placement.position), slot: style.slot(forKind: placement.kind))
        }
        return pointLayer.draw(grid)
    }

    private func clusters(_ window: PixelWindow, _ tile: TileID) -> IndexedImage {
        guard let options = try? ClusterOptions(zoom: Int(tile.zoom)) else { return points(window) }
        let margin = UInt64(ClusterLayer.marginPixels * window.scale) << UInt64(window.pixelShift)
        let found = ClusterTwin(options).clusters(
            of: input, in: WorldWindow(tile).expanded(by: margin))
        let marks = found.values.map {
            ClusterMark(
                place: $0.point, count: $0.count, slot: style.slot(forKind: $0.dominantKind))
        }
        return clusterLayer.draw(marks, in: window)
    }
}
