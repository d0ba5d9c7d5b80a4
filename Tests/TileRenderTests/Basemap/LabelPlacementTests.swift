import GeoIndex
import TestSupport
import Testing

@testable import TileRender

@Suite("Names on the basemap")
struct LabelPlacementTests {
    /// The names in a window with the boxes that they really ink, halo left out.
    private func inked(
        _ window: PixelWindow
    ) throws -> [(label: Int32, left: Int, top: Int, right: Int, bottom: Int)] {
        let map = try CarriedMap.map.get()
        let placement = try CarriedMap.basemap.get().placement
        var placed: [(LabelPlacement.Placed, Int, Int)] = []
        placement.forEach(in: window, map: map) { placed.append(($0, $1, $2)) }
        return try placed.map { entry, x, y in
            let sprite = try LabelSprite(
                map.labels[Int(entry.label)].text, side: entry.side, zoom: window.zoom,
                scale: window.scale, names: try CarriedMap.names.get())
            // Solid pixels: letters and spots. The halo is not quite opaque.
            var box = (left: Int.max, top: Int.max, right: Int.min, bottom: Int.min)
            for index in sprite.pixels.indices where sprite.pixels[index] >> 24 > 230 {
                let column = x + sprite.left + index % sprite.width
                let row = y + sprite.top + index / sprite.width
                box = (
                    min(box.left, column), min(box.top, row), max(box.right, column),
                    max(box.bottom, row)
                )
            }
            return (entry.label, box.left, box.top, box.right, box.bottom)
        }
    }

    private func windows(_ zoom: UInt8, scale: Int) throws -> [PixelWindow] {
        let places = [(13.4, 52.5), (139.7, 35.7), (178.4, -17.8), (77.2, 28.6), (-74, 40.7)]
        return try places.map { lon, lat in
            let position = RoundedPosition(try LonLat(lon: lon, lat: lat))
            let point = WorldPoint(position)
            let shift = UInt32(24 - (scale - 1)) - UInt32(zoom)
            return PixelWindow(
                zoom: zoom, scale: scale, originX: Int(point.x >> shift) - 250,
                originY: Int(point.y >> shift) - 250, width: 500, height: 500)
        }
    }

    @Test(
        "no two names touch",
        arguments: zip([UInt8(2), 3, 4, 5, 6, 7, 8, 9, 10, 12], [1, 2, 1, 2, 1, 1, 2, 1, 2, 1]))
    func overlaps(zoom: UInt8, scale: Int) throws {
        for window in try windows(zoom, scale: scale) {
            let boxes = try inked(window)
            for (index, first) in boxes.enumerated() {
                for second in boxes[(index + 1)...] {
                    let isApart =
                        first.right < second.left || second.right < first.left
                        || first.bottom < second.top || second.bottom < first.top
                    let names = try name(first.label) + ", " + name(second.label)
                    #expect(isApart, "\(names)")
                }
            }
        }
    }

    private func name(_ label: Int32) throws -> String {
        try CarriedMap.map.get().labels[Int(label)].name
    }

    @Test("a town that shows keeps showing as one zooms in")
    func monotony() throws {
        let map = try CarriedMap.map.get()
        let placement = try CarriedMap.basemap.get().placement
        var towns: Set<Int32> = []
        for placed in placement.buckets.joined() where !map.labels[Int(placed.label)].kind.isArea {
            #expect(towns.insert(placed.label).inserted)
            #expect(placed.zooms.upperBound == TileID.maxZoom)
        }
        // Nearly all find room in the end.
        let all = map.labels.count { !$0.kind.isArea }
        #expect(towns.count > all * 9 / 10)
    }

    @Test("great capitals show by zoom 5", arguments: ["Tokyo", "Berlin", "New Delhi", "Suva"])
    func capitals(name: String) throws {
        let map = try CarriedMap.map.get()
        let placement = try CarriedMap.basemap.get().placement
        let first = placement.buckets.joined()
            .filter { map.labels[Int($0.label)].name == name }.map(\.zooms.lowerBound).min()
        #expect(try #require(first) <= (name == "Suva" ? 7 : 5))
    }

    @Test("placing is the same every time")
    func determinism() throws {
        let map = try CarriedMap.map.get()
        let first = try CarriedMap.basemap.get().placement
        let second = try LabelPlacement(map: map, names: try CarriedMap.names.get())
        #expect(first.reachPixels == second.reachPixels)
        #expect(first.buckets == second.buckets)
    }

    @Test("the reach that is searched covers every sprite", arguments: [UInt8(2), 4, 6, 9, 13])
    func reach(zoom: UInt8) throws {
        let map = try CarriedMap.map.get()
        let placement = try CarriedMap.basemap.get().placement
        // The longest names are the ones that could reach too far.
        let longest = placement.buckets.joined().filter { $0.zooms.contains(zoom) }
            .sorted { map.labels[Int($0.label)].name.count > map.labels[Int($1.label)].name.count }
        for placed in longest.prefix(40) {
            let sprite = try LabelSprite(
                map.labels[Int(placed.label)].text, side: placed.side, zoom: zoom, scale: 1,
                names: try CarriedMap.names.get())
            let reach = placement.reachPixels
            #expect(-sprite.left <= reach && -sprite.top <= reach)
            #expect(sprite.left + sprite.width <= reach && sprite.top + sprite.height <= reach)
        }
    }
}
