import GeoIndex
import TestSupport
import Testing

/// Distances on the ellipsoid decide order and containment: against measuring all objects.
struct GeodesicTests {
    @Test("the nearest on the ellipsoid are those that sorting finds", arguments: Shape.allCases)
    func nearest(shape: Shape) throws {
        let placements = ClusterFilterTests.placements(shape, count: shape.sparing(600), seed: 4)
        let snapshot = try index(of: placements)
        for centre in NearestTests.centres(placements.map(\.position), seed: 4) {
            let all = placements.indices.map { number in
                (
                    id: "\(number)",
                    meters: EllipsoidalGeodesy.distance(
                        from: centre, to: placements[number].position
                    ).meters
                )
            }.sorted { ($0.meters, $0.id) < ($1.meters, $1.id) }
            for limit in [1, 10, placements.count + 1] {
                let found = snapshot.nearest(to: centre, limit: limit, on: .ellipsoid)
                #expect(found.map(\.id) == all.prefix(limit).map(\.id), "\(limit) of \(centre)")
                #expect(found.map(\.distance.meters) == all.prefix(limit).map(\.meters))
            }
            // The edge is in.
            for edge in [all.count / 3, all.count - 1] where all.indices.contains(edge) {
                let radius = Distance.meters(all[edge].meters)
                let within = all.filter { $0.meters <= radius.meters }
                let found = snapshot.nearest(
                    to: centre, limit: all.count, radius: radius, on: .ellipsoid)
                #expect(found.map(\.id) == within.map(\.id))
                let area = Area.circle(centre: centre, radius: radius, on: .ellipsoid)
                #expect(snapshot.count(in: area) == within.count, "\(radius) of \(centre)")
            }
            // Pages join to the whole.
            var paged: [String] = []
            var cursor: NearbyCursor?
            while paged.count < 60 {
                let page = snapshot.nearest(to: centre, limit: 9, after: cursor, on: .ellipsoid)
                guard let last = page.last else { break }
                paged += page.map(\.id)
                cursor = NearbyCursor(position: last.position, id: last.id)
            }
            #expect(paged == all.prefix(paged.count).map(\.id))
        }
    }

    @Test("circles on the ellipsoid hold what is no farther", arguments: Shape.allCases)
    func circles(shape: Shape) throws {
        let positions = shape.positions(count: shape.sparing(700), seed: 8) + AreaTests.odd
        let snapshot = try index(of: positions)
        for centre in NearestTests.centres(positions, seed: 8) {
            let meters = positions.map {
                EllipsoidalGeodesy.distance(from: centre, to: $0).meters
            }
            for radius in [
                0, 0.02, 500, 30_000, 700_000, 5e6, 10_001_965.7, 1.9e7, 20_003_931.4, 1e9,
            ] {
                let area = Area.circle(centre: centre, radius: .meters(radius), on: .ellipsoid)
                let expected = meters.count { $0 <= radius }
                #expect(snapshot.count(in: area) == expected, "\(radius) m of \(centre)")
            }
        }
    }

    @Test("bearings are those of the geodesic")
    func bearings() throws {
        func spot(_ lon: Double, _ lat: Double) -> RoundedPosition {
            RoundedPosition(
                lonE7: Int32((lon * 1e7).rounded()), latE7: Int32((lat * 1e7).rounded()))
        }
        // From the documentation of PROJ's geod: Boston to Portland, 66°31′50″ west of north.
        let found = EllipsoidalGeodesy.initialBearing(
            from: spot(-71.1166667, 42.25), to: spot(-123.6833333, 45.5166667))
        #expect(abs(found - 293.4695) < 0.001, "\(found)")
        #expect(EllipsoidalGeodesy.initialBearing(from: spot(5, 5), to: spot(5, 5)) == 0)
        #expect(EllipsoidalGeodesy.initialBearing(from: spot(179, 0), to: spot(-179, 0)) == 90)
    }
}
