import TestSupport
import Testing

@testable import GeoService

@Suite("Ranges of bytes")
struct ByteRangeTests {
    @Test(
        "are read as RFC 9110 §14 says",
        arguments: [
            (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<10)),
            ("BYTES=2-4", .part(2..<5)), ("bytes=9-99", .part(9..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-10", .part(0..<10)), ("bytes=-11", .part(0..<10)),
            ("bytes= 1 - 2", .part(1..<3)),
            ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole),
            ("bytes=0-1,3-4", .whole), ("bytes", .whole), ("=1-2", .whole), ("bytes=--1", .whole),
            ("bytes=0x1-2", .whole), ("bytes=+1-2", .whole), ("items=0-1", .whole),
            ("bytes=0-18446744073709551616", .part(0..<10)),
            ("bytes=18446744073709551615-18446744073709551615", .unsatisfiable),
        ] as [(String?, ByteRange)])
    func fields(field: String?, expected: ByteRange) {
        #expect(ByteRange(field, of: 10) == expected)
    }

    @Test("of nothing are none") func empty() {
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", of: 0) == .unsatisfiable)
        #expect(ByteRange(nil, of: 0) == .whole)
    }

    @Test("lie within the body, whatever is asked", arguments: 0..<32 as Range<UInt64>)
    func bounded(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let letters = Array("bytes=-0123456789, ")
        for _ in 0..<50 {
            let text =
                "bytes=" + String((0..<8).map { _ in letters.randomElement(using: &random) ?? "-" })
            let count = UInt64.random(in: 0...200, using: &random)
            if case .part(let range) = ByteRange(text, of: count) {
                #expect(!range.isEmpty && range.upperBound <= count, "\(text) of \(count)")
            }
        }
    }
}
