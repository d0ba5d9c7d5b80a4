import GeoIndex
import TestSupport
import Testing

/// Regions against walking round their rings with whole numbers.
struct RegionTests {
    typealias Ring = [(lon: Double, lat: Double)]

    static func region(_ polygons: [[Ring]]) throws -> Region {
        try Region(
            polygons: polygons.map {
                try $0.map { try $0.map { try RegionCorner(lon: $0.lon, lat: $0.lat) } }
            })
    }

    /// A ring with its first corner at the end again.
    static func closed(_ ring: Ring) -> Ring { ring + ring.prefix(1) }

    static func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> Ring {
        closed([(west, south), (east, south), (east, north), (west, north)])
    }

    @Test("a search that its deadline ends says so, one that comes to its end does not")
    func deadline() throws {
        var builder = BulkBuilder()
        for index in 0..<2_000 {
            let place = try LonLat(lon: Double(index % 50) / 10, lat: Double(index / 50) / 10)
            try builder.add(id: "o\(index)", Placement(position: RoundedPosition(place)))
        }
        let snapshot = builder.build()
        // A slanted edge, so that entries have to be looked at.
        var region = try Self.region([[Self.closed([(0, 0), (5, 0), (5, 4)])]])
        let whole = snapshot.count(in: .region(region))
        let far = SearchDeadline(in: .seconds(3_600))
        region.deadline = far
        #expect(snapshot.count(in: .region(region)) == whole && whole > 500)
        #expect(!far.hasEndedSearch)
        let past = SearchDeadline(in: .zero)
        region.deadline = past
        #expect(snapshot.count(in: .region(region)) < whole)
        #expect(past.hasEndedSearch)
    }

    private enum Side { case outside, edge, inside }

    /// Where a point lies to a ring that does not jump, all in whole units.
    private static func side(_ x: Int64, _ y: Int64, _ ring: [(x: Int64, y: Int64)]) -> Side {
        var isInside = false
        for (start, end) in zip(ring, ring.dropFirst()) {
            let cross =
                Int128(end.x - start.x) * Int128(y - start.y) - Int128(end.y - start.y)
                * Int128(x - start.x)
            if cross == 0 && (min(start.x, end.x)...max(start.x, end.x)).contains(x)
                && (min(start.y, end.y)...max(start.y, end.y)).contains(y)
            {
                return .edge
            }
            if (start.y > y) != (end.y > y) && (cross > 0) == (end.y > start.y) {
                isInside.toggle()
            }
        }
        return isInside ? .inside : .outside
    }

    /// Whether a place lies in polygons whose rings are written without jumps.
    static func holds(_ polygons: [[Ring]], _ place: RoundedPosition) -> Bool {
        func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }
        return polygons.contains { rings in
            (-2...2).contains { turn in
                let x = Int64(place.lonE7) + Int64(turn) * 3_600_000_000
                let sides = rings.map { ring in
                    side(x, Int64(place.latE7), ring.map { (units($0.lon), units($0.lat)) })
                }
                return sides[0] != .outside && !sides.dropFirst().contains(.inside)
            }
        }
    }

    /// A star round a middle: rays by rising angle, so that it never crosses itself.
    static func star(
        _ lon: Double, _ lat: Double, _ radius: ClosedRange<Double>, corners: Int,
        _ random: inout SeededRandom
    ) -> Ring {
        closed(
            (0..<corners).map { corner in
                let angle = 2 * Double.pi * Double(corner) / Double(corners)
                let reach = Double.random(in: radius, using: &random)
                return (lon + reach * cosine(angle), min(90, max(-90, lat + reach * sine(angle))))
            })
    }

    static let middles: [(shape: Shape, lon: Double, lat: Double, radius: Double)] = [
        (.city, 13.4, 52.5, 0.05), (.city, 13.4, 52.5, 0.005), (.antimeridian, 180, -17, 0.5),
        (.antimeridian, -180, -17, 0.3), (.antimeridian, 539.9, -17, 0.4),
        (.streetGrid, 13.02, 52.01, 0.01), (.world, 20, 10, 60), (.world, 170, -30, 50),
        (.duplicates, 13.1, 52.05, 0.06), (.poles, 40, 87, 3), (.empty, 1, 1, 1),
        (.one, 13.4, 52.5, 1),
    ]

    @Test("a region holds what lies in its rings, edges in", arguments: middles.indices, 0..<3)
    func stars(number: Int, seed: Int) throws {
        let (shape, lon, lat, radius) = Self.middles[number]
        var random = SeededRandom(seed: seed)
        var positions = shape.positions(count: 700, seed: seed)
        let outer = Self.star(lon, lat, (radius / 2)...radius, corners: 40, &random)
        let hole = Self.star(lon, lat, (radius / 8)...(radius / 3), corners: 12, &random)
        // A second polygon beside the first, with a corner beyond a turn of the map.
        let other = Self.box(lon + 2 * radius, lat, lon + 3 * radius, lat + radius / 2)
        let polygons = [[outer, hole], [other]]
        // Corners lie on the edge.
        positions += (outer + hole).compactMap { corner in
            try? RoundedPosition(LonLat(wrappingLon: corner.lon, lat: corner.lat))
        }
        let snapshot = try index(of: positions)
        let area = Area.region(try Self.region(polygons))
        let expected = positions.indices.filter { Self.holds(polygons, positions[$0]) }
        #expect(snapshot.count(in: area) == expected.count)
        #expect(
            snapshot.objects(in: area, limit: positions.count + 1).map(\.id)
                == expected.map(String.init).sorted())
        #expect(
            Set(snapshot.objectKeys(in: area)).count == expected.count, "keys come once each")
        #expect(expected.count >= 50, "the test is of something")
    }

    @Test("every way to write a region across ±180° is the same region")
    func antimeridian() throws {
        let positions =
            Shape.antimeridian.positions(count: 3000, seed: 2)
            + [1_800_000_000, -1_800_000_000].map {
                RoundedPosition(lonE7: $0, latE7: -170_000_000)
            }
        let snapshot = try index(of: positions)
        let forms: [[[Ring]]] = [
            [[Self.box(179.5, -18, 180.5, -16)]],
            [[Self.box(-180.5, -18, -179.5, -16)]],
            [[Self.closed([(179.5, -18), (-179.5, -18), (-179.5, -16), (179.5, -16)])]],
            [[Self.closed([(-179.5, -16), (179.5, -16), (179.5, -18), (-179.5, -18)])]],
            // As RFC 7946 asks: cut in two.
            [[Self.box(179.5, -18, 180, -16)], [Self.box(-180, -18, -179.5, -16)]],
        ]
        let counts = try forms.map { snapshot.count(in: .region(try Self.region($0))) }
        let whole = snapshot.count(
            in: .box(try BoundingBox(west: 179.5, south: -18, east: -179.5, north: -16)))
        #expect(counts == forms.map { _ in whole })
        #expect(whole > 1000)
        // ±180° is one meridian, whichever side writes it.
        for edge in [Self.box(179, -18, 180, -16), Self.box(-180, -18, -179, -16)] {
            let held = snapshot.objects(in: .region(try Self.region([[edge]])), limit: 5000)
            #expect(held.contains { $0.id == "3000" } && held.contains { $0.id == "3001" })
        }
    }

    @Test("the whole belt is a region, a hole in it too")
    func belt() throws {
        let positions = Shape.world.positions(count: 2000, seed: 1)
        let snapshot = try index(of: positions)
        let world = try Self.region([[Self.box(-180, -90, 180, 90)]])
        #expect(snapshot.count(in: .region(world)) == positions.count)
        let hole = Self.box(-20, -20, 20, 20)
        let polygons = [[Self.box(-180, -90, 180, 90), hole]]
        let expected = positions.count { Self.holds(polygons, $0) }
        #expect(snapshot.count(in: .region(try Self.region(polygons))) == expected)
        #expect(expected < positions.count)
    }

    @Test("rings that are no area are refused, by place")
    func refusals() throws {
        func failure(_ polygons: [[Ring]]) -> RegionError? {
            do {
                _ = try Self.region(polygons)
                return nil
            } catch {
                return error as? RegionError
            }
        }
        #expect(failure([]) == .empty)
        #expect(failure([[]]) == .empty)
        #expect(failure([[[(0, 0), (1, 1), (0, 0)]]]) == .short(polygon: 1, ring: 1))
        #expect(
            failure([[Self.box(0, 0, 1, 1), [(0, 0), (1, 0), (1, 1), (0, 1)]]])
                == .open(polygon: 1, ring: 2))
        #expect(
            failure([[[(0, 80), (120, 80), (-120, 80), (0, 80)]]])
                == .aroundPole(polygon: 1, ring: 1))
        #expect(failure([[[(0, 91), (1, 0), (1, 1), (0, 91)]]]) == .position(lon: 0, lat: 91))
        #expect(failure([[[(.nan, 1), (1, 0), (1, 1), (0, 1)]]]) != nil)
        // A bow tie crosses itself in its middle.
        let bowTie = failure([[Self.closed([(0, 0), (2, 2), (2, 0), (0, 2)])]])
        guard case .invalid(let reason, let lon, let lat) = bowTie else {
            Issue.record("a bow tie is not valid: \(String(describing: bowTie))")
            return
        }
        #expect(reason == "Self-intersection" && lon == 1 && lat == 1)
        let apart = failure([[Self.box(0, 0, 1, 1), Self.box(5, 5, 6, 6)]])
        guard case .invalid = apart else {
            Issue.record("a hole outside of its ring is not valid")
            return
        }
        let many = (0...Region.cornerLimit).map { (Double($0) / 1e6, 0.0) }
        #expect(
            failure([[many]])
                == .positions(count: Region.cornerLimit + 1, limit: Region.cornerLimit))
    }

    @Test("filters hold in regions", arguments: ClusterFilterTests.filters.indices)
    func filters(number: Int) throws {
        let (filter, keeps) = ClusterFilterTests.filters[number]
        let placements = ClusterFilterTests.placements(.city, count: 2500, seed: number)
        let snapshot = try index(of: placements)
        let polygons = [[Self.box(13.38, 52.48, 13.43, 52.52)]]
        let expected = placements.count { keeps($0) && Self.holds(polygons, $0.position) }
        let area = Area.region(try Self.region(polygons))
        #expect(snapshot.count(in: area, filter: filter) == expected)
        #expect(snapshot.objectKeys(in: area, filter: filter).count == expected)
    }
}

/// Enough of an angle's functions for a star, without a library.
private func sine(_ angle: Double) -> Double {
    var (term, sum) = (angle, angle)
    for step in 1..<20 {
        term *= -angle * angle / Double(2 * step * (2 * step + 1))
        sum += term
    }
    return sum
}

private func cosine(_ angle: Double) -> Double { sine(angle + .pi / 2) }
