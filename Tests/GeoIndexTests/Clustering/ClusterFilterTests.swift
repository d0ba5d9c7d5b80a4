import GeoIndex
import TestSupport
import Testing

/// A filter gives the clusters of what it keeps, as if nothing else were there.
struct ClusterFilterTests {
    /// Filters with the placements that each keeps, said plainly.
    static let filters: [(filter: EntryFilter, keeps: @Sendable (Placement) -> Bool)] = [
        (EntryFilter(kinds: ["event"]), { $0.kind == "event" }),
        (EntryFilter(kinds: ["event", "trade"]), { $0.kind == "event" || $0.kind == "trade" }),
        (EntryFilter(kinds: ["nobody"]), { _ in false }),
        (EntryFilter(kinds: []), { _ in false }),
        (EntryFilter(since: 500), { $0.time >= 500 }),
        (EntryFilter(until: 500), { $0.time < 500 }),
        (
            EntryFilter(kinds: ["photo"], since: 100, until: 900),
            { $0.kind == "photo" && $0.time >= 100 && $0.time < 900 }
        ),
        (EntryFilter(since: 300, until: 300), { _ in false }),
    ]

    static func placements(_ shape: Shape, count: Int, seed: Int) -> [Placement] {
        var random = SeededRandom(seed: seed)
        let kinds: [String?] = ["event", "trade", "photo", "marker", nil]
        return shape.positions(count: count, seed: seed).map { position in
            Placement(
                position: position, kind: kinds.randomElement(using: &random) ?? nil,
                weight: .random(in: 0...4, using: &random),
                // Hundreds, so that many lie exactly on an edge of a filter.
                time: .random(in: 0...10, using: &random) * 100,
                content: random.next())
        }
    }

    @Test(
        "clusters, windows, children and leaves see the kept objects only",
        arguments: Shape.allCases, filters.indices)
    func keptObjectsOnly(shape: Shape, number: Int) throws {
        let (filter, keeps) = Self.filters[number]
        let placements = Self.placements(shape, count: shape.sparing(200), seed: number)
        let snapshot = try index(of: placements)
        let kept = placements.indices.filter { keeps(placements[$0]) }
        let alone = try index(
            of: kept.map { placements[$0] }, ids: kept.map(String.init))
        let places = kept.map { WorldPoint(placements[$0].position) }
        var random = SeededRandom(seed: number)
        for zoom in stride(from: 0, through: 22, by: 2) {
            let options = try ClusterOptions(zoom: zoom)
            let expected = ClusterTwin.clusters(of: places, zoom: zoom, radius: 40)
            let found = snapshot.clusters(in: .world, options: options, filter: filter)
            expectEqual(found, expected, "zoom \(zoom)")
            let window = WorldWindow.random(
                around: places.randomElement(using: &random) ?? WorldPoint(x: 0, y: 0),
                zoom: zoom, using: &random)
            expectEqual(
                snapshot.clusters(in: window, options: options, filter: filter),
                expected.filter { window.contains($0.point) }, "zoom \(zoom), \(window)")
            guard let cluster = expected.randomElement(using: &random) else { continue }
            let (id, _) = try #require(ClusterID.parse(cluster.id, radiusPixels: 40))
            let parent = try #require(snapshot.cluster(id, options: options, filter: filter))
            let parentAlone = try #require(alone.cluster(id, options: options))
            #expect(
                snapshot.leaves(of: parent, limit: .max, offset: 0, filter: filter).map(\.id)
                    == cluster.members.map { String(kept[$0]) }.sorted())
            #expect(
                snapshot.expansionZoom(of: parent, filter: filter)
                    == alone.expansionZoom(of: parentAlone))
            let children = snapshot.children(of: parent, limit: 5, filter: filter)
            switch (children, alone.children(of: parentAlone, limit: 5)) {
            case (.clusters(let some), .clusters(let others)):
                #expect(some.ids == others.ids && some.counts == others.counts)
            case (.objects(let some, let total), .objects(let others, let all)):
                #expect(some.map(\.id) == others.map(\.id) && total == all)
            default: Issue.record("children of two sorts")
            }
        }
    }

    @Test("more kinds than a page's mask has bits are told apart", arguments: 0..<4)
    func manyKinds(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let placements = Shape.city.positions(count: 1500, seed: seed).map {
            Placement(position: $0, kind: "kind\(Int.random(in: 0..<200, using: &random))")
        }
        let snapshot = try index(of: placements)
        let options = try ClusterOptions(zoom: 12)
        for kind in 0..<70 {
            let filter = EntryFilter(kinds: ["kind\(kind)", "kind\(kind + 64)"])
            let kept = placements.filter { filter.kinds?.contains($0.kind ?? "") ?? true }
            #expect(snapshot.sum(over: [0...UInt64.max], filter: filter).count == kept.count)
            if kind % 10 != 0 { continue }
            expectEqual(
                snapshot.clusters(in: .world, options: options, filter: filter),
                ClusterTwin.clusters(
                    of: kept.map { WorldPoint($0.position) }, zoom: 12, radius: 40),
                "kind \(kind)")
        }
    }

    @Test("a page of one kind is found by it, whatever number the kind has")
    func rareKinds() throws {
        let spot = RoundedPosition(lonE7: 10, latE7: 10)
        let layer = LayerIndex()
        // Kinds keep the numbers that they were given, when all others are gone again.
        try layer.apply(
            (0..<140).map {
                ObjectEdit(id: "\($0)", placement: Placement(position: spot, kind: "k\($0)"))
            })
        for kept in 0..<140 {
            let others = (0..<140).filter { $0 != kept }
            try layer.apply(others.map { ObjectEdit(id: "\($0)", placement: nil) })
            let filter = EntryFilter(kinds: ["k\(kept)"])
            #expect(
                layer.current.sum(over: [0...UInt64.max], filter: filter).count == 1, "\(kept)")
            let other = EntryFilter(kinds: ["k\(139 - kept == kept ? 0 : 139 - kept)"])
            #expect(
                layer.current.sum(over: [0...UInt64.max], filter: other).count == 0, "\(kept)")
            try layer.apply(
                others.map {
                    ObjectEdit(id: "\($0)", placement: Placement(position: spot, kind: "k\($0)"))
                })
        }
    }
}
