/// Writes indexed pictures as PNG: 4 bits a pixel when at most 16 colours occur, else 8.
///
/// Rows are not filtered: filters predict smooth samples, and neighbouring indices are none.
/// The palette in the file holds the colours that occur, in the picture's order, so the bytes
/// depend on the pixels and on the library's version only. A picture without any colour is one
/// of two stored constants.
/// Source: W3C, "Portable Network Graphics (PNG) Specification", third edition.
public struct PNGEncoder: Sendable {
    /// Creates an encoder: all of them share compressors at the fastest level.
    public init() {}

    /// The file. O(pixels).
    ///
    /// - Throws: ``DeflaterError/outOfMemory``.
    public func encode(_ image: IndexedImage) throws(DeflaterError) -> [UInt8] {
        let used = PNGEncoder.usedIndices(of: image)
        if used == [0], let empty = EmptyTile.png(width: image.width, height: image.height) {
            return empty
        }
        let isPacked = used.count <= PNGEncoder.mostPackedColors
        let rows = PNGEncoder.rows(of: image, used: used)
        let data = try DeflaterPool.pictures.withDeflater { $0.zlib(rows) }
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

    /// As many colours as four bits tell apart.
    private static let mostPackedColors = 16

    /// What is compressed: the filter's number and the codes of each row. O(pixels).
    package static func rows(of image: IndexedImage) -> [UInt8] {
        rows(of: image, used: usedIndices(of: image))
    }

    private static func rows(of image: IndexedImage, used: [UInt8]) -> [UInt8] {
        var codes = [UInt8](repeating: 0, count: 256)
        for (code, index) in used.enumerated() { codes[Int(index)] = UInt8(code) }
        return used.count <= mostPackedColors ? packed(image, codes) : plain(image, codes)
    }

    /// The palette's indices that occur, ascending.
    private static func usedIndices(of image: IndexedImage) -> [UInt8] {
        var isUsed = [Bool](repeating: false, count: 256)
        var marks = isUsed.mutableSpan
        let pixels = image.pixels.span
        let words = pixels.count / 8
        unsafe pixels.bytes.withUnsafeBytes { bytes in
            // Eight pixels that are the same as the eight before tell nothing new: most of a tile.
            var last: UInt64?
            for word in 0..<words {
                let eight = unsafe bytes.loadUnaligned(fromByteOffset: 8 &* word, as: UInt64.self)
                if eight == last { continue }
                last = eight
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    marks[Int(truncatingIfNeeded: eight &>> shift & 255)] = true
                }
            }
        }
        for index in 8 * words..<pixels.count { marks[Int(pixels[index])] = true }
        return (0...UInt8.max).filter { isUsed[Int($0)] }
    }

    /// A byte for the filter "none", then a byte a pixel, for each row.
    private static func plain(_ image: IndexedImage, _ codes: [UInt8]) -> [UInt8] {
        let (width, height) = (image.width, image.height)
        let rowBytes = width + 1
        let code = codes.span
        let pixels = image.pixels.span
        return unsafe [UInt8](unsafeUninitializedCapacity: rowBytes * height) { out, count in
            let target = UnsafeMutableRawBufferPointer(out)
            unsafe pixels.bytes.withUnsafeBytes { source in
                for row in 0..<height {
                    unsafe target[row &* rowBytes] = 0
                    let start = row &* width
                    let place = row &* rowBytes &+ 1
                    var column = 0
                    // A store of eight costs less than eight stores.
                    while column &+ 8 <= width {
                        let eight = unsafe source.loadUnaligned(
                            fromByteOffset: start &+ column, as: UInt64.self)
                        var coded: UInt64 = 0
                        for byte in 0..<UInt64(8) {
                            let index = eight &>> (8 &* byte) & 255
                            coded |= UInt64(code[Int(truncatingIfNeeded: index)]) &<< (8 &* byte)
                        }
                        unsafe target.storeBytes(
                            of: coded, toByteOffset: place &+ column, as: UInt64.self)
                        column &+= 8
                    }
                    while column < width {
                        unsafe target[place &+ column] = code[Int(pixels[start &+ column])]
                        column &+= 1
                    }
                }
            }
            count = rowBytes * height
        }
    }

    /// A byte for the filter "none", then four bits a pixel, the western pixel high, for each row.
    private static func packed(_ image: IndexedImage, _ codes: [UInt8]) -> [UInt8] {
        let (width, height) = (image.width, image.height)
        let rowBytes = (width + 1) / 2 + 1
        let code = codes.span
        let pixels = image.pixels.span
        return unsafe [UInt8](unsafeUninitializedCapacity: rowBytes * height) { out, count in
            let target = UnsafeMutableRawBufferPointer(out)
            unsafe pixels.bytes.withUnsafeBytes { source in
                // Eight pixels as they were last, and what they became.
                var (last, word): (UInt64, UInt32) = (0, packed(eight: 0, code))
                for row in 0..<height {
                    unsafe target[row &* rowBytes] = 0
                    let start = row &* width
                    var place = row &* rowBytes &+ 1
                    var column = 0
                    while column &+ 8 <= width {
                        let eight = unsafe source.loadUnaligned(
                            fromByteOffset: start &+ column, as: UInt64.self)
                        if eight != last { (last, word) = (eight, packed(eight: eight, code)) }
                        unsafe target.storeBytes(of: word, toByteOffset: place, as: UInt32.self)
                        place &+= 4
                        column &+= 8
                    }
                    while column < width {
                        let west = code[Int(pixels[start &+ column])]
                        let isPair = column &+ 1 < width
                        let east = isPair ? code[Int(pixels[start &+ column &+ 1])] : 0
                        unsafe target[place] = west << 4 | east
                        place &+= 1
                        column &+= 2
                    }
                }
            }
            count = rowBytes * height
        }
    }

    /// The codes of eight pixels in four bytes, both in the order of memory of this little-endian
    /// machine: the first pixel in the lowest byte, and there in the high half.
    @inline(__always)
    private static func packed(eight: UInt64, _ code: Span<UInt8>) -> UInt32 {
        var word: UInt32 = 0
        for byte in 0..<UInt32(4) {
            let pair = UInt64(16 &* byte)
            let west = code[Int(truncatingIfNeeded: eight &>> pair & 255)]
            let east = code[Int(truncatingIfNeeded: eight &>> (pair &+ 8) & 255)]
            word |= UInt32(west << 4 | east) &<< (8 &* byte)
        }
        return word
    }
}
