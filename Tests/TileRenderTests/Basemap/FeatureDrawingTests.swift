import GeoIndex
import Testing

@testable import TileRender

@Suite("Roads and names of a detailed source")
struct FeatureDrawingTests {
    /// Shapes given as they are, around the middle of the world.
    private struct Source: BasemapFeatures {
        var lines: [(shapes: ShapeClass, level: Int8, from: (Int32, Int32), to: (Int32, Int32))] =
            []
        var points: [FeaturePoint] = []

        func fingerprint(in window: FeatureWindow) -> UInt64 { 0 }

        func shapes(_ wanted: ShapeClass, in window: FeatureWindow) -> [FeatureShapes] {
            lines.filter { $0.shapes == wanted }.map { line in
                var paths = PathLayer(isClosed: false)
                for (x, y) in [line.from, line.to] { paths.append(x: x, y: y) }
                paths.endPath()
                return FeatureShapes(gridBits: 24, level: line.level, paths: paths)
            }
        }

        func points(in window: FeatureWindow) -> [FeaturePoint] {
            points.filter { window.area.contains($0.place) }
        }
    }

    /// The colour at the middle of the world, where at zoom 16 a unit is a pixel, and at `offset`
    /// pixels from there.
    private func color(_ source: Source, x: Int = 0, y: Int = 0) throws -> UInt32 {
        let middle = 1 << 23
        let window = PixelWindow(
            zoom: 16, scale: 1, originX: middle - 32, originY: middle - 32, width: 64, height: 64)
        let pixels = try CarriedMap.basemap.get().pixels(of: window, features: source)
        return pixels[(32 + y) * 64 + 32 + x] & 0xff_ffff
    }

    private func line(_ shapes: ShapeClass) throws -> BasemapStyle.Line {
        for case .roads(let lines) in try CarriedMap.styles.get()[0].layers {
            if let line = lines.first(where: { $0.shapes == shapes }) { return line }
        }
        throw Missing()
    }

    private struct Missing: Error {}

    private static let middle: Int32 = 1 << 23
    private let west = (middle - 60, middle)
    private let east = (middle + 60, middle)
    private let north = (middle, middle - 60)
    private let south = (middle, middle + 60)

    @Test("casings lie under the fills of all roads of a level")
    func casings() throws {
        let motorway = try line(.motorway)
        let street = try line(.street)
        let rim = try #require(motorway.casing)
        // The street crosses the motorway: where they meet there is no rim.
        let crossing = Source(lines: [(.motorway, 0, west, east), (.street, 0, north, south)])
        #expect(try color(crossing) == motorway.color.argb & 0xff_ffff)
        let edge = Int((motorway.widthPixels[16] / 2).rounded(.down))
        #expect(try color(crossing, x: 20, y: edge) == rim.color.argb & 0xff_ffff)
        #expect(try color(crossing, y: edge) == street.color.argb & 0xff_ffff)
    }

    @Test("a bridge lies over what it crosses, rim and all")
    func bridges() throws {
        let motorway = try line(.motorway)
        let street = try line(.street)
        let rim = try #require(street.casing)
        let bridge = Source(lines: [(.motorway, 0, west, east), (.street, 1, north, south)])
        #expect(try color(bridge) == street.color.argb & 0xff_ffff)
        // Half of the rim's pixel is the street's or the motorway's own.
        let found = try color(bridge, x: Int((street.widthPixels[16] / 2).rounded(.down)))
        #expect(found != street.color.argb & 0xff_ffff)
        #expect(found != motorway.color.argb & 0xff_ffff)
        let tunnel = Source(lines: [(.motorway, 0, west, east), (.street, -1, north, south)])
        #expect(try color(tunnel) == motorway.color.argb & 0xff_ffff)
        _ = rim
    }

    @Test("names of the same place: the more important class, then the higher rank shows")
    func priority() throws {
        let style = try CarriedMap.styles.get()[0]
        let map = try CarriedMap.map.get()
        let placement = try CarriedMap.basemap.get().placement
        let place = WorldPoint(x: 1 << 31, y: 1 << 31)
        let window = PixelWindow(
            zoom: 18, scale: 1, originX: (1 << 25) - 100, originY: (1 << 25) - 100, width: 200,
            height: 200)
        func shown(_ points: [FeaturePoint]) throws -> [String] {
            try FeatureNames(window, names: style.names, widths: NameWidths())
                .placed(points, map: map, placement: placement).map(\.name.text)
        }
        let food = FeaturePoint(.food, rank: 200, place: place, name: "Food")
        let better = FeaturePoint(.food, rank: 201, place: place, name: "Better")
        let station = FeaturePoint(.station, rank: 1, place: place, name: "Station")
        #expect(try shown([food, better]) == ["Better"])
        #expect(try shown([better, food, station]) == ["Station"])
        let unseen = FeaturePoint(.suburb, rank: 255, place: place, name: "Only to zoom 16")
        #expect(try shown([food, unseen]) == ["Food"])
        let long = FeaturePoint(
            .food, rank: 255, place: place, name: String(repeating: "endless", count: 9))
        #expect(try shown([long]).isEmpty)
        let two = FeaturePoint(
            .food, rank: 1, place: place, name: "Gasthaus zur alten steinernen Brücke")
        #expect(try shown([two]) == ["Gasthaus zur alten\nsteinernen Brücke"])
    }

    @Test("no two names of a town touch", arguments: [UInt8(14), 16, 17, 19])
    func overlaps(zoom: UInt8) throws {
        let style = try CarriedMap.styles.get()[0]
        let shift = 24 - UInt32(zoom)
        let middle = SampleTown.middle
        let window = PixelWindow(
            zoom: zoom, scale: 1, originX: Int(middle.x >> shift) - 300,
            originY: Int(middle.y >> shift) - 300, width: 600, height: 600)
        let placed = try FeatureNames(window, names: style.names, widths: NameWidths()).placed(
            SampleTown().points(in: FeatureNames.window(window)), map: try CarriedMap.map.get(),
            placement: try CarriedMap.basemap.get().placement)
        #expect(placed.count >= (zoom == 14 ? 3 : 5))
        let boxes = try placed.map { placed -> PixelBox in
            let sprite = try LabelSprite(
                placed.name, side: placed.side, zoom: zoom, scale: 1, names: style.names)
            // Without the glow, which may touch that of others.
            let glow = 3
            return PixelBox(
                left: placed.x + sprite.left + glow, top: placed.y + sprite.top + glow,
                right: placed.x + sprite.left + sprite.width - glow,
                bottom: placed.y + sprite.top + sprite.height - glow)
        }
        for (index, first) in boxes.enumerated() {
            for second in boxes[(index + 1)...] { #expect(!first.overlaps(second)) }
        }
    }
}
