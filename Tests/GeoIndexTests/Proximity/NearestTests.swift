import GeoIndex
import TestSupport
import Testing

/// Nearest objects against sorting all of them.
struct NearestTests {
    /// Where searches start: among the objects, far from them, and where the globe is odd.
    static func centres(_ positions: [RoundedPosition], seed: Int) -> [RoundedPosition] {
        var random = SeededRandom(seed: seed)
        let odd = [
            (0, 0), (1_800_000_000, 0), (-1_800_000_000, -170_000_000), (0, 900_000_000),
            (1_234_567_890, -900_000_000), (-900_000_000, 899_999_999),
            (1_799_999_999, 600_000_000),
        ].map { (lon: Int32, lat: Int32) in RoundedPosition(lonE7: lon, latE7: lat) }
        let among = (0..<4).compactMap { _ in positions.randomElement(using: &random) }
        return odd + among
            + among.map {
                RoundedPosition(lonE7: -$0.lonE7, latE7: -$0.latE7)
            }
    }

    /// All objects by distance, ties by id.
    static func sorted(_ placements: [Placement], from centre: RoundedPosition) -> [(
        id: String, haversine: Double
    )] {
        placements.indices.map { number in
            (
                id: "\(number)",
                haversine: SphericalGeodesy.haversine(
                    from: centre, to: placements[number].position)
            )
        }.sorted { ($0.haversine, $0.id) < ($1.haversine, $1.id) }
    }

    @Test("the nearest are those that sorting finds", arguments: Shape.allCases, 0..<2)
    func nearest(shape: Shape, seed: Int) throws {
        let placements = ClusterFilterTests.placements(shape, count: 900, seed: seed)
        let snapshot = try index(of: placements)
        for centre in Self.centres(placements.map(\.position), seed: seed) {
            let all = Self.sorted(placements, from: centre)
            for limit in [1, 10, 100, placements.count + 5] {
                let found = snapshot.nearest(to: centre, limit: limit)
                #expect(found.map(\.id) == all.prefix(limit).map(\.id), "\(limit) of \(centre)")
            }
            for object in snapshot.nearest(to: centre, limit: 3) {
                let number = try #require(Int(object.id))
                #expect(object.position == placements[number].position)
                #expect(
                    object.distance
                        == SphericalGeodesy.distance(from: centre, to: object.position))
            }
            #expect(snapshot.nearest(to: centre, limit: 0).isEmpty)
        }
    }

    @Test("a radius leaves out what lies beyond, its edge is in", arguments: Shape.allCases)
    func radius(shape: Shape) throws {
        let placements = ClusterFilterTests.placements(shape, count: 500, seed: 3)
        let snapshot = try index(of: placements)
        for centre in Self.centres(placements.map(\.position), seed: 3) {
            let all = Self.sorted(placements, from: centre)
            for meters in [0, 1, 500, 20_000, 5_000_000, 10_007_557, 20_015_114, 1e9] {
                let within = all.map(\.id).filter { id in
                    let position = Int(id).map { placements[$0].position } ?? centre
                    return SphericalGeodesy.distance(from: centre, to: position).meters <= meters
                }
                let found = snapshot.nearest(
                    to: centre, limit: placements.count + 1, radius: .meters(meters))
                #expect(found.map(\.id) == within, "\(meters) m of \(centre)")
                let few = snapshot.nearest(to: centre, limit: 7, radius: .meters(meters))
                #expect(few.map(\.id) == Array(within.prefix(7)), "\(meters) m of \(centre)")
            }
        }
    }

    @Test("pages by cursor join to the whole, without gap or repeat", arguments: Shape.allCases)
    func paging(shape: Shape) throws {
        let placements = ClusterFilterTests.placements(shape, count: 400, seed: 5)
        let snapshot = try index(of: placements)
        for centre in Self.centres(placements.map(\.position), seed: 5).prefix(9) {
            for size in [1, 7, 100] {
                let all = Self.sorted(placements, from: centre).map(\.id).prefix(size * 30)
                var paged: [String] = []
                var cursor: NearbyCursor?
                while paged.count < all.count {
                    let page = snapshot.nearest(to: centre, limit: size, after: cursor)
                    guard let last = page.last else { break }
                    paged += page.map(\.id)
                    cursor = NearbyCursor(position: last.position, id: last.id)
                }
                #expect(Array(paged.prefix(all.count)) == Array(all), "pages of \(size)")
            }
        }
    }

    @Test(
        "a filter finds the nearest of what it keeps", arguments: Shape.allCases,
        ClusterFilterTests.filters.indices)
    func filtered(shape: Shape, number: Int) throws {
        let (filter, keeps) = ClusterFilterTests.filters[number]
        let placements = ClusterFilterTests.placements(shape, count: 300, seed: number)
        let snapshot = try index(of: placements)
        for centre in Self.centres(placements.map(\.position), seed: number).suffix(5) {
            let kept = Self.sorted(placements, from: centre).map(\.id)
                .filter { Int($0).map { keeps(placements[$0]) } ?? false }
            #expect(
                snapshot.nearest(to: centre, limit: 20, filter: filter).map(\.id)
                    == Array(kept.prefix(20)))
        }
    }

    @Test(
        "a cursor may name an object that is gone, or that never was",
        arguments: [
            "5", "nobody", "an-id-of-more-than-ten-symbols", "zzzzzzzzzzzzzzzzzzzzzzzz",
        ])
    func strangeCursors(id: String) throws {
        let spot = RoundedPosition(lonE7: 10, latE7: 10)
        // Ids at one distance, in their order: long and short ones mixed.
        let ids = [
            "0", "an-id-of-more-than", "another-long-one", "b", "long-long-long", "z",
            "zzzzzzzzzzzzz",
        ]
        let snapshot = try index(
            of: ids.map { _ in Placement(position: spot) }, ids: ids)
        let centre = RoundedPosition(lonE7: 0, latE7: 0)
        let found = snapshot.nearest(
            to: centre, limit: 100, after: NearbyCursor(position: spot, id: id))
        #expect(found.map(\.id) == ids.filter { $0 > id })
        let objects = snapshot.objects(in: .box(.world), limit: 100, after: id)
        #expect(objects.map(\.id) == ids.filter { $0 > id })
    }

    @Test("objects either side of ±180° are as near as elsewhere")
    func antimeridian() throws {
        func spot(_ lon: Double) -> RoundedPosition {
            RoundedPosition(lonE7: Int32((lon * 1e7).rounded()), latE7: -170_000_000)
        }
        let snapshot = try index(of: [179.9, -179.7, 179.5, 180, -180].map(spot))
        for centre in [spot(180), spot(-180)] {
            #expect(snapshot.nearest(to: centre, limit: 9).map(\.id) == ["3", "4", "0", "1", "2"])
        }
        #expect(
            snapshot.nearest(to: spot(-179.9), limit: 9).map(\.id) == ["3", "4", "0", "1", "2"]
                || snapshot.nearest(to: spot(-179.9), limit: 9).map(\.id)
                    == ["3", "4", "1", "0", "2"]
        )
    }

    @Test("at the pole every longitude is the same place")
    func poles() throws {
        let snapshot = try index(of: [
            RoundedPosition(lonE7: 0, latE7: 900_000_000),
            RoundedPosition(lonE7: 1_700_000_000, latE7: 900_000_000),
            RoundedPosition(lonE7: -900_000_000, latE7: 899_000_000),
            RoundedPosition(lonE7: 0, latE7: -900_000_000),
        ])
        for lon in [-1_800_000_000, -5, 900_000_000] as [Int32] {
            let found = snapshot.nearest(
                to: RoundedPosition(lonE7: lon, latE7: 900_000_000), limit: 4)
            #expect(found.map(\.id).last == "3")
            #expect(found[0].distance.meters < 1e-6 && found[1].distance.meters < 1e-6)
            #expect(abs(found[2].distance.meters - 11_119.5) < 0.1)
            #expect(abs(found[3].distance.meters - 20_015_114.4) < 1)
        }
    }
}
