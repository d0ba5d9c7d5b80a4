import Synchronization
import TestSupport
import Testing

@testable import GeoIndex

/// Expiry, owners and values under random edits, with a clock that the test moves.
struct ExpiryTests {
    static func fresh(_ objects: [String: Placement]) throws -> IndexSnapshot {
        let ids = objects.keys.sorted()
        return try index(of: ids.compactMap { objects[$0] }, ids: ids, aggregatedFields: 2)
    }

    /// What an index holds, entry by entry, in the order of the ids.
    static func rows(_ snapshot: IndexSnapshot) -> [String] {
        var collector = RowCollector()
        snapshot.walk(0...UInt64.max, &collector)
        return collector.rows.map { "\(snapshot.ids.id(of: ObjectKey(bits: $0))) \($1)" }.sorted()
    }

    struct RowCollector: RangeVisitor {
        var rows: [(UInt64, String)] = []
        func enters(_ summary: NodeSummary) -> Bool { true }
        func takes(_ node: TreeNode) -> Bool { false }
        mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
            for index in range {
                rows.append(
                    (
                        page.objects[index],
                        """
                        \(page.lonE7(index)) \(page.latE7[index]) \(page.weights[index]) \
                        \(page.times[index]) \(page.contents[index]) \(page.expiry(index)) \
                        \(page.owner(index)) \(page.value(0, index) ?? -1) \
                        \(page.value(1, index) ?? -1)
                        """
                    ))
            }
        }
    }

    /// What readers and the writer of a run share.
    final class SharedRun: Sendable {
        let clock = Atomic<Int64>(0)
        let isDone = Atomic(false)
        let wrong = Atomic(0)
    }

    @Test("what has expired is gone, all else is what a fresh build has", arguments: 0..<6)
    func expiry(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let shapes: [Shape] = [.city, .antimeridian, .duplicates]
        var world = EditedWorld(shape: shapes[seed % 3], seed: seed, hasExtras: true)
        let layer = LayerIndex(BulkBuilder(aggregatedFields: 2).build())
        var kept: [(snapshot: IndexSnapshot, objects: [String: Placement])] = []
        for step in 0..<120 {
            try layer.apply(world.batch(of: .random(in: 1...300, using: &random), using: &random))
            world.now += Int64.random(in: 0...20, using: &random)
            // A reader that finds the writer at work makes the same for itself.
            let private_ = layer.current.derived(at: world.now)
            let snapshot = layer.current(at: world.now)
            world.forgetExpired()
            #expect(snapshot.count == world.objects.count)
            #expect(snapshot.nextExpiry ?? .max > world.now)
            #expect(layer.current === snapshot)
            #expect(
                private_.sum(over: [0...UInt64.max]) == snapshot.sum(over: [0...UInt64.max]))
            if step % 10 == 0 {
                #expect(snapshot.brokenInvariant() == nil)
                let fresh = try Self.fresh(world.objects)
                #expect(Self.rows(snapshot) == Self.rows(fresh))
                #expect(Self.rows(private_) == Self.rows(fresh))
            }
            if step % 50 == 30 { kept.append((snapshot, world.objects)) }
        }
        for state in kept {
            try expectSameAnswers(
                state.snapshot, Self.fresh(state.objects), probes: world.positions, seed: seed)
        }
        // All that expires goes in the end, and can come back.
        world.now += 1_000
        let last = layer.current(at: world.now)
        world.forgetExpired()
        #expect(last.count == world.objects.count && last.nextExpiry == nil)
        try layer.apply(world.batch(of: 500, using: &random))
        let again = layer.current(at: world.now)
        #expect(Self.rows(again) == Self.rows(try Self.fresh(world.living)))
    }

    @Test("an index of which all expires becomes empty and fills again")
    func allExpires() throws {
        let placements = Shape.city.positions(count: 3_000, seed: 1).map {
            Placement(position: $0, expires: 10)
        }
        let layer = LayerIndex(try index(of: placements))
        layer.prepareForChanges()
        let full = layer.current(at: 9)
        #expect(full.count == 3_000)
        #expect(full.derived(at: 10).count == 0)
        let empty = layer.current(at: 10)
        #expect(empty.count == 0 && empty.generation == full.generation + 1)
        #expect(!empty.isUnchanged(keys: 0...UInt64.max, since: full.generation))
        #expect(layer.current(at: 11) === empty)
        try layer.apply([ObjectEdit(id: "7", placement: placements[7])])
        #expect(layer.current.count == 1)
        #expect(layer.current(at: 10).count == 0)
    }

    @Test("what a sweep has taken out is gone for good, and what has not expired stays")
    func sweeps() throws {
        let placements = Shape.city.positions(count: 5_000, seed: 2).enumerated().map {
            Placement(position: $1, expires: $0 % 3 == 0 ? Int64($0) : nil)
        }
        let layer = LayerIndex(try index(of: placements))
        let before = layer.current
        layer.removeExpired(at: -1)
        #expect(layer.current === before)
        layer.removeExpired(at: 2_400)
        let swept = layer.current
        #expect(swept.count == 5_000 - 801 && swept.nextExpiry == 2_403)
        // Nothing is left for a reader to do.
        #expect(layer.current(at: 2_402) === swept)
        #expect(swept.brokenInvariant() == nil)
        // The writer knows them no more: taking them out again changes nothing.
        try layer.apply((0...800).map { ObjectEdit(id: "\(3 * $0)", placement: nil) })
        #expect(layer.current.count == swept.count)
    }

    @Test("the writer forgets where the expired were, and finds all others")
    func forgets() throws {
        var placements = Shape.city.positions(count: 2_000, seed: 3).enumerated().map {
            Placement(position: $1, expires: $0 % 4 == 0 ? 10 : nil)
        }
        var writer = IndexWriter(try index(of: placements))
        writer.prepare()
        #expect(writer.knownPlaces == 2_000)
        #expect(writer.expire(at: 9).count == 2_000 && writer.knownPlaces == 2_000)
        #expect(writer.expire(at: 10).count == 1_500 && writer.knownPlaces == 1_500)
        // One that expired comes back elsewhere, one that stayed moves.
        placements[4].position = placements[5].position
        placements[4].expires = nil
        placements[7].position = placements[5].position
        let last = try writer.apply(
            [4, 7].map { ObjectEdit(id: "\($0)", placement: placements[$0]) })
        #expect(last.count == 1_501 && writer.knownPlaces == 1_501)
        #expect(last.brokenInvariant() == nil)
    }

    @Test("readers beside a writer never see what has expired", arguments: 0..<2)
    func readersBesideAWriter(seed: Int) async throws {
        var world = EditedWorld(shape: .city, seed: seed, hasExtras: true)
        let layer = LayerIndex(BulkBuilder(aggregatedFields: 2).build())
        let run = SharedRun()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while !run.isDone.load(ordering: .acquiring) {
                        let now = run.clock.load(ordering: .acquiring)
                        let snapshot = layer.current(at: now)
                        let isGone = snapshot.nextExpiry.map { $0 > now } ?? true
                        let sum = snapshot.sum(over: [0...UInt64.max])
                        if !isGone || sum.count != snapshot.count {
                            run.wrong.add(1, ordering: .relaxed)
                        }
                        await Task.yield()
                    }
                }
            }
            var random = SeededRandom(seed: seed)
            for _ in 0..<150 {
                let edits = world.batch(of: .random(in: 1...200, using: &random), using: &random)
                do { try layer.apply(edits) } catch { run.wrong.add(1, ordering: .relaxed) }
                world.now += 3
                run.clock.store(world.now, ordering: .releasing)
                await Task.yield()
            }
            run.isDone.store(true, ordering: .releasing)
        }
        #expect(run.wrong.load(ordering: .relaxed) == 0)
        let last = layer.current(at: world.now)
        #expect(Self.rows(last) == Self.rows(try Self.fresh(world.living)))
        #expect(last.brokenInvariant() == nil)
    }
}
