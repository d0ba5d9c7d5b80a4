import CDeflate

/// Why bytes are not a PNG that the tests can read.
package enum PNGDecodingError: Error, Equatable, Sendable {
    case signature
    case truncated
    case checksum(chunk: String)
    case header
    case data
    case filter(UInt8)
    case index(Int)
}

/// A PNG read back: indexed pictures without interlacing, every check sum tested.
package struct DecodedPNG: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// 1, 2, 4 or 8.
    package let bitsPerPixel: Int
    /// `0xRRGGBBAA` with straight alpha, row by row. All clear pixels are 0.
    package let pixels: [UInt32]
    /// The kinds of chunk, in the file's order.
    package let chunks: [String]

    /// Reads a file.
    package init(_ file: [UInt8]) throws(PNGDecodingError) {
        guard file.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else {
            throw .signature
        }
        var contents: [String: [UInt8]] = [:]
        var kinds: [String] = []
        var at = 8
        while at < file.count {
            guard at + 12 <= file.count else { throw .truncated }
            let length = DecodedPNG.number(file, at)
            guard at + 12 + length <= file.count else { throw .truncated }
            let kind = String(decoding: file[at + 4..<at + 8], as: UTF8.self)
            let end = at + 8 + length
            guard DecodedPNG.crc(file[at + 4..<end]) == DecodedPNG.number(file, end) else {
                throw .checksum(chunk: kind)
            }
            contents[kind, default: []] += file[at + 8..<end]
            kinds.append(kind)
            at = end + 4
        }
        guard let header = contents["IHDR"], header.count == 13, kinds.last == "IEND",
            header[9] == 3, header[10...12].allSatisfy({ $0 == 0 }),
            [1, 2, 4, 8].contains(header[8])
        else { throw .header }
        width = DecodedPNG.number(header, 0)
        height = DecodedPNG.number(header, 4)
        bitsPerPixel = Int(header[8])
        chunks = kinds
        let pitch = (width * bitsPerPixel + 7) / 8 + 1
        let rows = try DecodedPNG.inflated(contents["IDAT"] ?? [], count: pitch * height)
        let colors = DecodedPNG.colors(contents["PLTE"] ?? [], alphas: contents["tRNS"] ?? [])
        var pixels: [UInt32] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            guard rows[row * pitch] == 0 else { throw .filter(rows[row * pitch]) }
            for column in 0..<width {
                let bit = column * bitsPerPixel
                let byte = Int(rows[row * pitch + 1 + bit / 8])
                let index = byte >> (8 - bitsPerPixel - bit % 8) & ((1 << bitsPerPixel) - 1)
                guard index < colors.count else { throw .index(index) }
                pixels.append(colors[index])
            }
        }
        self.pixels = pixels
    }

    private static func colors(_ rgb: [UInt8], alphas: [UInt8]) -> [UInt32] {
        (0..<rgb.count / 3).map { index in
            let alpha = index < alphas.count ? UInt32(alphas[index]) : 255
            if alpha == 0 { return 0 }
            let red = UInt32(rgb[3 * index]) << 24
            return red | UInt32(rgb[3 * index + 1]) << 16 | UInt32(rgb[3 * index + 2]) << 8 | alpha
        }
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The check sum bit by bit, as ISO 3309 defines it: a twin of the fast one.
    private static func crc(_ bytes: ArraySlice<UInt8>) -> Int {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        return Int(~crc)
    }

    /// Unpacks a zlib stream of a known length.
    package static func inflated(
        _ data: [UInt8], count: Int
    ) throws(PNGDecodingError) -> [UInt8] {
        unsafe try unpacked(data, count: count) {
            unsafe libdeflate_zlib_decompress($0, $1, $2, $3, $4, $5)
        }
    }

    /// Unpacks a gzip stream of a known length.
    package static func gunzipped(
        _ data: [UInt8], count: Int
    ) throws(PNGDecodingError) -> [UInt8] {
        unsafe try unpacked(data, count: count) {
            unsafe libdeflate_gzip_decompress($0, $1, $2, $3, $4, $5)
        }
    }

    private typealias Unpacker = (
        OpaquePointer?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int,
        UnsafeMutablePointer<Int>?
    ) -> libdeflate_result

    private static func unpacked(
        _ data: [UInt8], count: Int, with unpack: Unpacker
    ) throws(PNGDecodingError) -> [UInt8] {
        guard let decompressor = unsafe libdeflate_alloc_decompressor() else { throw .data }
        defer { unsafe libdeflate_free_decompressor(decompressor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe unpack(decompressor, data, data.count, &bytes, count, nil)
        guard result == LIBDEFLATE_SUCCESS else { throw .data }
        return bytes
    }
}
