import GeoIndex
import TestSupport
import Testing

@testable import TileRender

/// Tiles of the world map against pictures that were looked at. At most 1 % of the pixels may
/// differ by more than 8 in a channel: glyph outlines vary with the font's version.
@Suite("Basemap pictures")
struct BasemapGoldenTests {
    @Test(
        "a tile is the one that was looked at",
        arguments: [
            (0, 0, 0, 1), (4, 8, 5, 1), (6, 56, 25, 1), (8, 137, 83, 2), (5, 31, 17, 1),
        ])
    func tile(zoom: Int, x: Int, y: Int, scale: Int) throws {
        let window = PixelWindow(tile: try TileID(zoom: zoom, x: x, y: y), scale: scale)
        let file = try PNGEncoder().encode(try CarriedMap.basemap.get().image(of: window))
        let name = "basemap_\(zoom)-\(x)-\(y)" + (scale == 2 ? "@2x" : "")
        if Golden.isUpdating { try Golden.store(file, name) }
        let golden = try #require(Golden.stored(name), "run once with UPDATE_GOLDENS=1")
        let share = Golden.share(
            of: try DecodedPNG(file), differingFrom: try DecodedPNG(golden), byMoreThan: 8)
        #expect(share <= 0.01)
    }

    @Test("every mixture of the style's colours is near a colour of the palette", arguments: 0..<4)
    func palette(seed: Int) throws {
        // What is drawn and what the palette makes of it differ by little everywhere.
        let basemap = try CarriedMap.basemap.get()
        let tiles = [(2, 1, 1), (5, 16, 10), (7, 68, 42), (9, 454, 201)]
        let (zoom, x, y) = tiles[seed]
        let window = PixelWindow(tile: try TileID(zoom: zoom, x: x, y: y), scale: 1)
        let pixels = try basemap.pixels(of: window)
        let image = try basemap.image(of: window)
        var worst = 0
        var far = 0
        for (pixel, index) in zip(pixels, image.pixels) {
            #expect(pixel >> 24 == 255)
            let color = image.palette.colors[Int(index)].argb
            func step(_ shift: UInt32) -> Int {
                abs(Int(pixel >> shift & 255) - Int(color >> shift & 255))
            }
            let largest = max(step(16), step(8), step(0))
            worst = max(worst, largest)
            if largest > 8 { far += 1 }
        }
        #expect(worst <= 48)
        #expect(far * 200 <= pixels.count)
    }
}
