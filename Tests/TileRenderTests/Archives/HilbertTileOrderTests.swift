import GeoIndex
import TestSupport
import Testing
import TileRender

struct HilbertTileOrderTests {
    @Test(
        "the numbers are those of the specification",
        arguments: [
            (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5),
            (12, 3423, 1763, 19_078_479),
        ] as [(Int, Int, Int, UInt64)])
    func examples(zoom: Int, x: Int, y: Int, number: UInt64) throws {
        let tile = try TileID(zoom: zoom, x: x, y: y)
        #expect(tile.hilbertNumber == number)
        #expect(TileID(hilbertNumber: number) == tile)
    }

    @Test("numbers that follow one another are tiles beside one another", arguments: 0...6)
    func curve(zoom: Int) throws {
        let tiles = (1 << (2 * zoom) - 1) / 3
        var last: TileID?
        var seen = Set<TileID>()
        for number in tiles..<(tiles + 1 << (2 * zoom)) {
            let tile = try #require(TileID(hilbertNumber: UInt64(number)))
            #expect(tile.zoom == UInt8(zoom) && tile.hilbertNumber == UInt64(number))
            #expect(seen.insert(tile).inserted)
            if let last {
                let steps = abs(Int(tile.x) - Int(last.x)) + abs(Int(tile.y) - Int(last.y))
                #expect(steps == 1)
            }
            last = tile
        }
    }

    @Test("a tile has its number back at every zoom", arguments: 0..<16)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        for zoom in 0...Int(TileID.maxZoom) {
            let edge = 1 << zoom
            let tile = try TileID(
                zoom: zoom, x: .random(in: 0..<edge, using: &random),
                y: .random(in: 0..<edge, using: &random))
            #expect(TileID(hilbertNumber: tile.hilbertNumber) == tile)
        }
    }

    @Test("there is no tile past the last one")
    func last() throws {
        let edge = 1 << Int(TileID.maxZoom)
        let last = try TileID(zoom: Int(TileID.maxZoom), x: edge - 1, y: 0)
        #expect(TileID(hilbertNumber: last.hilbertNumber) == last)
        #expect(TileID(hilbertNumber: last.hilbertNumber + 1) == nil)
        #expect(TileID(hilbertNumber: .max) == nil)
    }
}
