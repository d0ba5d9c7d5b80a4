/// Writes indexed pictures as PNG: 4 bits a pixel when at most 16 colours occur, else 8.
///
/// Rows are not filtered: filters predict smooth samples, and neighbouring indices are none.
/// The palette in the file holds the colours that occur, so the bytes depend on the pixels and on the
/// library's version only. A picture without any colour is one of two stored constants.
/// Source: W3C, "Portable Network Graphics (PNG) Specification", third edition.
public struct PNGEncoder: Sendable {
    /// Creates an encoder: all of them share compressors at the fastest level.
    public init() {}

    /// The file. O(pixels).
    ///
    /// - Throws: ``DeflaterError/outOfMemory``.
    public func encode(_ image: IndexedImage) throws(DeflaterError) -> [UInt8] {
        let coded = CodedRows(image)
        if coded.used == [0], let empty = EmptyTile.png(width: image.width, height: image.height) {
            return empty
        }
        let data = try DeflaterPool.pictures.withDeflater { $0.zlib(coded.rows) }
        let colors = image.palette.colors

        var file = PNGFile(capacity: data.count + 4 * coded.used.count + 128)
        file.writeHeader(
            width: image.width, height: image.height, bitsPerPixel: coded.isPacked ? 4 : 8)
        file.writeChunk(.palette) { bytes in
            for index in coded.used {
                let color = colors[Int(index)]
                bytes.append(color.red)
                bytes.append(color.green)
                bytes.append(color.blue)
            }
        }
        // Alphas at the end that are opaque go without saying.
        if let lastClear = coded.used.lastIndex(where: { colors[Int($0)].alpha < 255 }) {
            file.writeChunk(.transparency) { bytes in
                for index in coded.used[...lastClear] { bytes.append(colors[Int(index)].alpha) }
            }
        }
        file.writeChunk(.data) { $0 += data }
        file.writeChunk(.end)
        return file.bytes
    }
}
