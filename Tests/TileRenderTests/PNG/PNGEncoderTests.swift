import TestSupport
import Testing
import TileRender

struct PNGEncoderTests {
    /// Sizes even and odd; how many colours; the bits that those need.
    static let cases = [
        (1, 1, 2, 4), (2, 1, 2, 4), (3, 5, 16, 4), (256, 256, 16, 4), (17, 9, 17, 8),
        (255, 31, 40, 8), (512, 512, 255, 8),
    ]

    @Test("a picture reads back pixel by pixel, in as few bits as do", arguments: cases)
    func roundTrip(width: Int, height: Int, colors: Int, bits: Int) throws {
        let image = PNGEncoderTests.image(width: width, height: height, colors: colors)
        let decoded = try DecodedPNG(try PNGEncoder().encode(image))
        #expect(decoded.width == width)
        #expect(decoded.height == height)
        #expect(decoded.bitsPerPixel == bits)
        #expect(decoded.pixels == image.rgba)
        #expect(decoded.chunks == ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
    }

    @Test("a high index does not cost bits: only colours that occur count")
    func highIndices() throws {
        let palette = Palette((1...255).map { Color(UInt32($0) * 0x01_0203) })
        let pixels = (0..<64).map { UInt8(255 - $0 % 3) }
        let image = IndexedImage(width: 8, height: 8, palette: palette, pixels: pixels)
        let decoded = try DecodedPNG(try PNGEncoder().encode(image))
        #expect(decoded.bitsPerPixel == 4)
        #expect(decoded.pixels == image.rgba)
        // All three are opaque.
        #expect(!decoded.chunks.contains("tRNS"))
    }

    @Test("an empty tile is the stored one, and clear", arguments: [1, 2])
    func empty(scale: Int) throws {
        let edge = 256 * scale
        let image = IndexedImage(width: edge, height: edge, palette: Palette([.white]))
        let file = try PNGEncoder().encode(image)
        #expect(file == EmptyTile.png(scale: scale))
        let decoded = try DecodedPNG(file)
        #expect(decoded.width == edge)
        #expect(decoded.pixels.count == edge * edge)
        #expect(decoded.pixels.allSatisfy { $0 == 0 })
    }

    @Test("an empty picture of another size is clear too")
    func emptyOdd() throws {
        let image = IndexedImage(width: 7, height: 3, palette: Palette([.white]))
        let decoded = try DecodedPNG(try PNGEncoder().encode(image))
        #expect(decoded.pixels == [UInt32](repeating: 0, count: 21))
    }

    @Test("the bytes depend on the picture only")
    func isPure() throws {
        let image = PNGEncoderTests.image(width: 64, height: 64, colors: 12)
        let encoder = PNGEncoder()
        let first = try encoder.encode(image)
        _ = try encoder.encode(PNGEncoderTests.image(width: 300, height: 2, colors: 99))
        #expect(try encoder.encode(image) == first)
        #expect(try PNGEncoder().encode(image) == first)
    }

    @Test("the tests' reader refuses a damaged file")
    func readerIsStrict() throws {
        var file = try PNGEncoder().encode(PNGEncoderTests.image(width: 9, height: 9, colors: 5))
        file[file.count - 20] ^= 1
        #expect(throws: PNGDecodingError.self) { try DecodedPNG(file) }
    }

    /// Every colour at least once when there is room, translucent ones among them.
    private static func image(width: Int, height: Int, colors: Int) -> IndexedImage {
        var random = SeededGenerator(seed: width * height + colors)
        let palette = Palette(
            (1..<max(2, colors)).map {
                Color(UInt32($0) * 0x07_0b0d, alpha: $0 % 3 == 0 ? UInt8($0) : 255)
            })
        let pixels = (0..<width * height).map { index in
            UInt8(index < colors ? index : Int.random(in: 0..<colors, using: &random))
        }
        return IndexedImage(width: width, height: height, palette: palette, pixels: pixels)
    }
}
