import GeoIndex
import Glibc
import Synchronization
import TileRender

/// Draws tiles on several threads of low priority, and gives them in order.
final class OrderedDrawing: Sendable {
    /// Draws one tile; nil when there is nothing on it.
    typealias Draw = (TileID) throws -> [UInt8]?
    /// A tile by its number, and its bytes.
    typealias Drawn = (number: UInt64, bytes: [UInt8]?)

    private struct State {
        var nextToDraw = 0
        var drawn: [Int: Result<[Drawn], any Error>] = [:]
        var isStopped = false
    }

    /// Tiles that a thread draws in one go.
    private static let chunkTiles = 32
    /// Chunks that are drawn before they are asked for, for each thread: what bounds the memory.
    private static let chunksAhead = 8
    /// How much the threads leave others the processor, in steps of `nice`.
    private static let niceness: Int32 = 10

    private let numbers: ArraySlice<UInt64>
    private let makeDraw: @Sendable () throws -> Draw
    private let state = Mutex(State())
    private let room = Semaphore()
    private let ready = Semaphore()

    private var chunks: Int {
        (numbers.count + OrderedDrawing.chunkTiles - 1) / OrderedDrawing.chunkTiles
    }

    private init(_ numbers: ArraySlice<UInt64>, _ makeDraw: @escaping @Sendable () throws -> Draw) {
        self.numbers = numbers
        self.makeDraw = makeDraw
    }

    /// Draws tiles.
    ///
    /// - Parameters:
    ///   - numbers: Which, by ``GeoIndex/TileID/hilbertNumber``.
    ///   - threads: How many at once.
    ///   - makeDraw: Makes what draws, once for each thread.
    ///   - take: Takes the tiles, some at a time, in the order of the numbers.
    /// - Throws: What drawing or taking throws; then no more is drawn.
    static func run(
        _ numbers: ArraySlice<UInt64>, threads: Int,
        by makeDraw: @escaping @Sendable () throws -> Draw, take: ([Drawn]) throws -> Void
    ) throws {
        let drawing = OrderedDrawing(numbers, makeDraw)
        let threads = max(1, min(threads, drawing.chunks))
        for _ in 0..<threads * chunksAhead { drawing.room.signal() }
        var started = 0
        for _ in 0..<threads where SystemThread.start({ drawing.work() }) { started += 1 }
        guard started > 0 else { throw ArchiveError.noThread }
        defer { drawing.stop(threads: started) }
        for chunk in 0..<drawing.chunks {
            try take(try drawing.result(of: chunk).get())
            drawing.room.signal()
        }
    }

    private func result(of chunk: Int) -> Result<[Drawn], any Error> {
        while true {
            if let drawn = state.withLock({ $0.drawn.removeValue(forKey: chunk) }) { return drawn }
            ready.wait()
        }
    }

    private func stop(threads: Int) {
        state.withLock { $0.isStopped = true }
        for _ in 0..<threads { room.signal() }
    }

    private func work() {
        // On Linux the call is about the calling thread alone.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, OrderedDrawing.niceness)
        var draw: Result<Draw, any Error>?
        while true {
            room.wait()
            let chunk = state.withLock { state -> Int? in
                guard !state.isStopped, state.nextToDraw < chunks else { return nil }
                defer { state.nextToDraw += 1 }
                return state.nextToDraw
            }
            guard let chunk else { return }
            let made = draw ?? Result { try makeDraw() }
            draw = made
            let drawn = Result { try self.draw(chunk, with: made.get()) }
            state.withLock { $0.drawn[chunk] = drawn }
            ready.signal()
        }
    }

    private func draw(_ chunk: Int, with draw: Draw) throws -> [Drawn] {
        let first = numbers.startIndex + chunk * OrderedDrawing.chunkTiles
        return try numbers[first..<min(first + OrderedDrawing.chunkTiles, numbers.endIndex)].map {
            guard let tile = TileID(hilbertNumber: $0) else { return ($0, nil) }
            return ($0, try draw(tile))
        }
    }
}
