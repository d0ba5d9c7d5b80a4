/// A picture's pixels as a PNG compresses them: for each row the filter's number, which is 0 for
/// "none", and the codes of the colours that occur.
///
/// Eight pixels at a time, and only where they are others than the eight before: most of a tile is
/// not. O(pixels).
package struct CodedRows {
    /// As many colours as four bits tell apart.
    private static let mostPackedColors = 16

    /// The palette's index for each code.
    let used: [UInt8]
    /// Whether a code has four bits, the western pixel in the high ones; else it has eight.
    let isPacked: Bool
    /// The bytes of all rows.
    package let rows: [UInt8]

    package init(_ image: IndexedImage) {
        var book = CodeBook(most: CodedRows.mostPackedColors)
        if let rows = CodedRows.packed(image, &book) {
            (self.rows, used, isPacked) = (rows, book.used, true)
        } else {
            book = CodeBook(most: 256)
            rows = CodedRows.plain(image, &book)
            (used, isPacked) = (book.used, false)
        }
    }

    /// Four bits a pixel; nil when that is too few.
    private static func packed(_ image: IndexedImage, _ book: inout CodeBook) -> [UInt8]? {
        let (width, height) = (image.width, image.height)
        let rowBytes = (width + 1) / 2 + 1
        let pixels = image.pixels.span
        let rows = unsafe [UInt8](unsafeUninitializedCapacity: rowBytes * height) { out, count in
            let target = UnsafeMutableRawBufferPointer(out)
            unsafe pixels.bytes.withUnsafeBytes { source in
                // Eight pixels as they were last, and what they became.
                var last: UInt64?
                var word: UInt32 = 0
                for row in 0..<height {
                    let start = row &* width
                    unsafe target[row &* rowBytes] = 0
                    var place = row &* rowBytes &+ 1
                    var column = 0
                    while column &+ 8 <= width {
                        let eight = unsafe source.loadUnaligned(
                            fromByteOffset: start &+ column, as: UInt64.self)
                        if eight != last {
                            guard let codes = book.codes(ofEight: eight) else { return }
                            (last, word) = (eight, packed(codes))
                        }
                        unsafe target.storeBytes(of: word, toByteOffset: place, as: UInt32.self)
                        place &+= 4
                        column &+= 8
                    }
                    while column < width {
                        let isPair = column &+ 1 < width
                        guard let west = book.code(pixels[start &+ column]),
                            let east = isPair ? book.code(pixels[start &+ column &+ 1]) : 0
                        else { return }
                        unsafe target[place] = west << 4 | east
                        place &+= 1
                        column &+= 2
                    }
                }
                count = rowBytes * height
            }
        }
        return rows.isEmpty && height > 0 ? nil : rows
    }

    /// Eight codes of four bits in four bytes, both in the order of memory of this little-endian
    /// machine: the first in the lowest byte, and there in the high half.
    @inline(__always)
    private static func packed(_ codes: UInt64) -> UInt32 {
        let firsts: UInt64 = 0x00ff_00ff_00ff_00ff
        var pairs = (codes & firsts) << 4 | codes >> 8 & firsts
        pairs = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff
        return UInt32(truncatingIfNeeded: pairs | pairs >> 16)
    }

    /// A byte a pixel.
    private static func plain(_ image: IndexedImage, _ book: inout CodeBook) -> [UInt8] {
        let (width, height) = (image.width, image.height)
        let rowBytes = width + 1
        let pixels = image.pixels.span
        return unsafe [UInt8](unsafeUninitializedCapacity: rowBytes * height) { out, count in
            let target = UnsafeMutableRawBufferPointer(out)
            unsafe pixels.bytes.withUnsafeBytes { source in
                var last: UInt64?
                var codes: UInt64 = 0
                for row in 0..<height {
                    unsafe target[row &* rowBytes] = 0
                    let start = row &* width
                    let place = row &* rowBytes &+ 1
                    var column = 0
                    while column &+ 8 <= width {
                        let eight = unsafe source.loadUnaligned(
                            fromByteOffset: start &+ column, as: UInt64.self)
                        if eight != last {
                            // There is a code for each of the 256 indices that there can be.
                            codes = book.codes(ofEight: eight) ?? 0
                            last = eight
                        }
                        unsafe target.storeBytes(
                            of: codes, toByteOffset: place &+ column, as: UInt64.self)
                        column &+= 8
                    }
                    while column < width {
                        unsafe target[place &+ column] = book.code(pixels[start &+ column]) ?? 0
                        column &+= 1
                    }
                }
            }
            count = rowBytes * height
        }
    }
}
