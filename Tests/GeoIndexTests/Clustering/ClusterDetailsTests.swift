import GeoIndex
import TestSupport
import Testing

/// What a cluster says of its members, against their plain enumeration.
struct ClusterDetailsTests {
    @Test(
        "kinds, box, content and sample are those of the members", arguments: Shape.allCases,
        LawInput.radii)
    func details(shape: Shape, radius: Int) throws {
        let placements = ClusterFilterTests.placements(
            shape, count: shape.sparing(300), seed: radius)
        let snapshot = try index(of: placements)
        for zoom in stride(from: 0, through: 20, by: 2) {
            try check(placements, snapshot, zoom: zoom, radius: radius, filter: .all) { _ in true }
        }
    }

    @Test(
        "with a filter they are those of the kept members", arguments: Shape.allCases,
        ClusterFilterTests.filters.indices)
    func filteredDetails(shape: Shape, number: Int) throws {
        let (filter, keeps) = ClusterFilterTests.filters[number]
        let placements = ClusterFilterTests.placements(
            shape, count: shape.sparing(200), seed: number)
        let snapshot = try index(of: placements)
        for zoom in stride(from: 1, through: 20, by: 5) {
            try check(
                placements, snapshot, zoom: zoom, radius: 40, filter: filter, keeps: keeps)
        }
    }

    @Test("pages taken whole sum up like their entries", arguments: [2, 5, 9])
    func manyPages(zoom: Int) throws {
        let placements = ClusterFilterTests.placements(.city, count: 6000, seed: 1)
        let snapshot = try index(of: placements)
        try check(placements, snapshot, zoom: zoom, radius: 40, filter: .all) { _ in true }
    }

    private func check(
        _ placements: [Placement], _ snapshot: IndexSnapshot, zoom: Int, radius: Int,
        filter: EntryFilter, keeps: (Placement) -> Bool
    ) throws {
        let kept = placements.indices.filter { keeps(placements[$0]) }
        let options = try ClusterOptions(zoom: zoom, radiusPixels: radius)
        let expected = ClusterTwin.clusters(
            of: kept.map { WorldPoint(placements[$0].position) }, zoom: zoom, radius: radius)
        let found = snapshot.clusters(in: .world, options: options, filter: filter)
        try #require(found.ids == expected.map(\.id))
        for index in stride(from: 0, to: found.count, by: max(1, found.count / 20)) {
            let members = expected[index].members.map { kept[$0] }
            let details = snapshot.details(of: index, in: found, filter: filter)
            let name = "zoom \(zoom), cluster \(index) of \(members.count)"
            var kinds: [String: Int] = [:]
            for member in members {
                if let kind = placements[member].kind { kinds[kind, default: 0] += 1 }
            }
            #expect(details.kinds.map(\.kind) == kinds.keys.sorted(), "\(name)")
            #expect(details.kinds.allSatisfy { kinds[$0.kind] == $0.count }, "\(name)")
            let most = kinds.values.max()
            #expect(
                details.dominantKind == kinds.filter { $0.value == most }.keys.min(), "\(name)")
            #expect(
                details.content
                    == members.reduce(UInt64(0)) { $0 &+ placements[$1].content }, "\(name)")
            let sample = try #require(Int(details.sample.id))
            #expect(members.contains(sample), "\(name)")
            #expect(details.sample.position == placements[sample].position, "\(name)")
            expectTight(
                details.bounds, around: members.map { placements[$0].position },
                // A cluster can be wider than half the world at zoom 0.
                isNarrow: zoom > 1, name)
        }
    }

    /// Checks that a box holds all positions, and that none of its edges could move inwards.
    private func expectTight(
        _ box: BoundingBox, around positions: [RoundedPosition], isNarrow: Bool, _ name: String
    ) {
        let south = Double(positions.map(\.latE7).min() ?? 0) / 1e7
        let north = Double(positions.map(\.latE7).max() ?? 0) / 1e7
        #expect(box.south == south && box.north == north, "\(name)")
        // Eastwards from the west edge, 0 to 360°.
        func east(of lon: Double) -> Int64 {
            let units = Int64((lon * 1e7).rounded()) - Int64((box.west * 1e7).rounded())
            return ((units % 3_600_000_000) + 3_600_000_000) % 3_600_000_000
        }
        let offsets = positions.map { east(of: $0.lon) }
        #expect(offsets.min() == 0, "\(name): the west edge touches a member")
        #expect(offsets.max() == east(of: box.east), "\(name): the east edge does too")
        if isNarrow { #expect(east(of: box.east) < 1_800_000_000, "\(name): \(box)") }
    }
}
