import GeoIndex
import TestSupport
import Testing

/// Fingerprints: what exact ETags stand on.
struct FingerprintTests {
    static let everything = [0...UInt64.max]

    @Test("sums over ranges are the sums of what lies in them", arguments: Shape.allCases)
    func additive(shape: Shape) throws {
        let placements = ClusterFilterTests.placements(shape, count: 1000, seed: 6)
        let snapshot = try index(of: placements)
        // The oracle: each object alone in an index of its own.
        let alone = try placements.indices.map { number in
            let single = try index(of: [placements[number]], ids: ["\(number)"])
            return single.sum(over: Self.everything)
        }
        let keys = placements.map { MortonKey(WorldPoint($0.position)).bits }
        var random = SeededRandom(seed: 6)
        for round in 0..<60 {
            // Edges on keys of objects, so that off by one shows.
            let first = keys.randomElement(using: &random) ?? 0
            let second = keys.randomElement(using: &random) ?? 7
            let last = max(first, second)
            if round % 2 == 1 && first == second { continue }
            let range = min(first, second)...(round % 2 == 0 ? last : last - 1)
            let number = round / 3 % ClusterFilterTests.filters.count
            var filter = EntryFilter.all
            var keeps: (Placement) -> Bool = { _ in true }
            if round % 3 == 0 { (filter, keeps) = ClusterFilterTests.filters[number] }
            var expected = RangeSum()
            for index in keys.indices where range.contains(keys[index]) && keeps(placements[index])
            {
                expected.count += 1
                expected.weight += alone[index].weight
                expected.shape &+= alone[index].shape
                expected.content &+= alone[index].content
            }
            #expect(snapshot.sum(over: [range], filter: filter) == expected, "\(range)")
        }
    }

    @Test("equal sets have equal fingerprints, whatever the order of writes", arguments: 0..<6)
    func orderPlaysNoPart(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let placements = ClusterFilterTests.placements(.city, count: 900, seed: seed)
        let fresh = try index(of: placements).sum(over: Self.everything)
        let layer = LayerIndex()
        // A kind that came first and went again gives the others other numbers.
        try layer.apply([
            ObjectEdit(id: "x", placement: Placement(position: placements[0].position, kind: "zzz"))
        ])
        for number in placements.indices.shuffled(using: &random) where number % 3 == 0 {
            try layer.apply([ObjectEdit(id: "\(number)", placement: placements[number])])
        }
        let rest = placements.indices.filter { $0 % 3 != 0 }.shuffled(using: &random)
        try layer.apply(rest.map { ObjectEdit(id: "\($0)", placement: placements[$0]) })
        #expect(layer.current.sum(over: Self.everything) != fresh)
        try layer.apply([ObjectEdit(id: "x", placement: nil)])
        #expect(layer.current.sum(over: Self.everything) == fresh)
    }

    /// One change of an object, and which fingerprints show it.
    static let changes: [(name: String, change: @Sendable (inout Placement) -> Void, shows: Bool)] =
        [
            ("content", { $0.content &+= 1 }, false),
            ("kind", { $0.kind = "other" }, true),
            ("no kind", { $0.kind = nil }, true),
            ("weight", { $0.weight += 1 }, true),
            ("time", { $0.time += 1 }, true),
            (
                "place",
                {
                    $0.position = RoundedPosition(
                        lonE7: $0.position.lonE7 + 1, latE7: $0.position.latE7)
                }, true
            ),
        ]

    @Test("each change shows where it should, and undone it never was", arguments: changes.indices)
    func changesShow(number: Int) throws {
        let (name, change, shows) = Self.changes[number]
        let placements = ClusterFilterTests.placements(.city, count: 300, seed: 8)
        for id in ["short", "an-id-of-more-than-ten-symbols", String(repeating: "Z", count: 64)] {
            let layer = LayerIndex(try index(of: placements))
            var placement = placements[7]
            placement.kind = "event"
            try layer.apply([ObjectEdit(id: id, placement: placement)])
            let before = layer.current.sum(over: Self.everything)
            var changed = placement
            change(&changed)
            try layer.apply([ObjectEdit(id: id, placement: changed)])
            let after = layer.current.sum(over: Self.everything)
            #expect((after.shape != before.shape) == shows, "\(name) of \(id)")
            if name == "content" { #expect(after.content != before.content) }
            try layer.apply([ObjectEdit(id: id, placement: placement)])
            #expect(layer.current.sum(over: Self.everything) == before, "\(name) of \(id)")
        }
    }

    @Test(
        "another id at the same place has another shape",
        arguments: [
            ("a", "b"), ("a", "-a"), ("a", "a-"), ("aaaaaaaaaa", "aaaaaaaaaaa"),
            ("aaaaaaaaaaa", "aaaaaaaaaab"), ("-", "--"),
        ])
    func idsShow(first: String, second: String) throws {
        let placement = ClusterFilterTests.placements(.one, count: 1, seed: 8)
        let one = try index(of: placement, ids: [first]).sum(over: Self.everything)
        let other = try index(of: placement, ids: [second]).sum(over: Self.everything)
        #expect(one.shape != other.shape)
    }

    @Test("a write elsewhere leaves a window's sums as they were")
    func elsewhere() throws {
        let layer = LayerIndex(try index(of: Shape.city.positions(count: 2000, seed: 9)))
        let tile = WorldWindow(TileID(containing: try LonLat(lon: 13.4, lat: 52.5), zoom: 14))
        let before = layer.current.sum(in: tile, level: 14)
        #expect(before.count > 0)
        try layer.apply([.put("far", RoundedPosition(lonE7: 0, latE7: 0))])
        #expect(layer.current.sum(in: tile, level: 14) == before)
        try layer.apply([.put("near", RoundedPosition(lonE7: 134_000_000, latE7: 525_000_000))])
        #expect(layer.current.sum(in: tile, level: 14) != before)
    }
}
