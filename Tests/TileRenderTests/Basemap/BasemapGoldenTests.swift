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
            (0, 0, 0, 1, 0), (4, 8, 5, 1, 0), (6, 56, 25, 1, 0), (8, 137, 83, 2, 0),
            (5, 31, 17, 1, 0), (4, 8, 5, 1, 1), (8, 137, 83, 2, 1),
        ])
    func tile(zoom: Int, x: Int, y: Int, scale: Int, style: Int) throws {
        let window = PixelWindow(tile: try TileID(zoom: zoom, x: x, y: y), scale: scale)
        try compare(window, "basemap_\(zoom)-\(x)-\(y)", style: style)
    }

    @Test(
        "a town of a detailed source is the one that was looked at",
        arguments: [(14, 1, 0), (16, 1, 0), (16, 2, 1), (18, 1, 0)])
    func town(zoom: Int, scale: Int, style: Int) throws {
        let edge = 256 * scale
        let middle = SampleTown.middle.x >> (24 - UInt32(scale - 1) - UInt32(zoom))
        let row = SampleTown.middle.y >> (24 - UInt32(scale - 1) - UInt32(zoom))
        let window = PixelWindow(
            zoom: UInt8(zoom), scale: scale, originX: Int(middle) - edge, originY: Int(row) - edge,
            width: 2 * edge, height: 2 * edge)
        try compare(window, "basemap_town_\(zoom)", style: style, features: SampleTown())
    }

    private func compare(
        _ window: PixelWindow, _ name: String, style: Int,
        features: any BasemapFeatures = NoFeatures()
    ) throws {
        let basemap = try CarriedMap.basemap.get()
        let image = try basemap.image(of: window, style: style, features: features)
        let file = try PNGEncoder().encode(image)
        let name =
            name + (style == 0 ? "" : "_" + basemap.styles[style].name)
            + (window.scale == 2 ? "@2x" : "")
        if Golden.isUpdating { try Golden.store(file, name) }
        let golden = try #require(Golden.stored(name), "run once with UPDATE_GOLDENS=1")
        let share = Golden.share(
            of: try DecodedPNG(file), differingFrom: try DecodedPNG(golden), byMoreThan: 8)
        #expect(share <= 0.01)
    }

    @Test("every mixture of the style's colours is near a colour of the palette", arguments: 0..<10)
    func palette(seed: Int) throws {
        // What is drawn and what the palette makes of it differ by little everywhere.
        let basemap = try CarriedMap.basemap.get()
        let tiles = [(2, 1, 1), (5, 16, 10), (7, 68, 42), (9, 454, 201)]
        let style = seed % 2
        let window: PixelWindow
        if seed < 8 {
            let (zoom, x, y) = tiles[seed / 2]
            window = PixelWindow(tile: try TileID(zoom: zoom, x: x, y: y), scale: 1)
        } else {
            window = PixelWindow(
                zoom: 16, scale: 1, originX: Int(SampleTown.middle.x >> 8) - 200,
                originY: Int(SampleTown.middle.y >> 8) - 200, width: 400, height: 400)
        }
        let features = SampleTown()
        let pixels = try basemap.pixels(of: window, style: style, features: features)
        let image = try basemap.image(of: window, style: style, features: features)
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
        // A town has more colours than a palette has mixtures of, and emoji have their own.
        #expect(worst <= (seed < 8 ? 48 : 72))
        #expect(far * (seed < 8 ? 200 : 50) <= pixels.count)
    }
}
