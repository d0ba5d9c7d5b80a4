import GeoIndex
import GeoStore
import Testing
import TileRender

@testable import GeoService

struct PictureOrderTests {
    private func window(_ items: [(String, String)]) throws -> PixelWindow {
        try PictureOrder(items: items, layer: "Towns", .anonymous, now: .now()).window
    }

    @Test("a box at a zoom is the pixels that it touches")
    func zoom() throws {
        let east = try window([("bbox", "0,0,90,66.51326044311186"), ("zoom", "2")])
        let tile = PixelWindow(tile: try TileID(zoom: 2, x: 2, y: 1), scale: 1)
        // The tile's north edge, to 1e-7°.
        #expect(east.originX == tile.originX && east.width == 256)
        #expect(abs(east.originY - tile.originY) <= 1 && abs(east.height - 256) <= 1)
        let twice = try window([("bbox", "0,-45,90,45"), ("zoom", "2"), ("scale", "2")])
        #expect(twice.width == 512 && twice.scale == 2)
    }

    @Test("a box over 180° is one window")
    func antimeridian() throws {
        let window = try window([("bbox", "170,-10,-170,10"), ("zoom", "0")])
        #expect(window.originX == 248 && window.width == 15 || window.width == 16)
    }

    @Test("a size takes the deepest zoom at which the box is in the picture, around its middle")
    func size() throws {
        let window = try window([("bbox", "0,0,90,10"), ("size", "300x200")])
        #expect(window.zoom == 2 && window.width == 300 && window.height == 200)
        let middle = window.originX + 150
        #expect(abs(middle - (512 + 128)) <= 1)
        let point = try self.window([("bbox", "5,5,5,5"), ("size", "10x10")])
        #expect(point.zoom == TileID.maxZoom)
    }

    @Test(
        "what makes no picture is named",
        arguments: [
            ([("zoom", "1")], "bbox"), ([("bbox", "0,0,1,1")], "zoom"),
            ([("bbox", "0,0,1,1"), ("zoom", "3"), ("size", "2x2")], "zoom"),
            ([("bbox", "-180,-80,180,80"), ("zoom", "5")], "zoom"),
            ([("bbox", "0,0,1,1"), ("size", "0x5")], "size"),
            ([("bbox", "0,0,1,1"), ("size", "5000x5")], "size"),
            ([("bbox", "0,0,1,1"), ("size", "5")], "size"),
            ([("bbox", "0,0,1,1"), ("zoom", "3"), ("tiles", "raster")], "tiles"),
            ([("bbox", "0,0,1,1"), ("zoom", "3"), ("palette", "ember")], "palette"),
        ])
    func refusals(items: [(String, String)], name: String) throws {
        let problem = #expect(throws: Problem.self) { try window(items) }
        #expect(problem?.errors.first?.field == name)
    }
}
