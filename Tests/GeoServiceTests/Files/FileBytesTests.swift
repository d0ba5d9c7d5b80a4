import Foundation
import TestSupport
import Testing

@testable import GeoService

@Suite("Bytes of files")
struct FileBytesTests {
    @Test("in base64 are read as Foundation writes them", arguments: 0..<40)
    func base64(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let text = Data(bytes).base64EncodedString()
        #expect(FileForm.decoded(text) == bytes)
        if !text.isEmpty { #expect(FileForm.decoded(String(text.dropLast())) == nil) }
    }

    @Test(
        "in no base64 are none",
        arguments: ["a", "a===", "====", "ab=c", "abc\n", "YWJ_", "YR==", "YWK=", " YWJj", "äb=="])
    func broken(text: String) { #expect(FileForm.decoded(text) == nil) }

    @Test("that hold another file are found")
    func polyglots() {
        #expect(PolyglotCheck.hasWord(Array("GIF89a…<ScRiPt".utf8)))
        #expect(PolyglotCheck.hasWord(Array("x%PDF-1".utf8)))
        #expect(!PolyglotCheck.hasWord(Array("a scripted <scrip".utf8)))
        let end: [UInt8] = [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 16) + [3, 0]
        #expect(PolyglotCheck.isArchive([9, 9] + end + [1, 2, 3]))
        #expect(!PolyglotCheck.isArchive([9, 9] + end + [1, 2]), "the remark is cut off")
        #expect(!PolyglotCheck.isArchive(end.dropLast()))
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32($0))) }
            + Array(type.utf8) + content
    }

    private func cleaned(_ bytes: [UInt8]) throws -> [UInt8] {
        let scratch = try ScratchDirectory()
        let file = try IncomingFile(path: "\(scratch.path)/film")
        try file.append(bytes)
        try MediaLocation.remove(from: file, .mp4)
        return try file.read(at: 0, count: bytes.count + 10)
    }

    @Test("of a film lose its remarks and nothing else")
    func remarks() throws {
        let before = box("ftyp", [1]) + box("mdat", Array("udta".utf8))
        let kept = box("mvhd", [7, 7])
        let film = before + box("moov", kept + box("udta", [5, 6]) + box("trak", box("meta", [8])))
        let expected =
            before + box("moov", kept + box("free", [0, 0]) + box("trak", box("free", [0])))
        #expect(try cleaned(film) == expected)
        // A box of 64-bit length, and one that goes on to the end.
        let long: [UInt8] = [0, 0, 0, 1] + Array("udta".utf8) + [0, 0, 0, 0, 0, 0, 0, 17, 9]
        let open: [UInt8] = [0, 0, 0, 0] + Array("meta".utf8) + [1, 2, 3]
        let result = try cleaned(long + open)
        #expect(result[4..<8].elementsEqual("free".utf8) && result[16] == 0)
        #expect(result[21..<25].elementsEqual("free".utf8) && result[25...].allSatisfy { $0 == 0 })
    }

    @Test("of a broken film keep their number", arguments: 0..<24 as Range<UInt64>)
    func brokenFilms(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var film =
            box("moov", box("trak", box("udta", [1, 2, 3])) + box("meta", [4])) + box("uuid", [])
        for _ in 0..<4 {
            film[Int.random(in: 0..<film.count, using: &random)] = .random(
                in: 0...255, using: &random)
        }
        film.removeLast(Int.random(in: 0..<8, using: &random))
        #expect(try cleaned(film).count == film.count)
    }
}
