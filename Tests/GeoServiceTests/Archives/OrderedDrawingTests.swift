import GeoIndex
import Synchronization
import Testing
import TileRender

@testable import GeoService

struct OrderedDrawingTests {
    private struct Failure: Error {}

    @Test(
        "tiles come in order, whatever their number and that of the threads",
        arguments: [
            (0, 2), (1, 2), (31, 1), (32, 3), (33, 3), (2_000, 4),
        ])
    func order(count: Int, threads: Int) throws {
        let numbers = (0..<UInt64(count)).map { $0 * 3 }
        var taken: [UInt64] = []
        var lengths: [Int] = []
        try OrderedDrawing.run(numbers[...], threads: threads) {
            { tile in tile.x % 2 == 0 ? nil : [UInt8](repeating: 1, count: Int(tile.y % 64) + 1) }
        } take: { drawn in
            taken += drawn.map(\.number)
            lengths += drawn.compactMap { $0.bytes?.count }
        }
        #expect(taken == numbers)
        #expect(count < 2_000 || lengths.count > 500)
    }

    @Test("what drawing throws ends it, and comes at its place")
    func drawingFails() throws {
        let numbers = Array(0..<UInt64(1_000))
        var taken = 0
        #expect(throws: Failure.self) {
            try OrderedDrawing.run(numbers[...], threads: 2) {
                { tile in
                    if tile.hilbertNumber == 500 { throw Failure() }
                    return nil
                }
            } take: {
                taken += $0.count
            }
        }
        #expect(taken == 480)
    }

    @Test("what taking throws ends the drawing")
    func takingFails() throws {
        let drawn = Mutex(0)
        let numbers = Array(0..<UInt64(100_000))
        #expect(throws: Failure.self) {
            try OrderedDrawing.run(numbers[...], threads: 2) {
                { _ in
                    drawn.withLock { $0 += 1 }
                    return nil
                }
            } take: { _ in
                throw Failure()
            }
        }
        // No more than what may lie ready for two threads, and what they have in hand.
        #expect(drawn.withLock { $0 } <= 32 * (2 * 8 + 2))
    }

    @Test("a thread that cannot begin says so")
    func nothingToDrawWith() throws {
        #expect(throws: Failure.self) {
            try OrderedDrawing.run([1, 2, 3], threads: 1, by: { throw Failure() }) { _ in }
        }
    }
}
