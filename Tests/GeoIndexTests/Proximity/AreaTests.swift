import GeoIndex
import TestSupport
import Testing

/// Boxes and circles against looking at every object.
struct AreaTests {
    /// Edges as a client may send them.
    struct Edges: Sendable {
        var west: Double
        var south: Double
        var east: Double
        var north: Double
    }

    /// Boxes with an edge of every odd sort.
    static let edgesOfBoxes: [Edges] = [
        Edges(west: -180, south: -90, east: 180, north: 90),
        Edges(west: 13.3, south: 52.4, east: 13.45, north: 52.53),
        Edges(west: 179.5, south: -18, east: -179.5, north: -16),
        Edges(west: 170, south: -90, east: 190, north: 90),
        Edges(west: -190, south: -30, east: -170, north: 30),
        Edges(west: 180, south: -90, east: 180, north: 90),
        Edges(west: -180, south: -90, east: -180, north: 90),
        Edges(west: 170, south: -20, east: 180, north: 20),
        Edges(west: -180, south: -20, east: -170, north: 20),
        Edges(west: 0, south: 85.0511287798066, east: 90, north: 90),
        Edges(west: -180, south: -90, east: 180, north: -86),
        Edges(west: 10, south: 90, east: 20, north: 90),
        Edges(west: -360, south: -5, east: 360, north: 60),
        Edges(west: 90, south: -90, east: 89.9, north: 90),
        Edges(west: 13.4, south: 52.5, east: 13.4, north: 52.5),
        Edges(west: 0, south: -90, east: 359.99999999, north: 90),
        Edges(west: -179.99999999, south: -90, east: 179.99999999, north: 90),
    ]

    /// Whether a place lies in a box, all in whole units; ±180° is one meridian.
    static func holds(_ box: Edges, _ place: RoundedPosition) -> Bool {
        func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }
        let turn: Int64 = 3_600_000_000
        var width = units(box.east) - units(box.west)
        // East of 180° may be written as a smaller number.
        if width < 0 { width += turn }
        let east = ((Int64(place.lonE7) - units(box.west)) % turn + turn) % turn
        return place.latE7 >= units(box.south) && place.latE7 <= units(box.north)
            && (width >= turn || east <= width)
    }

    static let odd: [RoundedPosition] = [
        (1_800_000_000, 0), (-1_800_000_000, 0), (1_799_999_999, 10), (-1_799_999_999, 10),
        (0, 900_000_000), (150_000_000, 900_000_000), (0, -900_000_000),
        (134_000_000, 525_000_000), (134_000_001, 525_000_000), (134_500_000, 525_300_000),
        (1_795_000_000, -180_000_000), (-1_795_000_000, -160_000_000), (0, 0),
        (899_000_000, 0), (899_000_001, 1), (900_000_000, 0), (600_000_000, 850_511_288),
    ].map { (lon: Int32, lat: Int32) in RoundedPosition(lonE7: lon, latE7: lat) }

    @Test("boxes hold what lies in them, edges in", arguments: Shape.allCases, edgesOfBoxes.indices)
    func boxes(shape: Shape, number: Int) throws {
        let edges = Self.edgesOfBoxes[number]
        let positions = shape.positions(count: 950, seed: number) + Self.odd
        let snapshot = try index(of: positions)
        let box = try BoundingBox(
            west: edges.west, south: edges.south, east: edges.east, north: edges.north)
        let expected = positions.indices.filter { Self.holds(edges, positions[$0]) }
        #expect(snapshot.count(in: .box(box)) == expected.count)
        expectObjects(snapshot, .box(box), expected, positions)
    }

    @Test("circles hold what is no farther than their radius, edge in", arguments: Shape.allCases)
    func circles(shape: Shape) throws {
        let positions = shape.positions(count: 950, seed: 12) + Self.odd
        let snapshot = try index(of: positions)
        for centre in NearestTests.centres(positions, seed: 12) {
            for meters in [0, 0.02, 500, 30_000, 700_000, 5e6, 10_007_557, 1.5e7, 20_015_115, 1e12]
            {
                let expected = positions.indices.filter {
                    SphericalGeodesy.distance(from: centre, to: positions[$0]).meters <= meters
                }
                let area = Area.circle(centre: centre, radius: .meters(meters))
                #expect(snapshot.count(in: area) == expected.count, "\(meters) m of \(centre)")
                if meters < 1000 { expectObjects(snapshot, area, expected, positions) }
            }
        }
    }

    @Test(
        "a circle through an object holds it, whichever the radius",
        arguments: [Shape.world, .city, .antimeridian, .poles, .streetGrid], 0..<3)
    func edges(shape: Shape, seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let positions = shape.positions(count: 900, seed: seed) + Self.odd
        let snapshot = try index(of: positions)
        for _ in 0..<150 {
            let centre = try #require(positions.randomElement(using: &random))
            let edge = try #require(positions.randomElement(using: &random))
            let radius = SphericalGeodesy.distance(from: centre, to: edge)
            let expected = positions.count {
                SphericalGeodesy.distance(from: centre, to: $0) <= radius
            }
            #expect(
                snapshot.count(in: .circle(centre: centre, radius: radius)) == expected,
                "\(radius) of \(centre)")
        }
    }

    @Test("a circle that ends a hair before a quarter of the globe misses nothing")
    func quarter() throws {
        // asin of a number just below 1 is steep: a box from it must not be too narrow.
        let centre = RoundedPosition(lonE7: 0, latE7: 0)
        let positions = (0..<200).flatMap { step in
            [
                RoundedPosition(lonE7: 900_000_000 - Int32(step), latE7: 0),
                RoundedPosition(lonE7: -900_000_000 + Int32(step), latE7: 3),
            ]
        }
        let snapshot = try index(of: positions)
        for edge in positions {
            let radius = SphericalGeodesy.distance(from: centre, to: edge)
            let expected = positions.count {
                SphericalGeodesy.distance(from: centre, to: $0) <= radius
            }
            #expect(snapshot.count(in: .circle(centre: centre, radius: radius)) == expected)
        }
    }

    @Test(
        "pages by id join to the whole; filters hold", arguments: ClusterFilterTests.filters.indices
    )
    func pagingAndFilters(number: Int) throws {
        let (filter, keeps) = ClusterFilterTests.filters[number]
        let placements = ClusterFilterTests.placements(.city, count: 2500, seed: number)
        let snapshot = try index(of: placements)
        let centre = RoundedPosition(lonE7: 134_000_000, latE7: 525_000_000)
        let areas: [(area: Area, holds: (RoundedPosition) -> Bool)] = [
            (
                .circle(centre: centre, radius: .kilometers(4)),
                { SphericalGeodesy.distance(from: centre, to: $0) <= .kilometers(4) }
            ),
            (.box(.world), { _ in true }),
        ]
        for (area, holds) in areas {
            let expected = placements.indices
                .filter { keeps(placements[$0]) && holds(placements[$0].position) }
                .map(String.init).sorted()
            #expect(snapshot.count(in: area, filter: filter) == expected.count)
            for size in [13, 400] {
                var paged: [String] = []
                while true {
                    let page = snapshot.objects(
                        in: area, limit: size, after: paged.last, filter: filter)
                    #expect(page.count <= size)
                    paged += page.map(\.id)
                    if page.count < size { break }
                }
                #expect(paged == expected, "pages of \(size)")
            }
        }
    }

    private func expectObjects(
        _ snapshot: IndexSnapshot, _ area: Area, _ expected: [Int], _ positions: [RoundedPosition]
    ) {
        let found = snapshot.objects(in: area, limit: positions.count + 1)
        #expect(found.map(\.id) == expected.map(String.init).sorted())
        #expect(found.allSatisfy { Int($0.id).map { positions[$0] } == $0.position })
    }
}
