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
        writeChunk(.header) { bytes in
            PNGFile.append(UInt32(width), to: &bytes)
            PNGFile.append(UInt32(height), to: &bytes)
            bytes += [bitsPerPixel, indexedColor, 0, 0, 0]
        }
    }

    /// Appends a chunk: length, kind, what `content` appends, and the CRC-32 of the last two.
    mutating func writeChunk(_ kind: ChunkKind, _ content: (inout [UInt8]) -> Void = { _ in }) {
        let start = bytes.count
        PNGFile.append(0, to: &bytes)
        bytes += kind.rawValue.utf8
        content(&bytes)
        // The length is that of the content alone.
        let length = UInt32(bytes.count - start - 8)
        for place in 0..<4 {
            bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(place)))
        }
        let crc = Deflater.crc32(bytes.span.extracting((start + 4)...))
        PNGFile.append(crc, to: &bytes)
    }

    /// Appends a number, the most significant byte first.
    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift: UInt32 in [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
