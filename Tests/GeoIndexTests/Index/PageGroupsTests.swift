import TestSupport
import Testing

@testable import GeoIndex

/// The boxes of a page's groups: `brokenInvariant()` compares them with the entries.
struct PageGroupsTests {
    /// Places all over the world and close together, on ±180° and at the poles too.
    private static func placements(_ count: Int, seed: Int) -> [Placement] {
        var random = SeededRandom(seed: seed)
        let shapes: [Shape] = [.city, .antimeridian, .poles, .duplicates]
        let positions = shapes.flatMap { $0.positions(count: (count + 3) / 4, seed: seed) }
        return positions.prefix(count).map { position in
            let isAtEastEnd = Int.random(in: 0..<40, using: &random) == 0
            return Placement(
                position: isAtEastEnd
                    ? RoundedPosition(lonE7: 1_800_000_000, latE7: position.latE7) : position,
                expires: Int.random(in: 0..<3, using: &random) == 0 ? 1_000 : nil)
        }
    }

    @Test(
        "boxes hold their entries and are no step too large, however many there are",
        arguments: [1, 2, 15, 16, 17, 31, 64, 239, 240, 241, 256, 257, 3_000])
    func built(count: Int) throws {
        for seed in 0..<4 {
            let snapshot = try index(of: Self.placements(count, seed: seed))
            #expect(snapshot.brokenInvariant() == nil, "seed \(seed)")
        }
    }

    @Test("after edits and once things have expired too", arguments: 0..<8)
    func edited(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let placements = Self.placements(2_000, seed: seed)
        let layer = LayerIndex(try index(of: placements))
        for _ in 0..<20 {
            try layer.apply(
                (0..<60).map { _ in
                    let id = "\(Int.random(in: 0..<2_000, using: &random))"
                    let placement = placements.randomElement(using: &random)
                    return ObjectEdit(
                        id: id, placement: Bool.random(using: &random) ? placement : nil)
                })
            #expect(layer.current.brokenInvariant() == nil)
        }
        #expect(layer.current(at: 2_000).brokenInvariant() == nil)
        try expectNearest(layer.current(at: 2_000), among: placements.map(\.position))
    }

    @Test("boxes are made anew of what is decoded, whatever stands in their place")
    func decoded() throws {
        let placements = Self.placements(1_000, seed: 5)
        let before = try index(of: placements)
        var chunks: [[UInt8]] = []
        before.encode { chunk in chunks.append(chunk.indices.map { chunk[$0] }) }
        // The first page begins after how many there are and its layout.
        for byte in 16..<(16 + PageGroups.bytes) { chunks[1][byte] = 0xff }
        let (head, body) = (chunks[0], chunks[1])
        let decoder = try SnapshotDecoder(head.span)
        let after = try decoder.snapshot(of: [decoder.part(body.span)])
        #expect(after.brokenInvariant() == nil)
        try expectNearest(after, among: placements.map(\.position))
    }

    /// Compares the nearest to some places with those of all that the snapshot holds.
    private func expectNearest(
        _ snapshot: IndexSnapshot, among places: [RoundedPosition]
    ) throws {
        let everything = try BoundingBox(west: -180, south: -90, east: 180, north: 90)
        let all = snapshot.objects(in: .box(everything), limit: 10_000)
        #expect(all.count == snapshot.count)
        for centre in places.enumerated().filter({ $0.offset % 97 == 0 }).map(\.element) {
            let sorted = all.map {
                (id: $0.id, haversine: SphericalGeodesy.haversine(from: centre, to: $0.position))
            }.sorted { ($0.haversine, $0.id) < ($1.haversine, $1.id) }
            for limit in [1, 10, 32] {
                #expect(
                    snapshot.nearest(to: centre, limit: limit).map(\.id)
                        == sorted.prefix(limit).map(\.id), "\(limit) of \(centre)")
            }
        }
    }
}
