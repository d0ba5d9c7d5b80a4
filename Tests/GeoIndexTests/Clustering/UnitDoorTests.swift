import TestSupport
import Testing

@testable import GeoIndex

/// A unit is kept when it is asked for again before it changes; until then nothing is.
struct UnitDoorTests {
    private static let bytes = ClusterMemo.defaultBytes

    /// Two towns a world apart, and the options of a view of one of them.
    private struct Town {
        let layer: LayerIndex
        let options: ClusterOptions
        let view: WorldWindow
        let inside: RoundedPosition
        let outside: RoundedPosition

        init() throws {
            inside = RoundedPosition(lonE7: 133_000_000, latE7: 525_000_000)
            outside = RoundedPosition(lonE7: -700_000_000, latE7: -300_000_000)
            let positions = (0..<200).map { number in
                RoundedPosition(
                    lonE7: 133_000_000 + Int32(number % 20) * 30_000,
                    latE7: 525_000_000 + Int32(number / 20) * 30_000)
            }
            layer = LayerIndex(try index(of: positions + [outside]))
            options = try ClusterOptions(zoom: 11)
            let middle = WorldPoint(inside)
            view = WorldWindow(
                west: middle.x &- (1 << 21), width: 1 << 22, north: middle.y - (1 << 21),
                height: 1 << 22)
        }

        func look() -> ClusterSet { layer.current.clusters(in: view, options: options) }

        var kept: Int { layer.current.memo.count }

        /// Moves an object to and fro.
        func move(_ id: String, to position: RoundedPosition, step: Int) throws {
            try layer.apply([
                .put(
                    id,
                    RoundedPosition(
                        lonE7: position.lonE7 + Int32(step), latE7: position.latE7))
            ])
        }
    }

    @Test("the first look leaves marks alone, the second one units, the third one nothing")
    func secondLook() throws {
        let town = try Town()
        let first = town.look()
        #expect(first.count > 1 && town.kept == 0)
        #expect(first.source(of: 0) == nil, "resolved for this answer")
        let second = town.look()
        let kept = town.kept
        #expect(kept > 0)
        #expect((0..<second.count).allSatisfy { second.source(of: $0) != nil })
        #expect(second.ids == first.ids)
        _ = town.look()
        #expect(town.kept == kept)
    }

    @Test("what changes between any two looks is never kept, and a kept unit that changes goes")
    func changing() throws {
        let town = try Town()
        for step in 1...6 {
            _ = town.look()
            // All objects of the town lie within what each of its units depends on.
            #expect(town.layer.current.memo.count == 0, "step \(step)")
            try town.move("0", to: town.inside, step: step)
        }
        _ = town.look()
        _ = town.look()
        #expect(town.kept > 0)
        try town.move("0", to: town.inside, step: 9)
        let changed = town.look()
        #expect((0..<changed.count).allSatisfy { changed.source(of: $0) == nil })
        #expect(town.kept == 0)
    }

    @Test("what changes elsewhere does not put it off")
    func elsewhere() throws {
        let town = try Town()
        _ = town.look()
        try town.move("200", to: town.outside, step: 1)
        _ = town.look()
        #expect(town.kept > 0)
    }

    @Test("a view of kept units and others is in one piece", arguments: 0..<12)
    func mixed(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let shape = ClusterMemoTests.shapes[seed % ClusterMemoTests.shapes.count]
        let positions = shape.positions(count: 2_000, seed: seed)
        let snapshot = try index(of: positions)
        var mixed = 0
        let questions = try ClusterMemoTests.questions().filter { $0.options.zoom > 5 }
        for question in questions.shuffled(using: &random).prefix(20) {
            let middle = WorldPoint(positions.randomElement(using: &random) ?? positions[0])
            // A unit's size, then four in each direction.
            let unit = WorldWindow.worldSize >> UInt64(question.unitLevel)
            let small = WorldWindow(
                west: middle.x, width: unit, north: UInt32(min(UInt64(middle.y), (1 << 32) - unit)),
                height: unit)
            for _ in 0..<2 {
                _ = snapshot.clusters(
                    in: small, options: question.options, filter: question.filter)
            }
            let wide = small.expanded(by: 3 * unit / 2)
            let found = snapshot.clusters(
                in: wide, options: question.options, filter: question.filter)
            let kept = (0..<found.count).count { found.source(of: $0) != nil }
            if kept > 0 && kept < found.count { mixed += 1 }
            let expected = snapshot.resolveClusters(
                in: wide, options: question.options, filter: question.filter)
            #expect(found.ids == expected.ids && found.counts == expected.counts)
            #expect(found.points == expected.points)
            guard found.ids == expected.ids else { continue }
            for index in 0..<found.count {
                #expect(found.cells(of: index) == expected.cells(of: index))
            }
        }
        #expect(mixed > 0, "\(shape)")
    }

    @Test("what changed in two far corners is resolved beside what is kept")
    func corners() throws {
        // On both sides of an edge between two units in the north-west, and in the south-east; in a
        // view at a zoom of which no world is kept.
        let corners = [(-470, 400), (-430, 400), (430, -400), (470, -400)].map {
            RoundedPosition(lonE7: $0.0 * 1_000_000, latE7: $0.1 * 1_000_000)
        }
        let middle = RoundedPosition(lonE7: 10_000_000, latE7: 10_000_000)
        let layer = LayerIndex(try index(of: corners + [middle]))
        let options = try ClusterOptions(zoom: 6)
        let view = WorldWindow(try BoundingBox(west: -49, south: -42, east: 49, north: 42))
        for _ in 0..<2 { _ = layer.current.clusters(in: view, options: options) }
        try layer.apply(
            corners.enumerated().map { number, place in
                .put("\(number)", RoundedPosition(lonE7: place.lonE7, latE7: place.latE7 + 1_000))
            })
        let found = layer.current.clusters(in: view, options: options)
        let expected = layer.current.resolveClusters(in: view, options: options, filter: .all)
        #expect(found.ids == expected.ids && found.points == expected.points)
        #expect((0..<found.count).count { found.source(of: $0) != nil } == 1, "the middle")
    }

    @Test("marks keep to their bound, and a younger one stays")
    func marks() {
        let door = UnitDoor(mostBytes: 1_000)
        #expect(door.bytes <= 1_000 && door.bytes > 0)
        door.mark([7], generation: 5)
        door.mark([7], generation: 3)
        #expect(door.generations(of: [7, 8]) == [5, nil])
        door.removeAll()
        #expect(door.generations(of: [7]) == [nil])
        let none = UnitDoor(mostBytes: 0)
        none.mark([7], generation: 5)
        #expect(none.generations(of: [7]) == [nil] && none.bytes == 0)
    }
}
