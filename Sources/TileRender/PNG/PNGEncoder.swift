/// Writes indexed pictures as PNG: 4 bits a pixel when at most 16 colours occur, else 8.
///
/// Rows are not filtered: filters predict smooth samples, and neighbouring indices are none.
/// The palette in the file holds the colours that occur, in the picture's order, so the bytes
/// depend on the pixels and on the library's version only. A picture without any colour is one
/// of two stored constants. Belongs to one thread at a time, like its ``Deflater``.
/// Source: W3C, "Portable Network Graphics (PNG) Specification", third edition.
public struct PNGEncoder {
    private let deflater: Deflater

    /// Creates an encoder at the fastest level, which these small pictures are made for.
    ///
    /// - Throws: ``DeflaterError/outOfMemory``.
    public init() throws(DeflaterError) {
        deflater = try Deflater(level: 1)
    }

    /// Creates an encoder that borrows a compressor.
    public init(deflater: Deflater) {
        self.deflater = deflater
    }

    /// The file. O(pixels).
    public func encode(_ image: IndexedImage) -> [UInt8] {
        let used = PNGEncoder.usedIndices(of: image)
        if used == [0], let empty = EmptyTile.png(width: image.width, height: image.height) {
            return empty
        }
        var codes = [UInt8](repeating: 0, count: 256)
        for (code, index) in used.enumerated() { codes[Int(index)] = UInt8(code) }
        let isPacked = used.count <= 16
        let rows = isPacked ? PNGEncoder.packed(image, codes) : PNGEncoder.plain(image, codes)
        let data = deflater.zlib(rows)
        let colors = used.map { image.palette.colors[Int($0)] }

        var file = PNGFile(capacity: data.count + 4 * colors.count + 128)
        file.writeHeader(width: image.width, height: image.height, bitsPerPixel: isPacked ? 4 : 8)
        file.writeChunk(.palette, colors.flatMap { [$0.red, $0.green, $0.blue] })
        // Alphas at the end that are opaque go without saying.
        let alphas = colors.map(\.alpha)
        let lastClear = alphas.lastIndex { $0 < 255 }
        if let lastClear { file.writeChunk(.transparency, Array(alphas[...lastClear])) }
        file.writeChunk(.data, data)
        file.writeChunk(.end, [])
        return file.bytes
    }

    /// The palette's indices that occur, ascending.
    private static func usedIndices(of image: IndexedImage) -> [UInt8] {
        var isUsed = [Bool](repeating: false, count: 256)
        let pixels = image.pixels.span
        var marks = isUsed.mutableSpan
        // A store for each pixel: a test for "as the last one" fails too often in dense tiles.
        for index in pixels.indices { marks[Int(pixels[index])] = true }
        return (0...UInt8.max).filter { isUsed[Int($0)] }
    }

    /// A byte for the filter "none", then a byte a pixel, for each row.
    private static func plain(_ image: IndexedImage, _ codes: [UInt8]) -> [UInt8] {
        let pixels = image.pixels.span
        let code = codes.span
        return [UInt8](capacity: (image.width + 1) * image.height) { out in
            for row in 0..<image.height {
                out.append(0)
                for index in row * image.width..<(row + 1) * image.width {
                    out.append(code[Int(pixels[index])])
                }
            }
        }
    }

    /// A byte for the filter "none", then four bits a pixel, the western pixel high, for each row.
    private static func packed(_ image: IndexedImage, _ codes: [UInt8]) -> [UInt8] {
        let pixels = image.pixels.span
        let code = codes.span
        let pairs = image.width / 2
        return [UInt8](capacity: ((image.width + 1) / 2 + 1) * image.height) { out in
            for row in 0..<image.height {
                let start = row * image.width
                out.append(0)
                for pair in 0..<pairs {
                    let west = code[Int(pixels[start &+ 2 &* pair])]
                    let east = code[Int(pixels[start &+ 2 &* pair &+ 1])]
                    out.append(west << 4 | east)
                }
                if image.width % 2 == 1 { out.append(code[Int(pixels[start + 2 * pairs])] << 4) }
            }
        }
    }
}
