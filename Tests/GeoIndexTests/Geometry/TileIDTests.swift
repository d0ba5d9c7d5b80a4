import GeoIndex
import TestSupport
import Testing

struct TileIDTests {
    @Test(
        "known places lie in known tiles",
        arguments: [
            (13.405, 52.52, 10, 550, 335), (0, 0, 0, 0, 0), (0, 0, 1, 1, 1), (-180, 0, 5, 0, 16),
            (180, 0, 5, 0, 16), (179.9999999, 0, 5, 31, 16), (0, 90, 3, 4, 0), (0, -90, 3, 4, 7),
            (-0.1276, 51.5072, 12, 2046, 1362), (151.2093, -33.8688, 22, 3_858_868, 2_516_969),
        ] as [(Double, Double, UInt8, UInt32, UInt32)])
    func knownPlaces(lon: Double, lat: Double, zoom: UInt8, x: UInt32, y: UInt32) throws {
        let tile = TileID(containing: try LonLat(lon: lon, lat: lat), zoom: zoom)
        #expect(tile.x == x && tile.y == y && tile.zoom == zoom)
    }

    @Test("a tile's bounds, window and cell are one area", arguments: 0..<40)
    func bounds(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let zoom = Int.random(in: 0...22, using: &random)
        let tile = try TileID(
            zoom: zoom, x: .random(in: 0..<(1 << zoom), using: &random),
            y: .random(in: 0..<(1 << zoom), using: &random))
        let bounds = tile.bounds
        let window = WorldWindow(tile)
        #expect(window.width == 1 << UInt64(32 - zoom) && window.height == window.width)
        #expect(abs((bounds.west + 180) / 360 * 0x1p32 - Double(window.west)) < 0.01)
        #expect(abs(bounds.east - bounds.west - 360 / Double(1 << zoom)) < 1e-9)
        let middle = try LonLat(
            lon: (bounds.west + bounds.east) / 2, lat: (bounds.south + bounds.north) / 2)
        #expect(TileID(containing: middle, zoom: UInt8(zoom)) == tile)
        let corner = WorldPoint(x: window.west, y: window.north)
        #expect(QuadCell(level: UInt8(zoom), containing: corner) == tile.cell)
        #expect(abs(corner.lat - bounds.north) < 1e-9)
        #expect(tile.cell.keys.lowerBound == MortonKey(corner).bits)
    }

    @Test("numbers outside are errors")
    func errors() {
        #expect(throws: TileError.zoom(23)) { try TileID(zoom: 23, x: 0, y: 0) }
        #expect(throws: TileError.zoom(-1)) { try TileID(zoom: -1, x: 0, y: 0) }
        #expect(throws: TileError.outside(zoom: 3, x: 8, y: 0)) { try TileID(zoom: 3, x: 8, y: 0) }
        #expect(throws: TileError.outside(zoom: 3, x: 0, y: -1)) {
            try TileID(zoom: 3, x: 0, y: -1)
        }
        #expect(throws: TileError.outside(zoom: 0, x: 0, y: .max)) {
            try TileID(zoom: 0, x: 0, y: .max)
        }
        #expect(TileError.outside(zoom: 3, x: 8, y: 0).description.contains("0 to 7"))
    }
}
