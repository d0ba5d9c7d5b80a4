/// The container of a PNG: the signature and chunks with their check sums.
struct PNGFile {
    /// The kinds of chunk that an indexed picture has, by their four letters.
    enum ChunkKind: String {
        case header = "IHDR"
        case palette = "PLTE"
        case transparency = "tRNS"
        case data = "IDAT"
        case end = "IEND"
    }

    /// The file so far.
    private(set) var bytes: [UInt8]

    /// Starts a file with the signature.
    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes += [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    }

    /// Appends the header of an indexed picture that is not interlaced.
    mutating func writeHeader(width: Int, height: Int, bitsPerPixel: UInt8) {
        let indexedColor: UInt8 = 3
        writeChunk(
            .header,
            PNGFile.bigEndian(UInt32(width)) + PNGFile.bigEndian(UInt32(height))
                + [bitsPerPixel, indexedColor, 0, 0, 0])
    }

    /// Appends a chunk: length, kind, content, and the CRC-32 of the last two.
    mutating func writeChunk(_ kind: ChunkKind, _ content: [UInt8]) {
        let name = Array(kind.rawValue.utf8)
        let crc = Deflater.crc32(content.span, continuing: Deflater.crc32(name.span))
        bytes += PNGFile.bigEndian(UInt32(content.count))
        bytes += name
        bytes += content
        bytes += PNGFile.bigEndian(crc)
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
