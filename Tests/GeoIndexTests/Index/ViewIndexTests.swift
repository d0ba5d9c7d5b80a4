import TestSupport
import Testing

@testable import GeoIndex

/// Views under random edits of what everybody sees and of what one viewer sees, against a fresh
/// build of all that the viewer may see.
struct ViewIndexTests {
    /// What one viewer sees beside a world: some objects of his own, some of the world's elsewhere.
    private struct Viewer {
        var world: EditedWorld
        var own: [String: ViewObject] = [:]
        /// The objects of which something was changed since the view was brought up to date.
        var changed: Set<String> = []
        private var secrets = 0

        init(world: EditedWorld) { self.world = world }

        /// Random public edits; what they do to own objects is noted.
        mutating func publicEdits(
            _ size: Int, using random: inout SeededRandom
        ) -> [ObjectEdit] {
            let edits = world.batch(of: size, using: &random)
            for edit in edits where own[edit.id] != nil {
                own[edit.id]?.hidden = edit.placement?.position
                changed.insert(edit.id)
            }
            return edits
        }

        /// Random changes of own objects, and what the layer is told of them in the same commit.
        mutating func ownEdits(
            _ size: Int, in layer: LayerIndex, using random: inout SeededRandom
        ) throws -> [ObjectEdit] {
            var edits: [ObjectEdit] = []
            for _ in 0..<size {
                let known = own.keys.sorted().randomElement(using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    // A private one comes; each fifth has a kind that nobody else has.
                    secrets += 1
                    var placement = try some(using: &random)
                    if secrets % 5 == 0 { placement.kind = "secret\(secrets % 40)" }
                    try set("private\(secrets)", placement, hidden: nil, layer)
                case 2:
                    // The world's one is shown elsewhere to this viewer.
                    guard let id = world.objects.keys.sorted().randomElement(using: &random),
                        var placement = world.objects[id]
                    else { continue }
                    let hidden = placement.position
                    if Bool.random(using: &random) { placement.position = place(using: &random) }
                    placement.content = random.next()
                    try set(id, placement, hidden: hidden, layer)
                    edits.append(ObjectEdit(id: id, placement: world.objects[id]))
                case 3:
                    // One moves or changes.
                    guard let id = known, var object = own[id], object.placement != nil else {
                        continue
                    }
                    object.placement?.position = place(using: &random)
                    object.placement?.weight = .random(in: 0...9, using: &random)
                    own[id] = object
                    changed.insert(id)
                    edits.append(ObjectEdit(id: id, placement: world.objects[id]))
                default:
                    // One is not his own any more: gone, or as everybody sees it.
                    guard let id = known else { continue }
                    own[id] = nil
                    changed.insert(id)
                    edits.append(ObjectEdit(id: id, placement: world.objects[id]))
                }
            }
            return edits
        }

        private mutating func set(
            _ id: String, _ placement: Placement, hidden: RoundedPosition?, _ layer: LayerIndex
        ) throws {
            own[id] = ViewObject(
                key: try layer.current.ids.key(for: id), placement: placement, hidden: hidden)
            changed.insert(id)
        }

        private func some(using random: inout SeededRandom) throws -> Placement {
            var placement = Placement(
                position: place(using: &random),
                kind: "kind\(Int.random(in: 10..<99, using: &random))",
                weight: .random(in: 0...100, using: &random),
                time: .random(in: -5000...5000, using: &random), content: random.next())
            if Int.random(in: 0..<3, using: &random) > 0 {
                placement.expires = world.now + Int64.random(in: -5...300, using: &random)
            }
            placement.owner = UInt64.random(in: 0...3, using: &random)
            placement.values = [Int64.random(in: -9...9, using: &random), nil]
            return placement
        }

        private func place(using random: inout SeededRandom) -> RoundedPosition {
            world.positions.randomElement(using: &random) ?? world.positions[0]
        }

        /// What is to be told of changed objects.
        mutating func takeChanged(_ layer: LayerIndex) throws -> [ViewObject] {
            defer { changed = [] }
            return try changed.sorted().map {
                if let object = own[$0] { return object }
                return ViewObject(key: try layer.current.ids.key(for: $0), placement: nil)
            }
        }

        /// Everything that there is for the viewer now.
        var visible: [String: Placement] {
            var all = world.objects
            for (id, object) in own { all[id] = object.placement }
            return all.filter { $0.value.expires.map { $0 > world.now } ?? true }
        }
    }

    @Test("a view is what a fresh build of all that the viewer may see is", arguments: 0..<6)
    func randomEdits(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let shapes: [Shape] = [.city, .antimeridian, .duplicates, .poles]
        var viewer = Viewer(
            world: EditedWorld(shape: shapes[seed % 4], seed: seed, hasExtras: true))
        let layer = LayerIndex(BulkBuilder(aggregatedFields: 2).build())
        var view = ViewIndex(over: layer, layer.current, own: [])
        var kept: [(snapshot: IndexSnapshot, objects: [String: Placement])] = []
        var (advances, rebuilds, adopted) = (0, 0, 0)
        for step in 0..<90 {
            let size = step % 7 == 0 ? 300 : Int.random(in: 1...12, using: &random)
            var edits = viewer.publicEdits(size, using: &random)
            edits += try viewer.ownEdits(
                Int.random(in: 0...6, using: &random), in: layer, using: &random)
            try layer.apply(edits)
            viewer.world.now += Int64.random(in: 0...10, using: &random)
            // Somebody else may take out what has expired, or not.
            if step % 3 == 0 { _ = layer.current(at: viewer.world.now) }
            // The view falls behind by some commits.
            if Int.random(in: 0..<3, using: &random) == 0 { continue }
            let before = view.snapshot.generation
            if view.advance(to: layer.current, own: try viewer.takeChanged(layer)) {
                advances += 1
            } else {
                rebuilds += 1
                view = ViewIndex(
                    over: layer, layer.current,
                    own: viewer.own.keys.sorted().compactMap { viewer.own[$0] }, replacing: view)
            }
            view.expire(at: viewer.world.now)
            #expect(view.snapshot.generation >= before)
            let snapshot = view.snapshot
            #expect(snapshot.count == viewer.visible.count)
            #expect(snapshot.nextExpiry ?? .max > viewer.world.now)
            // Both remember clusters, so that the view has some to take over.
            let options = try ClusterOptions(zoom: [5, 9, 12][step % 3])
            for state in [layer.current, layer.current, snapshot] {
                _ = state.clusters(in: .world, options: options)
            }
            adopted += snapshot.underlay == nil ? 0 : 1
            if step % 8 == 0 {
                #expect(snapshot.brokenInvariant() == nil)
                let fresh = try ExpiryTests.fresh(viewer.visible)
                #expect(ExpiryTests.rows(snapshot) == ExpiryTests.rows(fresh))
                #expect(
                    snapshot.sum(over: [0...UInt64.max]) == fresh.sum(over: [0...UInt64.max]))
                try expectSameAnswers(
                    snapshot, fresh, probes: viewer.world.positions, seed: seed + step)
                try expectSameDetails(snapshot, fresh, options)
            }
            if step % 30 == 20 { kept.append((snapshot, viewer.visible)) }
        }
        #expect(advances > 5 && rebuilds > 5 && adopted > 5)
        // Whoever holds an older state goes on with it.
        for state in kept {
            let fresh = try ExpiryTests.fresh(state.objects)
            #expect(ExpiryTests.rows(state.snapshot) == ExpiryTests.rows(fresh))
        }
    }

    private func expectSameDetails(
        _ view: IndexSnapshot, _ fresh: IndexSnapshot, _ options: ClusterOptions
    ) throws {
        let texts = [view, fresh].map { snapshot in
            let set = snapshot.clusters(in: .world, options: options)
            return (0..<set.count).map { index in
                let details = snapshot.details(of: index, in: set)
                return "\(details.kinds) \(details.bounds) \(details.content) \(details.aggregates)"
            }
        }
        #expect(texts[0] == texts[1])
    }

    @Test("clusters far from a viewer's own objects are the layer's, others are not")
    func adoption() throws {
        let positions = Shape.city.positions(count: 4_000, seed: 3)
        let layer = LayerIndex(try index(of: positions))
        let options = try ClusterOptions(zoom: 12)
        for _ in 0..<2 { _ = layer.current.clusters(in: .world, options: options) }
        let mine = ViewObject(
            key: try layer.current.ids.key(for: "mine"),
            placement: Placement(position: positions[7], kind: "secret"))
        let view = ViewIndex(over: layer, layer.current, own: [mine])
        let set = view.snapshot.clusters(in: .world, options: options)
        #expect(set.counts.reduce(0, +) == 4_001)
        #expect(view.snapshot.memo.count > 1)
        let kinds = (0..<set.count).map { view.snapshot.details(of: $0, in: set).kinds.count }
        #expect(kinds.reduce(0, +) == 1)
        // The layer knows nothing of it.
        #expect(layer.current.clusters(in: .world, options: options).counts.reduce(0, +) == 4_000)
        #expect(layer.current.kindCounts.isEmpty)
        #expect(
            layer.current.sum(over: [0...UInt64.max], filter: EntryFilter(kinds: ["secret"])).count
                == 0)
    }

    @Test("kinds of the layer never show under the name of a viewer's own")
    func kinds() throws {
        let spot = Shape.city.positions(count: 1, seed: 1)[0]
        let layer = LayerIndex()
        try layer.apply([ObjectEdit(id: "a", placement: Placement(position: spot, kind: "x"))])
        let mine = ViewObject(
            key: try layer.current.ids.key(for: "mine"),
            placement: Placement(position: spot, kind: "secret"))
        var view = ViewIndex(over: layer, layer.current, own: [mine])
        try layer.apply([ObjectEdit(id: "b", placement: Placement(position: spot, kind: "y"))])
        let isDone = view.advance(to: layer.current, own: [])
        #expect(!isDone, "y has the number of secret")
        view = ViewIndex(over: layer, layer.current, own: [mine], replacing: view)
        #expect(view.snapshot.kindCounts.map(\.kind) == ["secret", "x", "y"])
        try layer.apply([ObjectEdit(id: "b", placement: nil)])
        let isDone2 = view.advance(to: layer.current, own: [])
        #expect(isDone2)
        #expect(view.snapshot.kindCounts.map(\.kind) == ["secret", "x"])
    }

    @Test("a log lets go of what is too much, and says so")
    func boundedLog() throws {
        let positions = Shape.city.positions(count: 30_000, seed: 5)
        let layer = LayerIndex()
        let keys = try (0..<13_000).map { try layer.current.ids.key(for: "own\($0)") }
        var view = ViewIndex(
            over: layer, layer.current,
            own: keys.indices.map {
                ViewObject(key: keys[$0], placement: Placement(position: positions[$0]))
            })
        for start in stride(from: 0, to: 12_000, by: 4_000) {
            try layer.apply((start..<(start + 4_000)).map { .put("\($0)", positions[$0]) })
        }
        let isDone3 = view.advance(to: layer.current, own: [])
        #expect(isDone3)
        #expect(view.snapshot.count == 25_000)
        for start in stride(from: 12_000, to: 28_000, by: 4_000) {
            try layer.apply((start..<(start + 4_000)).map { .put("\($0)", positions[$0]) })
        }
        let isDone4 = view.advance(to: layer.current, own: [])
        #expect(!isDone4)
        #expect(view.snapshot.count == 25_000 && view.snapshot.brokenInvariant() == nil)
    }
}
