/// Takes place, time, device and other remarks out of films and sound in ISO base media files
/// (MP4, QuickTime, M4A).
///
/// Cameras write them into the boxes `udta` and `meta` of the film and of its tracks (`©xyz`, `loci`,
/// `com.apple.quicktime.location.ISO6709`), or into `uuid` (XMP). Each of these becomes a box `free`
/// of the same length, filled with zeros: nothing else moves, so every offset stays right
/// (ISO/IEC 14496-12 §8.1.2). What is recorded as a track of its own stays, as action cameras do.
struct MediaLocation {
    private let file: IncomingFile
    private var boxesLeft = 20_000

    private static let remarks = ["udta", "meta", "uuid"]
    private static let parents = ["moov", "trak"]

    /// Removes them from a file of one of those kinds; leaves others as they are.
    ///
    /// - Throws: ``FileError``.
    static func remove(from file: IncomingFile, _ kind: FileKind) throws(FileError) {
        guard [.mp4, .quickTime, .m4a].contains(kind) else { return }
        var walk = MediaLocation(file: file)
        try walk.clean(0..<(try file.byteCount()))
    }

    private init(file: IncomingFile) { self.file = file }

    /// Walks through the boxes of a range. A box that leaves it ends with it.
    private mutating func clean(_ range: Range<Int>) throws(FileError) {
        var offset = range.lowerBound
        while range.upperBound - offset >= 8, boxesLeft > 0 {
            boxesLeft -= 1
            let head = try file.read(at: offset, count: 16)
            guard head.count >= 8 else { return }
            var size = Self.number(head[0..<4])
            var headBytes = 8
            if size == 1, head.count == 16 {
                size = Self.number(head[8..<16])
                headBytes = 16
            }
            if size == 0 || size > range.upperBound - offset { size = range.upperBound - offset }
            guard size >= headBytes else { return }
            // Latin-1 in principle; those that matter here are ASCII.
            let type = String(decoding: head[4..<8], as: UTF8.self)
            let content = (offset + headBytes)..<(offset + size)
            if Self.remarks.contains(type) {
                try blank(content, typeAt: offset + 4)
            } else if Self.parents.contains(type) {
                try clean(content)
            }
            offset += size
        }
    }

    private func blank(_ content: Range<Int>, typeAt place: Int) throws(FileError) {
        try file.overwrite(Array("free".utf8), at: place)
        var offset = content.lowerBound
        while offset < content.upperBound {
            let count = min(content.upperBound - offset, 64 << 10)
            try file.overwrite([UInt8](repeating: 0, count: count), at: offset)
            offset += count
        }
    }

    /// A big-endian number; what no file is long enough for is as long as any.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        // At most eight bytes.
        Int(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
