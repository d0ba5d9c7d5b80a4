import Testing

@testable import GeoService

@Suite("Kinds of files")
struct FileKindTests {
    @Test(
        "are told by the first bytes",
        arguments: [
            ("\u{0}\u{0}\u{0}\u{18}ftypheic", .heif), ("\u{0}\u{0}\u{0}\u{18}ftypavif", .heif),
            ("\u{0}\u{0}\u{0}\u{18}ftypqt  ", .quickTime), ("\u{0}\u{0}\u{0}\u{18}ftypisom", .mp4),
            ("\u{0}\u{0}\u{0}\u{18}ftypM4A ", .m4a), ("\u{0}\u{0}\u{0}\u{8}wide", .quickTime),
            ("GIF89a", .gif), ("GIF88a", .text), ("RIFF1234WEBP", .webp), ("RIFF1234WAVE", .wav),
            ("RIFF1234AVI ", .other), ("II*\u{0}", .tiff), ("MM\u{0}*", .tiff), ("OggS", .ogg),
            ("fLaC", .flac), ("ID3", .mp3), ("%PDF-1.7", .pdf), ("PK\u{3}\u{4}", .zip),
            ("\u{1f}x", .other), ("", .text), ("hello", .text), ("a\tb\r\nc", .text),
            ("a\u{0}", .other),
            ("  \n<!DocType HTML>", .html), ("<HTML>", .html), ("<script>", .html), ("<!--", .html),
            ("\u{feff}<html>", .html), ("<?xml version", .xml), ("<SVG ", .xml), ("< html", .text),
        ] as [(String, FileKind)])
    func texts(head: String, expected: FileKind) {
        #expect(FileKind(head: Array(head.utf8)[...]) == expected)
    }

    @Test(
        "are told by bytes that are no text",
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe0], .jpeg),
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .png),
            ([0x89, 0x50, 0x4e, 0x47], .text), ([0xff, 0xf1], .aac), ([0xff, 0xfb, 0x90], .mp3),
            ([0x1f, 0x8b, 8], .gzip), ([0x1a, 0x45, 0xdf, 0xa3], .matroska), ([0xff], .text),
            ([0x1a, 0x45, 0xdf, 0xa3, 0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6d], .webm),
        ] as [([UInt8], FileKind)])
    func bytes(head: [UInt8], expected: FileKind) {
        #expect(FileKind(head: head[...]) == expected)
        // A slice that does not begin at 0 is read as well.
        #expect(FileKind(head: ([1, 2, 3] + head)[3...]) == expected)
    }

    @Test("that a browser would run are never shown in place")
    func inline() {
        for ending in ["html", "svg", "xml", "js", "css", "json", "md", nil] {
            for kind in FileKind.allCases where [.html, .xml, .pdf, .zip, .other].contains(kind) {
                #expect(!FileType(kind, extension: ending).isInline, "\(kind) \(ending ?? "")")
            }
        }
        #expect(!FileType(.text, extension: "js").isInline)
        #expect(!FileType(.text, extension: "svg").mediaType.contains("svg"))
        #expect(!FileType(.text, extension: "html").mediaType.contains("html"))
    }
}
