import TestSupport
import Testing

@testable import GeoIndex

/// What is remembered is what would be resolved anew, whatever was written in between.
struct ClusterMemoTests {
    static let shapes: [Shape] = [.city, .streetGrid, .gradient, .antimeridian, .poles, .world]

    @Test(
        "after every batch of edits remembered clusters are those of a fresh index",
        arguments: shapes, [ClusterMemo.defaultBytes, 100_000])
    func liveness(shape: Shape, bytes: Int) throws {
        let layer = LayerIndex(clusterMemoBytes: bytes)
        var world = EditedWorld(shape: shape, seed: bytes & 7)
        var random = SeededRandom(seed: bytes & 15)
        var older: [IndexSnapshot] = []
        let questions = try Self.questions()
        for step in 0..<24 {
            // Single moves, mostly: they leave most units as they are.
            let size = step < 4 ? 400 : step % 4 == 0 ? 60 : 1
            try layer.apply(world.batch(of: size, using: &random))
            let snapshot = layer.current
            let fresh = try Self.fresh(world)
            // Some questions over and over, some now and then: units of all three sorts (kept,
            // marked, never seen) come together in one view.
            let some = questions.shuffled(using: &random).prefix(4) + questions[20...21]
            for question in some {
                let window = Self.window(world, question, using: &random)
                for look in 1...3 {
                    Self.expectSame(
                        snapshot, fresh, question, window, "step \(step), look \(look)")
                }
                let wider = window.expanded(by: window.width / 3)
                Self.expectSame(snapshot, fresh, question, wider, "step \(step), wider")
            }
            // Readers that are still at an older state neither see the new one nor spoil it.
            if let old = older.randomElement(using: &random) {
                for question in questions.shuffled(using: &random).prefix(3) {
                    let window = Self.window(world, question, using: &random)
                    Self.expectSameAsResolved(old, question, window, "an older reader")
                    Self.expectSameAsResolved(snapshot, question, window, "and a newer one")
                }
            }
            older.append(snapshot)
            #expect(snapshot.memo.bytes <= bytes)
        }
        #expect(layer.current.memo.count > 0, "something is remembered")
    }

    @Test(
        "readers beside a writer see their own state",
        arguments: [ClusterMemo.defaultBytes, 50_000])
    func concurrency(bytes: Int) async throws {
        let layer = LayerIndex(clusterMemoBytes: bytes)
        var world = EditedWorld(shape: .city, seed: 3)
        var random = SeededRandom(seed: 3)
        try layer.apply(world.batch(of: 1500, using: &random))
        let batches = (0..<60).map { _ in world.batch(of: 3, using: &random) }
        let questions = try Self.questions()
        let positions = world.positions
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for batch in batches {
                    #expect(throws: Never.self) { try layer.apply(batch) }
                    await Task.yield()
                }
            }
            for reader in 0..<4 {
                group.addTask {
                    var random = SeededRandom(seed: reader)
                    for _ in 0..<60 {
                        let question = questions.randomElement(using: &random) ?? questions[0]
                        let place = positions.randomElement(using: &random) ?? positions[0]
                        let window = WorldWindow.random(
                            around: WorldPoint(place), zoom: Int(question.options.zoom),
                            using: &random)
                        Self.expectSameAsResolved(
                            layer.current, question, window, "reader \(reader)")
                        await Task.yield()
                    }
                }
            }
        }
        #expect(layer.current.memo.bytes <= bytes)
    }

    @Test("two layers that start from one snapshot remember nothing of one another")
    func lineages() throws {
        let spot = RoundedPosition(lonE7: 130_000_000, latE7: 520_000_000)
        let snapshot = try index(of: [spot])
        let options = try ClusterOptions(zoom: 10)
        let (first, second) = (LayerIndex(snapshot), LayerIndex(snapshot))
        try first.apply([.put("a", spot)])
        try second.apply([ObjectEdit(id: "0", placement: nil)])
        for _ in 0..<2 {
            #expect(first.current.clusters(in: .world, options: options).counts == [2])
            #expect(second.current.clusters(in: .world, options: options).count == 0)
            #expect(snapshot.clusters(in: .world, options: options).counts == [1])
        }
        let set = first.current.clusters(in: .world, options: options)
        #expect(first.current.details(of: 0, in: set).sample.id == "0")
    }

    @Test("a filter with a test is asked anew each time")
    func tests() throws {
        let snapshot = try index(of: Shape.city.positions(count: 50, seed: 1))
        let options = try ClusterOptions(zoom: 3)
        let even = EntryFilter(test: ObjectTest(name: "t") { $0.bits >> 62 == 0 })
        let none = EntryFilter(test: ObjectTest(name: "t") { _ in false })
        #expect(snapshot.clusters(in: .world, options: options, filter: even).count == 1)
        #expect(snapshot.clusters(in: .world, options: options, filter: none).count == 0)
        #expect(snapshot.memo.count == 0)
    }

    @Test("preparing leaves nothing to resolve, can be stopped and keeps to its bound")
    func preparation() throws {
        let positions = Shape.city.positions(count: 3000, seed: 5)
        let snapshot = try index(of: positions)
        let whole = try snapshot.prepareClusters(radiusPixels: 20, zooms: 0...16)
        #expect(whole.isWhole)
        var clusters = 0
        for zoom in 0...16 {
            let options = try ClusterOptions(zoom: zoom, radiusPixels: 20)
            let question = ClusterQuestion(options, .all)
            var reader = UnitReader(snapshot, question)
            let keys = UnitWindow.keys(of: .world, question, in: snapshot)
            clusters += reader.units(keys[...]).reduce(0) { $0 + $1.seeds.count }
            if keys.count > 64 { #expect(reader.resolved == 0, "zoom \(zoom)") }
            expectEqual(
                snapshot.clusters(in: .world, options: options),
                ClusterTwin.clusters(
                    of: positions.map { WorldPoint($0) }, zoom: zoom, radius: 20), "zoom \(zoom)")
        }
        #expect(clusters == whole.clusters)

        let other = LayerIndex(snapshot, clusterMemoBytes: 300_000).current
        #expect(try !other.prepareClusters(radiusPixels: 20, zooms: 0...18).isWhole)
        #expect(other.memo.bytes <= 300_000 && other.memo.count > 0)
        var rounds = 0
        let stopped = try LayerIndex(snapshot).current.prepareClusters(zooms: 0...22) {
            rounds += 1
            return rounds < 3
        }
        #expect(!stopped.isWhole && stopped.units > 0)
        #expect(throws: ClusterOptionsError.radius(pixels: 5)) {
            try snapshot.prepareClusters(radiusPixels: 5, zooms: 0...3)
        }
    }
}

extension ClusterMemoTests {
    /// All sorts of zooms and radii, with and without filters.
    static func questions() throws -> [ClusterQuestion] {
        let filters = [
            EntryFilter.all, EntryFilter(kinds: ["kind20", "kind84"]), EntryFilter(since: 0),
        ]
        return try [0, 2, 4, 6, 8, 10, 11, 12, 13, 14, 16, 19, 22].flatMap { zoom in
            try [16, 40, 100].filter { zoom <= ClusterTwin.highestZoom(radius: $0) }.flatMap {
                let options = try ClusterOptions(zoom: zoom, radiusPixels: $0)
                return filters.map { ClusterQuestion(options, $0) }
            }
        }
    }

    static func window(
        _ world: EditedWorld, _ question: ClusterQuestion, using random: inout SeededRandom
    ) -> WorldWindow {
        let zoom = Int(question.options.zoom)
        if zoom <= 4 && Bool.random(using: &random) { return .world }
        let place = world.positions.randomElement(using: &random) ?? world.positions[0]
        return .random(around: WorldPoint(place), zoom: zoom, using: &random)
    }

    static func fresh(_ world: EditedWorld) throws -> IndexSnapshot {
        var builder = BulkBuilder(expected: world.objects.count)
        for (id, placement) in world.objects { try builder.add(id: id, placement) }
        return builder.build()
    }

    /// Clusters, their members and details are those of a snapshot that remembers nothing.
    static func expectSame(
        _ snapshot: IndexSnapshot, _ fresh: IndexSnapshot, _ question: ClusterQuestion,
        _ window: WorldWindow, _ comment: String
    ) {
        let (options, filter) = (question.options, question.filter)
        let found = snapshot.clusters(in: window, options: options, filter: filter)
        let expected = fresh.resolveClusters(in: window, options: options, filter: filter)
        let name = "\(comment), zoom \(options.zoom), radius \(options.radiusPixels), \(window)"
        #expect(found.ids == expected.ids, "\(name)")
        #expect(found.points == expected.points && found.counts == expected.counts, "\(name)")
        guard found.ids == expected.ids else { return }
        for index in stride(from: 0, to: found.count, by: max(1, found.count / 5)) {
            #expect(found.cells(of: index) == expected.cells(of: index), "\(name)")
            let details = snapshot.details(of: index, in: found, filter: filter)
            let others = fresh.details(of: index, in: expected, filter: filter)
            #expect(details.content == others.content, "\(name)")
            #expect(details.bounds == others.bounds, "\(name)")
            #expect(
                details.kinds.map { "\($0.kind) \($0.count)" }
                    == others.kinds.map { "\($0.kind) \($0.count)" }, "\(name)")
        }
    }

    /// The same of one snapshot, with what it remembers and without.
    static func expectSameAsResolved(
        _ snapshot: IndexSnapshot, _ question: ClusterQuestion, _ window: WorldWindow,
        _ comment: String
    ) {
        expectSame(snapshot, snapshot, question, window, comment)
    }
}
