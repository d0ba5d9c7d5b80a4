import GeoIndex
import TestSupport
import Testing

/// The short way to a few nearest objects, where pages lie so that it is taken, against sorting
/// all objects.
struct NearestFewTests {
    /// Objects in some cities, so that pages hold the end of one and the start of another.
    static func cities(_ count: Int, seed: Int) -> [Placement] {
        var random = SeededRandom(seed: seed)
        let centres: [(lon: Int64, lat: Int64)] = [
            (134_000_000, 525_000_000), (1_799_990_000, -178_000_000), (0, 0),
            (-1_000_000_000, 695_000_000), (-587_000_000, -345_000_000),
            (1_399_000_000, 357_000_000),
        ]
        return (0..<count).map { number in
            let centre = centres[number % centres.count]
            let reach = Int64.random(in: 1...2_000_000, using: &random)
            var lon = centre.lon + Int64.random(in: -reach...reach, using: &random)
            if lon > 1_800_000_000 { lon -= 3_600_000_000 }
            if lon < -1_800_000_000 { lon += 3_600_000_000 }
            let lat = centre.lat + Int64.random(in: -reach...reach, using: &random)
            return Placement(
                position: RoundedPosition(lonE7: Int32(lon), latE7: Int32(lat)),
                kind: number % 7 == 0 ? "rare" : "common", time: Int64(number))
        }
    }

    @Test("keys, places and distances are those that sorting finds", arguments: 0..<3)
    func keys(seed: Int) throws {
        let placements = Self.cities(6_000, seed: seed)
        let snapshot = try index(of: placements)
        var random = SeededRandom(seed: seed + 100)
        for _ in 0..<25 {
            let near = try #require(placements.randomElement(using: &random)).position
            let lon = Int64(near.lonE7) + Int64.random(in: -30_000...30_000, using: &random)
            let turns: Int64 = lon > 1_800_000_000 ? -1 : lon < -1_800_000_000 ? 1 : 0
            let centre = RoundedPosition(
                lonE7: Int32(lon + turns * 3_600_000_000),
                latE7: near.latE7 + Int32.random(in: -30_000...30_000, using: &random))
            let all = NearestTests.sorted(placements, from: centre)
            for limit in [1, 10, 12, 13, 32] {
                let found = snapshot.nearestKeys(to: centre, limit: limit)
                #expect(
                    found.map(\.object) == all.prefix(limit).map { ObjectKey(packing: $0.id) },
                    "\(limit) of \(centre)")
                for one in found {
                    #expect(
                        one.distance
                            == SphericalGeodesy.distance(from: centre, to: one.position))
                }
            }
            let rare = all.map(\.id).filter { Int($0).map { $0 % 7 == 0 } ?? false }
            #expect(
                snapshot.nearest(to: centre, limit: 10, filter: EntryFilter(kinds: ["rare"]))
                    .map(\.id) == Array(rare.prefix(10)))
            let late = all.map(\.id).filter { Int($0).map { $0 >= 4_000 } ?? false }
            #expect(
                snapshot.nearest(to: centre, limit: 10, filter: EntryFilter(since: 4_000))
                    .map(\.id) == Array(late.prefix(10)))
            let radius = SphericalGeodesy.distance(
                from: centre, to: placements[Int(all[5].id) ?? 0].position)
            #expect(
                snapshot.nearest(to: centre, limit: 10, radius: radius).map(\.id)
                    == all.filter { $0.haversine <= all[5].haversine }.prefix(10).map(\.id))
        }
    }

    @Test("on the ellipsoid they are those that geodesics find", arguments: 0..<2)
    func ellipsoid(seed: Int) throws {
        let placements = Self.cities(3_000, seed: seed)
        let snapshot = try index(of: placements)
        for number in stride(from: 0, to: placements.count, by: 300) {
            let centre = placements[number].position
            let all = placements.indices.map { other in
                (
                    id: "\(other)",
                    distance: EllipsoidalGeodesy.distance(
                        from: centre, to: placements[other].position)
                )
            }.sorted { ($0.distance.meters, $0.id) < ($1.distance.meters, $1.id) }
            for limit in [3, 10, 32] {
                let found = snapshot.nearest(to: centre, limit: limit, on: .ellipsoid)
                #expect(found.map(\.id) == all.prefix(limit).map(\.id))
                #expect(found.map(\.distance) == all.prefix(limit).map(\.distance))
            }
        }
    }

    @Test("more at one place than fit among the proposals, ties by id")
    func piles() throws {
        let spot = RoundedPosition(lonE7: 134_000_500, latE7: 525_000_500)
        let placements =
            Self.cities(2_000, seed: 9) + (0..<500).map { _ in Placement(position: spot) }
        let snapshot = try index(of: placements)
        for away: Int32 in [0, 1, 900, 40_000] {
            let centre = RoundedPosition(lonE7: spot.lonE7 + away, latE7: spot.latE7 - away)
            let all = NearestTests.sorted(placements, from: centre)
            #expect(
                snapshot.nearest(to: centre, limit: 10).map(\.id) == all.prefix(10).map(\.id))
        }
    }
}
