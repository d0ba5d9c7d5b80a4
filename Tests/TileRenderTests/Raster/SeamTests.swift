import GeoIndex
import TestSupport
import Testing
import TileRender

/// A window drawn whole is what its pieces show, each drawn by itself and cut anywhere, for every
/// style, at both scales and across 180°.
struct SeamTests {
    enum Style: CaseIterable { case clusters, points, heat }

    /// The sprites are the same in all cases, and drawn once.
    private struct Layers {
        private static let sprites = Result { (try ClusterLayer(), try PointLayer()) }

        let clusters: ClusterLayer
        let points: PointLayer
        let heat: HeatLayer

        init(zoom: UInt8) throws {
            (clusters, points) = try Layers.sprites.get()
            heat = HeatLayer(domain: 64, radiusPixels: zoom % 2 == 0 ? 24 : 9)
        }

        func draw(_ style: Style, _ map: SampleMap, _ window: PixelWindow) -> IndexedImage {
            switch style {
            case .clusters: clusters.draw(SeamTests.marks(map), in: window)
            case .points: points.draw(map.pointGrid(window))
            case .heat: heat.draw(map.densityGrid(window, heat))
            }
        }
    }

    /// Marks of every size, a fifth of the objects.
    private static func marks(_ map: SampleMap) -> [ClusterMark] {
        let counts = [1, 40_000, 3, 77, 456, 8_900, 1_200_000]
        return stride(from: 0, to: map.places.count, by: 5).map { index in
            ClusterMark(
                place: map.places[index], count: counts[index % counts.count],
                slot: map.slots[index])
        }
    }

    @Test("four neighbours joined are the window drawn whole", arguments: 0..<200, Style.allCases)
    func joined(seed: Int, style: Style) throws {
        var random = SeededGenerator(seed: seed)
        let zoom = UInt8.random(in: 0...18, using: &random)
        let scale = seed % 2 + 1
        let last = Int(1) << Int(zoom) - 1
        // Every third window lies across 180°, every fifth at a pole's edge.
        let x = seed % 3 == 0 ? last : Int.random(in: 0...last, using: &random)
        let y = seed % 5 == 0 ? 0 : Int.random(in: 0...last, using: &random)
        let tile = try TileID(zoom: Int(zoom), x: x, y: y)
        let map = SampleMap(seed: seed, count: 500, around: tile, kinds: 7)
        let layers = try Layers(zoom: zoom)
        let (width, height) = (100, 90)
        let window = PixelWindow(
            zoom: zoom, scale: scale,
            originX: (x + (seed % 3 == 0 ? 1 : 0)) * 256 * scale - 50,
            originY: y * 256 * scale + Int.random(in: -20...200, using: &random),
            width: width, height: height)
        let whole = layers.draw(style, map, window)
        let cutX = Int.random(in: 1..<width, using: &random)
        let cutY = Int.random(in: 1..<height, using: &random)
        for (column, pieceWidth) in [(0, cutX), (cutX, width - cutX)] {
            for (row, pieceHeight) in [(0, cutY), (cutY, height - cutY)] {
                let piece = PixelWindow(
                    zoom: zoom, scale: scale, originX: window.originX + column,
                    originY: window.originY + row, width: pieceWidth, height: pieceHeight)
                let expected = whole.part(
                    column: column, row: row, width: pieceWidth, height: pieceHeight)
                #expect(layers.draw(style, map, piece).rgba == expected)
            }
        }
    }

    @Test("objects beyond the margin change nothing", arguments: Style.allCases, [1, 2])
    func margin(style: Style, scale: Int) throws {
        let tile = try TileID(zoom: 12, x: 4095, y: 1343)
        let window = PixelWindow(tile: tile, scale: scale)
        let layers = try Layers(zoom: 12)
        let margin =
            switch style {
            case .clusters: ClusterLayer.marginPixels * scale
            case .points: PointLayer.marginPixels(zoom: 12, scale: scale)
            case .heat: layers.heat.kernel(scale: scale).marginPixels
            }
        let map = SampleMap(seed: 3, count: 4000, around: tile)
        var near = map
        let world = window.worldSizePixels
        func isNear(_ place: WorldPoint) -> Bool {
            let column = Int(place.x >> window.pixelShift) - window.originX
            let row = Int(place.y >> window.pixelShift) - window.originY
            return (-margin..<window.height + margin).contains(row)
                && [column - world, column, column + world].contains {
                    (-margin..<window.width + margin).contains($0)
                }
        }
        let kept = map.places.indices.filter { isNear(map.places[$0]) }
        #expect(window.originX + window.width == world, "so that some lie beyond 180°")
        #expect(kept.count < map.places.count)
        near.places = kept.map { map.places[$0] }
        near.slots = kept.map { map.slots[$0] }
        if style == .clusters {
            // Another list would pick other marks: cut the marks instead.
            let marks = SeamTests.marks(map)
            let cut = marks.filter { isNear($0.place) }
            #expect(cut.count < marks.count)
            let whole = layers.clusters.draw(marks, in: window)
            #expect(layers.clusters.draw(cut, in: window).rgba == whole.rgba)
        } else {
            #expect(layers.draw(style, near, window).rgba == layers.draw(style, map, window).rgba)
        }
    }

    @Test("a window wider than the world repeats it", arguments: Style.allCases)
    func repeats(style: Style) throws {
        let map = SampleMap(seed: 5, count: 300, around: try TileID(zoom: 0, x: 0, y: 0))
        let window = PixelWindow(
            zoom: 0, scale: 1, originX: 100, originY: -40, width: 600, height: 330)
        let image = try Layers(zoom: 0).draw(style, map, window)
        #expect(
            image.part(column: 0, row: 0, width: 344, height: 330)
                == image.part(column: 256, row: 0, width: 344, height: 330))
        #expect(Set(image.pixels).count > 2)
    }
}
