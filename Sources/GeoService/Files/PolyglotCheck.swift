/// Finds a second file of another kind in a picture: bytes that a browser, an archiver or a reader
/// of documents would take for their own.
///
/// The picture that is stored is drawn anew and would not have them. But whoever sends such a file
/// does it on purpose, and is told.
enum PolyglotCheck {
    /// How much of both ends is looked at, in bytes: an archive's directory stands within the last
    /// 65,557 (its longest remark), a page or document within the first 1,024.
    static let endBytes = 66 << 10

    private static let words = ["<script", "<!doctype", "<?php", "%pdf-", "<iframe"]

    /// - Throws: ``ParseError`` 130; ``FileError``.
    static func check(_ file: IncomingFile, count: Int) throws {
        let head = try file.read(at: 0, count: min(count, endBytes))
        let tail = try file.read(at: max(0, count - endBytes), count: min(count, endBytes))
        guard !hasWord(head), !hasWord(tail), !isArchive(tail) else {
            throw ParseError(
                .fileSave, "the picture holds another file (a page, a document or an archive)")
        }
    }

    static func hasWord(_ bytes: [UInt8]) -> Bool {
        let words = words.map { Array($0.utf8) }
        let starts = Set(words.compactMap(\.first))
        for index in bytes.indices where starts.contains(bytes[index]) {
            let part = bytes[index...].prefix(10).map {
                (0x41...0x5a).contains($0) ? $0 | 0x20 : $0
            }
            if words.contains(where: { part.starts(with: $0) }) { return true }
        }
        return false
    }

    /// Whether a zip's end record is there, of which the remark fills what is left.
    static func isArchive(_ bytes: [UInt8]) -> Bool {
        let record = 22
        guard bytes.count >= record else { return false }
        for index in 0...(bytes.count - record)
        where bytes[index] == 0x50
            && bytes[index..<(index + 4)].elementsEqual([0x50, 0x4b, 5, 6])
        {
            let remark = Int(bytes[index + 20]) | Int(bytes[index + 21]) << 8
            // Readers of archives allow bytes behind the end, so do not ask for it exactly.
            if index + record + remark <= bytes.count { return true }
        }
        return false
    }
}
