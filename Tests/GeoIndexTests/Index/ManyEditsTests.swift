import Glibc
import Synchronization
import TestSupport
import Testing

@testable import GeoIndex

/// One writer and five readers: what Thread Sanitizer is run on (`scripts/tsan`).
struct ManyEditsTests {
    /// Edits of the run: few in the normal tests, `GEOINDEX_EDITS` says how many else.
    static var edits: Int {
        guard let text = unsafe getenv("GEOINDEX_EDITS") else { return 20_000 }
        return unsafe Int(String(cString: text)) ?? 20_000
    }

    /// What the threads of a run share.
    final class SharedRun: Sendable {
        let layer = LayerIndex(BulkBuilder(aggregatedFields: 2).build())
        let clock = Atomic<Int64>(0)
        let isDone = Atomic(false)
        let answers = Atomic(0)
        let wrong = Atomic(0)

        /// Asks until the writer is done; each answer is checked against another of its snapshot.
        func read(_ positions: [RoundedPosition], seed: Int) {
            var random = SeededRandom(seed: seed)
            repeat {
                let now = clock.load(ordering: .acquiring)
                let snapshot = layer.current(at: now)
                let centre = positions.randomElement(using: &random) ?? positions[0]
                let near = snapshot.nearest(to: centre, limit: 10)
                let sum = snapshot.sum(over: [0...UInt64.max])
                // Reads the cells that nodes keep, which the first reader after a change makes.
                var cells = CellRuns()
                snapshot.appendCells(level: 5, from: 0, through: 1023, filter: nil, to: &cells)
                let inCells = cells.runs.reduce(0) { $0 + Int($1.count) }
                let isRight =
                    near.count == min(10, snapshot.count) && sum.count == snapshot.count
                    && inCells == snapshot.count
                    && snapshot.nextExpiry ?? .max > now
                if !isRight { wrong.add(1, ordering: .relaxed) }
                answers.add(1, ordering: .relaxed)
            } while !isDone.load(ordering: .acquiring)
        }
    }

    @Test("random edits beside five readers", arguments: [1])
    func besideReaders(seed: Int) async throws {
        var random = SeededRandom(seed: seed)
        var world = EditedWorld(shape: .city, seed: seed, hasExtras: true)
        let run = SharedRun()
        let positions = world.positions
        let threads = try (0..<5).map { number in
            try #require(TestThread { run.read(positions, seed: number) })
        }
        var done = 0
        while done < Self.edits {
            let edits = world.batch(of: .random(in: 1...500, using: &random), using: &random)
            try run.layer.apply(edits)
            done += edits.count
            world.now += Int64.random(in: 0...9, using: &random)
            run.clock.store(world.now, ordering: .releasing)
        }
        run.isDone.store(true, ordering: .releasing)
        for thread in threads { thread.join() }
        #expect(run.wrong.load(ordering: .relaxed) == 0)
        #expect(run.answers.load(ordering: .relaxed) >= 5)
        let last = run.layer.current(at: world.now)
        #expect(ExpiryTests.rows(last) == ExpiryTests.rows(try ExpiryTests.fresh(world.living)))
        #expect(last.brokenInvariant() == nil)
    }
}

/// A thread of its own, to be waited for.
@safe private final class TestThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private var thread = pthread_t()

    /// Starts a thread; nil when the system has none to give.
    init?(_ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            return nil
        }
    }

    /// Waits for its end.
    func join() { _ = pthread_join(thread, nil) }
}
