import TestSupport
import Testing

@testable import GeoIndex

/// What several viewers and everybody are answered from two memos, one above the other, is what a
/// fresh build of all that each of them sees gives.
struct ViewMemoTests {
    /// A viewer's own objects beside the world's.
    private struct Viewer {
        let name: String
        var view: ViewIndex
        var own: [String: ViewObject] = [:]
        /// What was changed since the view was brought up to date.
        var changed: Set<String> = []

        /// The world's object was changed.
        mutating func follow(_ edit: ObjectEdit) {
            guard own[edit.id] != nil else { return }
            own[edit.id]?.hidden = edit.placement?.position
            changed.insert(edit.id)
        }

        /// A random change of what the viewer alone sees.
        ///
        /// - Returns: What the layer is told of it.
        mutating func change(
            _ step: Int, _ world: EditedWorld, in layer: LayerIndex,
            using random: inout SeededRandom
        ) throws -> [ObjectEdit] {
            let spot = world.positions.randomElement(using: &random) ?? world.positions[0]
            let known = own.keys.sorted().randomElement(using: &random)
            var id = "\(name)-\(step)"
            var placement = Placement(
                position: spot, kind: "kind\(Int.random(in: 10..<99, using: &random))",
                time: .random(in: -5000...5000, using: &random), content: random.next())
            var hidden: RoundedPosition?
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                // A private one; some are where another viewer has one too.
                break
            case 2:
                // One of the world is elsewhere for this viewer.
                guard let other = world.objects.keys.sorted().randomElement(using: &random),
                    let shown = world.objects[other]
                else { return [] }
                id = other
                hidden = shown.position
                if Bool.random(using: &random) { placement.position = shown.position }
            default:
                // One moves, or is the viewer's own no more.
                guard let known, let object = own[known] else { return [] }
                id = known
                hidden = object.hidden
                if Bool.random(using: &random) {
                    own[id] = nil
                    changed.insert(id)
                    return [ObjectEdit(id: id, placement: world.objects[id])]
                }
            }
            own[id] = ViewObject(
                key: try layer.current.ids.key(for: id), placement: placement, hidden: hidden)
            changed.insert(id)
            return [ObjectEdit(id: id, placement: world.objects[id])]
        }

        mutating func catchUp(with layer: LayerIndex) throws {
            let objects = try changed.sorted().map {
                if let object = own[$0] { return object }
                return ViewObject(key: try layer.current.ids.key(for: $0), placement: nil)
            }
            changed = []
            if view.advance(to: layer.current, own: objects) { return }
            view = ViewIndex(
                over: layer, layer.current, own: own.keys.sorted().compactMap { own[$0] },
                replacing: view)
        }

        func fresh(_ world: EditedWorld) throws -> IndexSnapshot {
            var all = world.objects
            for (id, object) in own { all[id] = object.placement }
            var builder = BulkBuilder(expected: all.count)
            for (id, placement) in all { try builder.add(id: id, placement) }
            return builder.build()
        }
    }

    @Test("viewers and everybody see their own map, whoever asks first", arguments: 0..<6)
    func interleaved(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let shape = ClusterMemoTests.shapes[seed]
        var world = EditedWorld(shape: shape, seed: seed)
        let layer = LayerIndex(
            clusterMemoBytes: seed % 3 == 2 ? 200_000 : ClusterMemo.defaultBytes)
        var viewers = ["ann", "ben", "eve"].map { name in
            Viewer(
                name: name,
                view: ViewIndex(
                    over: layer, layer.current, own: [],
                    memoBytes: name == "eve" ? 60_000 : ViewIndex.defaultMemoBytes))
        }
        let questions = try ClusterMemoTests.questions()
        var older: [(state: IndexSnapshot, fresh: IndexSnapshot)] = []
        var (shared, own) = (0, 0)
        for step in 0..<20 {
            // Single edits, mostly: they leave most units as they are.
            var edits = world.batch(of: step < 3 ? 400 : step % 5 == 0 ? 40 : 1, using: &random)
            for edit in edits {
                for place in viewers.indices { viewers[place].follow(edit) }
            }
            for place in viewers.indices where step % 3 == place || step == 2 {
                for round in 0..<(step == 2 ? 9 : 1) {
                    edits += try viewers[place].change(
                        step * 10 + round, world, in: layer, using: &random)
                }
            }
            try layer.apply(edits)
            let places = questions.shuffled(using: &random).prefix(3) + questions[20...21]
            let asked = places.map {
                (question: $0, window: ClusterMemoTests.window(world, $0, using: &random))
            }
            let everybody = try ClusterMemoTests.fresh(world)
            // Sometimes everybody is there first, sometimes a viewer is.
            for who in [0, 1, 2, 3].shuffled(using: &random) {
                var (state, expected) = (layer.current, everybody)
                if who < 3 {
                    if Int.random(in: 0..<4, using: &random) == 0 { continue }
                    try viewers[who].catchUp(with: layer)
                    state = viewers[who].view.snapshot
                    expected = try viewers[who].fresh(world)
                }
                for (question, window) in asked {
                    for look in 1...3 {
                        ClusterMemoTests.expectSame(
                            state, expected, question, window,
                            "step \(step), \(who), look \(look)")
                    }
                    guard who < 3 else { continue }
                    let set = state.clusters(
                        in: window, options: question.options, filter: question.filter)
                    for index in 0..<set.count {
                        guard let (unit, _) = set.source(of: index) else { continue }
                        if unit.answers(question.filter, for: state) {
                            own += 1
                        } else {
                            shared += 1
                        }
                    }
                }
                if step % 4 == 0 { older.append((state, expected)) }
            }
            // Readers that are still at an older state neither see the new one nor spoil it.
            if let old = older.randomElement(using: &random) {
                for (question, window) in asked {
                    ClusterMemoTests.expectSame(
                        old.state, old.fresh, question, window, "step \(step), an older reader")
                }
            }
            for viewer in viewers { #expect(viewer.view.snapshot.memo.bytes <= 4 << 20) }
        }
        #expect(own > 50 && shared > 20, "\(own) from viewers' memos, \(shared) from the layer's")
    }

    @Test("a view keeps only what differs for it, and the layer keeps the rest for all")
    func twoMemos() throws {
        let positions = Shape.world.positions(count: 3_000, seed: 4)
        let layer = LayerIndex(try index(of: positions))
        let mine = ViewObject(
            key: try layer.current.ids.key(for: "mine"),
            placement: Placement(position: positions[7]))
        var view = ViewIndex(over: layer, layer.current, own: [mine])
        let options = try ClusterOptions(zoom: 9)
        // A world of units is resolved whole, at once.
        let set = view.snapshot.clusters(in: .world, options: options)
        #expect(set.counts.reduce(0, +) == 3_001)
        let own = view.snapshot.memo.count
        #expect((1...9).contains(own))
        #expect(layer.current.memo.count > 50)
        // One write elsewhere leaves both as they are; so does one of the viewer's own far away
        // from what was kept.
        try layer.apply([.put("new", positions[2_000])])
        let isDone = view.advance(to: layer.current, own: [])
        #expect(isDone)
        _ = view.snapshot.clusters(in: .world, options: options)
        #expect((1...20).contains(view.snapshot.memo.count))
        var reader = UnitReader(view.snapshot, ClusterQuestion(options, .all))
        let keys = UnitWindow.keys(of: .world, reader.question, in: view.snapshot)
        _ = reader.units(keys[...])
        #expect(reader.resolved == 0)
        let other = ViewObject(
            key: try layer.current.ids.key(for: "other"),
            placement: Placement(position: positions[900]))
        let isDone2 = view.advance(to: layer.current, own: [other])
        #expect(isDone2)
        reader = UnitReader(view.snapshot, ClusterQuestion(options, .all))
        _ = reader.units(keys[...])
        #expect((1...9).contains(reader.resolved), "\(reader.resolved)")
    }
}
