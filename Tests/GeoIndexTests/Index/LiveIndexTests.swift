import TestSupport
import Testing

@testable import GeoIndex

/// A live index under random edits, against a plain dictionary and a fresh build of it.
struct LiveIndexTests {
    /// Inputs of the random edits: one long run, and short ones where places are odd.
    static let runs: [(shape: Shape, edits: Int)] = [
        (.city, 100_000), (.antimeridian, 4_000), (.poles, 4_000), (.duplicates, 4_000),
    ]

    @Test(
        "random edits leave what a fresh build of the rest has; readers keep their state",
        arguments: runs.indices)
    func randomEdits(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var world = EditedWorld(shape: Self.runs[seed].shape, seed: seed)
        let layer = LayerIndex()
        var kept: [(snapshot: IndexSnapshot, objects: [String: Placement])] = []
        var done = 0
        var batches = 0
        while done < Self.runs[seed].edits {
            let edits = world.batch(of: .random(in: 1...500, using: &random), using: &random)
            let before = layer.current
            try layer.apply(edits)
            done += edits.count
            batches += 1
            #expect(layer.current.generation == before.generation + 1)
            #expect(layer.current.count == world.objects.count)
            if batches % 20 == 0 { #expect(layer.current.brokenInvariant() == nil) }
            if batches % 100 == 7 { kept.append((layer.current, world.objects)) }
        }
        #expect(layer.current.brokenInvariant() == nil)
        kept.append((layer.current, world.objects))
        for state in kept {
            try expectSameAnswers(
                state.snapshot, Self.fresh(state.objects), probes: world.positions, seed: seed)
        }
    }

    @Test("5,000 objects on one spot come, change and go")
    func oneSpot() throws {
        let spot = RoundedPosition(lonE7: 133_000_000, latE7: 525_000_000)
        let layer = LayerIndex(try index(of: Shape.city.positions(count: 1000, seed: 1)))
        var objects: [String: Placement] = [:]
        for start in stride(from: 0, to: 5000, by: 500) {
            let edits = (start..<(start + 500)).map {
                ObjectEdit.put("spot\($0 * 7919 % 5000)", spot)
            }
            for edit in edits { objects[edit.id] = edit.placement }
            try layer.apply(edits)
            #expect(layer.current.brokenInvariant() == nil)
        }
        #expect(objects.count == 5000)
        #expect(layer.current.count == 6000)
        #expect(layer.current.count(in: .circle(centre: spot, radius: .meters(0))) == 5000)
        #expect(
            layer.current.nearest(to: spot, limit: 5000).map(\.id) == objects.keys.sorted())
        let options = try ClusterOptions(zoom: 22)
        let column = WorldWindow(
            west: WorldPoint(spot).x, width: 1, north: WorldPoint(spot).y, height: 1)
        #expect(layer.current.clusters(in: column, options: options).counts == [5000])
        // Each second one goes, the others change.
        try layer.apply(
            objects.keys.sorted().enumerated().map { number, id in
                number % 2 == 0
                    ? ObjectEdit(id: id, placement: nil)
                    : ObjectEdit(id: id, placement: Placement(position: spot, kind: "k"))
            })
        #expect(layer.current.brokenInvariant() == nil)
        #expect(layer.current.count == 3500)
        #expect(layer.current.kindCounts.map(\.count) == [2500])
    }

    @Test("an index of three levels shrinks to little, to nothing, and fills again")
    func shrinkAndRefill() throws {
        // More pages than one node holds.
        let positions = Shape.world.positions(count: 54_000, seed: 2)
        let placements = positions.enumerated().map { number, position in
            Placement(
                position: position, kind: number % 3 == 0 ? nil : "kind\(number % 3)",
                weight: Double(number % 7), time: Int64(number) - 100,
                content: StableHash.finalize(UInt64(number)))
        }
        let layer = LayerIndex(try index(of: placements))
        let order = positions.indices.sorted {
            MortonKey(WorldPoint(positions[$0])) < MortonKey(WorldPoint(positions[$1]))
        }
        try expectSums(layer.current, placements)
        // One node keeps a handful of entries beside another that is full, then both do.
        for (start, end) in [(20_000, 54_000), (400, 20_000)] {
            try layer.apply(
                order[start..<end].filter { $0 % 9001 != 0 }
                    .map { ObjectEdit(id: "\($0)", placement: nil) })
            #expect(layer.current.brokenInvariant() == nil, "without \(start)..<\(end)")
        }
        let rest = Array(order[..<400]) + order[400...].filter { $0 % 9001 == 0 }
        let left = try index(
            of: rest.map { placements[$0] }, ids: rest.map(String.init))
        try expectSameAnswers(layer.current, left, probes: positions, seed: 2)
        try layer.apply(positions.indices.map { ObjectEdit(id: "\($0)", placement: nil) })
        #expect(layer.current.count == 0)
        #expect(layer.current.extent == nil && layer.current.timeRange == nil)
        #expect(layer.current.kindCounts.isEmpty)
        #expect(layer.current.nearest(to: positions[0], limit: 3).isEmpty)
        #expect(layer.current.brokenInvariant() == nil)
        for start in stride(from: 0, to: 6000, by: 2000) {
            try layer.apply((start..<(start + 2000)).map { .put("\($0)", positions[$0]) })
            #expect(layer.current.brokenInvariant() == nil)
        }
        try expectSameAnswers(
            layer.current, index(of: Array(positions.prefix(6000))), probes: positions, seed: 3)
    }

    @Test(
        "a batch with an id that cannot be indexed changes nothing",
        arguments: [
            "", "ä", "a b", "a.b", "a/b", "a\0", String(repeating: "x", count: 65),
        ])
    func malformedIDs(id: String) throws {
        let positions = Shape.city.positions(count: 100, seed: 4)
        let layer = LayerIndex(try index(of: positions))
        let before = layer.current
        #expect(throws: IDTable.Failure.malformed(id: id)) {
            try layer.apply([
                .put("good", positions[0]), .put(id, positions[1]),
                ObjectEdit(id: "3", placement: nil),
            ])
        }
        #expect(throws: IDTable.Failure.malformed(id: id)) {
            try layer.apply([ObjectEdit(id: id, placement: nil)])
        }
        #expect(layer.current === before)
        var builder = BulkBuilder()
        #expect(throws: IDTable.Failure.malformed(id: id)) {
            try builder.add(id: id, Placement(position: positions[0]))
        }
        // What was valid in the refused batch can still come.
        try layer.apply([.put("good", positions[0])])
        #expect(layer.current.count == 101)
    }

    @Test("of several changes of one object in a batch the last one counts")
    func lastChangeCounts() throws {
        let positions = Shape.city.positions(count: 10, seed: 4)
        let layer = LayerIndex(try index(of: positions))
        try layer.apply([
            .put("1", positions[5]), ObjectEdit(id: "1", placement: nil), .put("1", positions[6]),
            .put("new", positions[0]), ObjectEdit(id: "new", placement: nil),
            ObjectEdit(id: "2", placement: nil), .put("2", positions[2]),
            ObjectEdit(id: "nobody", placement: nil),
        ])
        var expected = positions
        expected[1] = positions[6]
        let fresh = try index(of: expected)
        #expect(layer.current.sum(over: [0...UInt64.max]) == fresh.sum(over: [0...UInt64.max]))
        #expect(layer.current.brokenInvariant() == nil)
        try layer.apply([])
        #expect(layer.current.sum(over: [0...UInt64.max]) == fresh.sum(over: [0...UInt64.max]))
    }

    /// Checks what the nodes of a large tree sum up against the objects themselves.
    private func expectSums(_ snapshot: IndexSnapshot, _ placements: [Placement]) throws {
        let all = snapshot.sum(over: [0...UInt64.max])
        #expect(all.count == placements.count)
        #expect(all.content == placements.reduce(UInt64(0)) { $0 &+ $1.content })
        #expect(all.weight == placements.reduce(UInt64(0)) { $0 + 256 * UInt64($1.weight) })
        #expect(snapshot.kindCounts.map(\.kind) == ["kind1", "kind2"])
        #expect(snapshot.kindCounts.map(\.count) == [placements.count / 3, placements.count / 3])
        #expect(snapshot.timeRange == -100...Int64(placements.count - 101))
        // Ranges shorter than a page add up entries; the whole adds up nodes.
        var parts = RangeSum()
        for part in 0..<UInt64(512) {
            let sum = snapshot.sum(over: [(part << 55)...(part << 55 | ((1 << 55) - 1))])
            parts.count += sum.count
            parts.weight += sum.weight
            parts.shape &+= sum.shape
            parts.content &+= sum.content
        }
        #expect(parts == all)
        let places = placements.map { WorldPoint($0.position) }
        for zoom in [0, 2] {
            let options = try ClusterOptions(zoom: zoom)
            let found = snapshot.clusters(in: .world, options: options)
            let expected = ClusterTwin.clusters(of: places, zoom: zoom, radius: 40)
            expectEqual(found, expected, "zoom \(zoom)")
            for (number, cluster) in expected.enumerated().prefix(20) {
                let details = snapshot.details(of: number, in: found)
                #expect(
                    details.content
                        == cluster.members.reduce(UInt64(0)) { $0 &+ placements[$1].content })
                let isKnown = cluster.members.filter { placements[$0].kind != nil }
                #expect(details.kinds.map(\.count).reduce(0, +) == isKnown.count)
            }
        }
    }

    static func fresh(_ objects: [String: Placement]) throws -> IndexSnapshot {
        let ids = objects.keys.sorted()
        return try index(of: ids.compactMap { objects[$0] }, ids: ids)
    }
}
