import TestSupport
import Testing

@testable import GeoIndex

/// Hotspots from the sums that nodes keep against hotspots from a look at every entry.
struct HotspotSumsTests {
    /// A filter that keeps all and says so to nobody.
    private static let everything = EntryFilter(since: .min)

    private static func placement(
        _ position: RoundedPosition, _ random: inout SeededRandom
    ) -> Placement {
        Placement(
            position: position,
            kind: ["event", "trade", nil][Int.random(in: 0..<3, using: &random)],
            weight: Double(Int.random(in: 0...3, using: &random)) / 4)
    }

    private static func compare(
        _ snapshot: IndexSnapshot, zooms: [UInt8], around positions: [RoundedPosition],
        _ random: inout SeededRandom
    ) throws {
        for zoom in zooms {
            let options = HeatOptions(radiusPixels: [4, 24, 64][Int(zoom) % 3])
            let background = snapshot.hotspotBackground(zoom: zoom, options: options)
            let slow = snapshot.hotspotBackground(
                zoom: zoom, filter: everything, options: options)
            #expect(background == slow, "zoom \(zoom)")
            let centre = positions.randomElement(using: &random)
            for window in [
                centre.map { .random(around: WorldPoint($0), zoom: Int(zoom), using: &random) },
                zoom < 5 ? WorldWindow.world : nil,
            ].compactMap(\.self) {
                var query = HotspotQuery(window: window, zoom: zoom, limit: 3, options: options)
                let found = try snapshot.hotspots(query, background: background)
                query.filter = everything
                let expected = try snapshot.hotspots(query, background: slow)
                #expect(found.map(\.id) == expected.map(\.id), "zoom \(zoom), \(window)")
                #expect(found.map(\.density) == expected.map(\.density))
                #expect(found.map(\.hundredths) == expected.map(\.hundredths))
                for hotspot in found {
                    var query = query
                    let right = snapshot.members(of: hotspot, query)
                    query.filter = .all
                    let (count, kinds) = snapshot.members(of: hotspot, query)
                    #expect(count == right.count, "zoom \(zoom), \(hotspot.id)")
                    #expect(kinds.map(\.kind) == right.kinds.map(\.kind))
                    #expect(kinds.map(\.count) == right.kinds.map(\.count))
                }
            }
        }
    }

    @Test(
        "are the same, also after edits",
        arguments: [Shape.duplicates, .antimeridian, .city, .world, .one, .empty])
    func same(shape: Shape) throws {
        var random = SeededRandom(seed: shape.rawValue.count)
        // Deep enough for nodes above nodes, which keep sums of sums.
        let positions = shape.positions(count: 13_000, seed: 7)
        let placements = positions.map { Self.placement($0, &random) }
        try Self.compare(
            try index(of: placements), zooms: [0, 3, 9, 15, 22], around: positions, &random)

        let live = LayerIndex()
        try live.apply(
            placements.prefix(3_000).enumerated().map {
                ObjectEdit(id: String($0.offset), placement: $0.element)
            })
        for _ in 0..<12 where !positions.isEmpty {
            let edits = (0..<40).map { _ in
                let number = Int.random(in: 0..<min(3_000, positions.count), using: &random)
                let place = positions.randomElement(using: &random) ?? positions[0]
                let isGone = Int.random(in: 0..<3, using: &random) == 0
                return ObjectEdit(
                    id: String(number),
                    placement: isGone ? nil : Self.placement(place, &random))
            }
            try live.apply(edits)
        }
        try Self.compare(live.current, zooms: [1, 11], around: positions, &random)
    }

    @Test("objects without weight make no background and are counted")
    func weightless() throws {
        let positions = Shape.city.positions(count: 2_000, seed: 3)
        let placements = positions.enumerated().map { number, position in
            Placement(position: position, kind: "k", weight: number < 1_990 ? 0 : 1)
        }
        let snapshot = try index(of: placements)
        let options = HeatOptions()
        for zoom: UInt8 in [3, 9, 16] {
            let background = snapshot.hotspotBackground(zoom: zoom, options: options)
            #expect(background.weight == 10 * 256)
            #expect(background.squares == 10 * 65_536)
            #expect(background.blocks <= 10)
            let query = HotspotQuery(window: .world, zoom: zoom, limit: 1)
            let hotspot = try #require(snapshot.hotspots(query, background: background).first)
            if zoom == 3 { #expect(snapshot.members(of: hotspot, query).count == 2_000) }
        }
        let weightless = try index(of: placements.filter { $0.weight == 0 })
        let none = weightless.hotspotBackground(zoom: 9, options: options)
        #expect(none.blocks == 0 && none.weight == 0 && none.squares == 0)
        let query = HotspotQuery(window: .world, zoom: 9, limit: 1)
        #expect(try weightless.hotspots(query, background: none).isEmpty)
    }
}
