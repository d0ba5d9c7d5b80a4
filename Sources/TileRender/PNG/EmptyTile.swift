/// The clear tiles, stored: most of the world's tiles are clear.
package enum EmptyTile {
    /// The clear tile of 256 · scale pixels.
    ///
    /// - Precondition: the scale is 1 or 2.
    package static func png(scale: Int) -> [UInt8] {
        precondition(scale == 1 || scale == 2, "scale \(scale) is neither 1 nor 2")
        return scale == 1 ? single : double
    }

    /// The clear picture of a tile's size; `nil` for other sizes.
    static func png(width: Int, height: Int) -> [UInt8]? {
        switch (width, height) {
        case (256, 256): single
        case (512, 512): double
        default: nil
        }
    }

    private static let single = file(
        edgePixels: 256,
        data: [
            0x78, 0xda, 0xed, 0xc1, 0x01, 0x0d, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf7, 0x4f, 0x6d,
            0x0e, 0x37, 0xa0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xbe, 0x0d, 0x21,
            0x00, 0x00, 0x01,
        ])

    private static let double = file(
        edgePixels: 512,
        data: [
            0x78, 0xda, 0xed, 0xc1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x82, 0x20, 0xff, 0xaf, 0x6e,
            0x48, 0x40, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7c, 0x1b, 0x82, 0x00, 0x00, 0x01,
        ])

    /// One clear colour at 1 bit a pixel; `data` is the zlib stream of edge · (edge / 8 + 1)
    /// zeros, which a test unpacks.
    private static func file(edgePixels: Int, data: [UInt8]) -> [UInt8] {
        var file = PNGFile(capacity: 192)
        file.writeHeader(width: edgePixels, height: edgePixels, bitsPerPixel: 1)
        file.writeChunk(.palette) { $0 += [0, 0, 0] }
        file.writeChunk(.transparency) { $0.append(0) }
        file.writeChunk(.data) { $0 += data }
        file.writeChunk(.end)
        return file.bytes
    }
}
