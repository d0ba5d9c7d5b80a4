import TestSupport
import Testing
import TileRender

struct DeflaterTests {
    static let inputs: [[UInt8]] = [
        [], [0], Array("hello, hello, hello".utf8), [UInt8](repeating: 7, count: 100_000),
        (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) },
    ]

    @Test("a zlib stream unpacks to what was packed", arguments: inputs, [0, 1, 6, 12])
    func zlib(bytes: [UInt8], level: Int) throws {
        let packed = try Deflater(level: level).zlib(bytes)
        #expect(try DecodedPNG.inflated(packed, count: bytes.count) == bytes)
    }

    @Test("a gzip stream unpacks to what was packed", arguments: inputs)
    func gzip(bytes: [UInt8]) throws {
        let packed = try Deflater(level: 6).gzip(bytes)
        #expect(packed.starts(with: [0x1f, 0x8b]))
        #expect(try DecodedPNG.gunzipped(packed, count: bytes.count) == bytes)
    }

    @Test("the same bytes pack alike, whatever was packed before")
    func isPure() throws {
        let deflater = try Deflater(level: 1)
        let first = deflater.zlib(DeflaterTests.inputs[4])
        _ = deflater.gzip(DeflaterTests.inputs[3])
        #expect(deflater.zlib(DeflaterTests.inputs[4]) == first)
    }

    @Test("the check sum is the standard's, and continues")
    func crc() {
        let digits = Array("123456789".utf8)
        #expect(Deflater.crc32(digits.span) == 0xcbf4_3926)
        let head = Deflater.crc32(Array(digits[..<4]).span)
        #expect(Deflater.crc32(Array(digits[4...]).span, continuing: head) == 0xcbf4_3926)
    }
}
