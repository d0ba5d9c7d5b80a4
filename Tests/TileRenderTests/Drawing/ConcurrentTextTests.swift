import Foundation
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

    private static let threadCount = 8

    /// What words measure at random sizes: for a new size the font is opened again, and Cairo, which
    /// keeps ten open, closes one for each that it opens.
    private static func measures(seed: Int) throws -> [TextLine.Box] {
        var random = SeededGenerator(seed: seed)
        return try (0..<70).map { _ in
            let word = words[Int.random(in: words.indices, using: &random)]
            let size = Double.random(in: 8..<40, using: &random)
            let text = try TextLine(word, font: FontStyle(sizePixels: size))
            let canvas = try Canvas(widthPixels: 64, heightPixels: 32, format: .coverage)
            canvas.draw(text, x: 2, y: 24, color: .black)
            #expect(try canvas.coverage().contains { $0 > 0 }, "\(word) left no ink")
            return text.ink
        }
    }

    @Test("threads that open fonts at the same moment measure what one alone does")
    func threadsAgree() async throws {
        // Threads of their own, since each has a map of fonts and opens all of them anew. They stay:
        // a thread's end closes its fonts, which those of the service never do.
        let answers = AsyncStream<(Int, Result<[TextLine.Box], any Error>)> { stream in
            for seed in 0..<Self.threadCount {
                Thread.detachNewThread {
                    stream.yield((seed, Result { try Self.measures(seed: seed) }))
                    while true { sleep(3_600) }
                }
            }
        }
        var count = 0
        for await (seed, answer) in answers {
            #expect(try answer.get() == Self.measures(seed: seed))
            count += 1
            if count == Self.threadCount { break }
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
