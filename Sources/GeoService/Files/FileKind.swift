/// What the bytes of a file are, by their own evidence; what a client says of them is not asked.
///
/// The signatures are those of the WHATWG MIME Sniffing Standard §6 and of ISO/IEC 14496-12 §4.3.
enum FileKind: String, CaseIterable, Sendable {
    // Pictures, which are decoded and written anew.
    case jpeg, png, gif, webp, heif, tiff
    // Sound and film, which are kept as they came.
    case mp4, quickTime, webm, matroska, ogg, mp3, aac, wav, flac, m4a
    // Documents.
    case pdf, zip, gzip, html, xml, text, other

    /// How a kind is treated.
    enum Family: Sendable {
        case picture, media, document
    }

    var family: Family {
        switch self {
        case .jpeg, .png, .gif, .webp, .heif, .tiff: .picture
        case .mp4, .quickTime, .webm, .matroska, .ogg, .mp3, .aac, .wav, .flac, .m4a: .media
        case .pdf, .zip, .gzip, .html, .xml, .text, .other: .document
        }
    }

    /// How many bytes of a file's start tell its kind.
    static let headBytes = 1_024

    /// Judges by the first bytes of a file.
    init(head: ArraySlice<UInt8>) {
        self = Self.binary(head) ?? Self.text(head)
    }

    private static func binary(_ head: ArraySlice<UInt8>) -> FileKind? {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: Array(text.utf8))
        }
        func has(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        if has([0xff, 0xd8, 0xff]) { return .jpeg }
        if has([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return .png }
        if has("GIF87a") || has("GIF89a") { return .gif }
        if has("RIFF") { return has("WEBP", at: 8) ? .webp : has("WAVE", at: 8) ? .wav : .other }
        if has([0x49, 0x49, 0x2a, 0]) || has([0x4d, 0x4d, 0, 0x2a]) { return .tiff }
        if has("ftyp", at: 4) { return brand(head.dropFirst(8).prefix(4)) }
        if ["moov", "mdat", "wide", "free", "skip"].contains(where: { has($0, at: 4) }) {
            return .quickTime
        }
        if has([0x1a, 0x45, 0xdf, 0xa3]) {
            return contains(head.prefix(64), "webm") ? .webm : .matroska
        }
        if has("OggS") { return .ogg }
        if has("fLaC") { return .flac }
        if has("ID3") { return .mp3 }
        if head.count > 1, head.first == 0xff {
            // ADTS: layer 0; MPEG audio: layer III.
            let second = head[head.startIndex + 1]
            if second & 0xf6 == 0xf0 { return .aac }
            if second & 0xe6 == 0xe2 { return .mp3 }
        }
        if has("%PDF-") { return .pdf }
        if has([0x50, 0x4b, 3, 4]) || has([0x50, 0x4b, 5, 6]) { return .zip }
        if has([0x1f, 0x8b]) { return .gzip }
        return nil
    }

    /// The kind of an ISO base media file by its major brand.
    private static func brand(_ bytes: ArraySlice<UInt8>) -> FileKind {
        switch String(decoding: bytes, as: UTF8.self) {
        case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis": .heif
        case "qt  ": .quickTime
        case "M4A ", "M4B ", "M4P ": .m4a
        default: .mp4
        }
    }

    private static let markup = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<body", "<style", "<table",
        "<title", "<!--", "<div", "<font", "<img", "<br", "<h1", "<a ", "<p>", "<b>",
    ]

    private static func text(_ head: ArraySlice<UInt8>) -> FileKind {
        var start = head
        if start.starts(with: [0xef, 0xbb, 0xbf]) { start = start.dropFirst(3) }
        start = start.drop { [0x09, 0x0a, 0x0c, 0x0d, 0x20].contains($0) }
        let lower = start.prefix(32).map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        if markup.contains(where: { lower.starts(with: Array($0.utf8)) }) { return .html }
        if lower.starts(with: Array("<?xml".utf8)) || lower.starts(with: Array("<svg".utf8)) {
            return .xml
        }
        let isBinary = head.contains { byte in
            // The binary data bytes of MIME Sniffing §3.
            byte <= 0x08 || byte == 0x0b || (0x0e...0x1a).contains(byte)
                || (0x1c...0x1f).contains(byte)
        }
        return isBinary ? .other : .text
    }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        let text = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: text) }
    }
}
