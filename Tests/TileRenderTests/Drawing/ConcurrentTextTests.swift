import TestSupport
import Testing

@testable import TileRender

/// FreeType's library is shared by all threads: what they open at the same moment must not spoil
/// one another.
struct ConcurrentTextTests {
    /// Words that need many fonts, more than Cairo keeps open.
    private static let words = [
        "Genève", "Αθήνα", "Москва", "ירושלים", "القاهرة", "दिल्ली", "ঢাকা", "தமிழ்", "తెలుగు", "ಕನ್ನಡ",
        "മലയാളം", "ไทย", "ລາວ", "မြန်မာ", "ភ្នំពេញ", "东京", "서울", "አዲስ", "თბილისი", "Երևան",
    ]

    private static func measures() throws -> [TextLine.Box] {
        try words.flatMap { word in
            try [9.0, 14, 31].flatMap { size in
                try [false, true].map { isBold in
                    let font = FontStyle(sizePixels: size, isBold: isBold)
                    let text = try TextLine(word, font: font)
                    let canvas = try Canvas(widthPixels: 64, heightPixels: 32, format: .coverage)
                    canvas.draw(text, x: 2, y: 24, color: .black)
                    #expect(try canvas.coverage().contains { $0 > 0 }, "\(word) left no ink")
                    return text.ink
                }
            }
        }
    }

    @Test("threads that open fonts at the same moment measure what one alone does")
    func threadsAgree() async throws {
        let expected = try Self.measures()
        try await withThrowingTaskGroup(of: [TextLine.Box].self) { group in
            for _ in 0..<8 { group.addTask { try Self.measures() } }
            for try await found in group { #expect(found == expected) }
        }
    }

    @Test("a pool's compressors give the same bytes on all threads")
    func poolAgrees() async throws {
        let pool = DeflaterPool(level: 6)
        var random = SeededGenerator(seed: 7)
        let bytes = (0..<50_000).map { _ in UInt8.random(in: 0..<9, using: &random) }
        let expected = try Deflater(level: 6).zlib(bytes)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try pool.withDeflater { $0.zlib(bytes) } } }
            for try await found in group { #expect(found == expected) }
        }
    }
}
