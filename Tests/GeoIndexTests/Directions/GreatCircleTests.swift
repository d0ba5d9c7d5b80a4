import GeoIndex
import Glibc
import TestSupport
import Testing

/// A position of degrees.
private func spot(_ lon: Double, _ lat: Double) -> RoundedPosition {
    RoundedPosition(lonE7: Int32((lon * 1e7).rounded()), latE7: Int32((lat * 1e7).rounded()))
}

/// How far two directions are apart, in degrees.
private func turn(_ one: Double, _ other: Double) -> Double {
    let apart = abs(one - other).truncatingRemainder(dividingBy: 360)
    return min(apart, 360 - apart)
}

struct GreatCircleTests {
    @Test("a place on the way parts its length", arguments: 0..<32)
    func parts(seed: Int) {
        var random = SeededRandom(seed: seed)
        for number in 0..<40 {
            let spread = [180, 20, 0.1][number % 3]
            let start = spot(
                .random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
            let end = spot(
                LonLat.wrapped(
                    degreesEast: start.lon + .random(in: -spread...spread, using: &random)),
                min(90, max(-90, start.lat + .random(in: -spread...spread, using: &random))))
            let circle = GreatCircle(from: start, to: end)
            let fraction = Double.random(in: 0...1, using: &random)
            let place = circle.position(at: fraction)
            let before = SphericalGeodesy.distance(from: start, to: place).meters
            let after = SphericalGeodesy.distance(from: place, to: end).meters
            // Half a unit of the grid is 8 mm along both axes; near antipodes the bearing is soft.
            let bound = circle.distance.meters > 20_000_000 ? 2 : 0.02
            #expect(abs(before - fraction * circle.distance.meters) < bound, "\(start) \(end)")
            #expect(abs(before + after - circle.distance.meters) < bound, "\(start) \(end)")
        }
    }

    @Test("one arrives in the direction from which the way back starts", arguments: 0..<16)
    func arrival(seed: Int) {
        var random = SeededRandom(seed: seed)
        let start = spot(
            .random(in: -180...180, using: &random), .random(in: -89...89, using: &random))
        let end = spot(
            .random(in: -180...180, using: &random), .random(in: -89...89, using: &random))
        let back = GreatCircle(from: end, to: start)
        let found = GreatCircle(from: start, to: end).finalBearing
        #expect(turn(found, back.initialBearing + 180) < 1e-9)
        // Just before the end one looks at it in the same direction.
        let near = GreatCircle(from: start, to: end).position(at: 1 - 1e-4)
        #expect(turn(found, GreatCircle(from: near, to: end).initialBearing) < 0.5)
    }

    @Test(
        "the middle of known ways",
        arguments: [
            (170.0, 0.0, -170.0, 0.0, 180.0, 0.0, 90.0), (179, 10, -179, 10, 180, 10.0015, 89.83),
            (0, 80, 180, 80, 0, 90, 0), (-170, -60, 170, -60, 180, -60.3783, 261.318),
            (0, 0, 90, 0, 45, 0, 90), (20, -90, 20, 0, 20, -45, 0), (0, 0, 180, 0, 0, 90, 0),
        ])
    func middles(
        lon: Double, lat: Double, toLon: Double, toLat: Double, midLon: Double, midLat: Double,
        bearing: Double
    ) {
        let circle = GreatCircle(from: spot(lon, lat), to: spot(toLon, toLat))
        let apart = SphericalGeodesy.distance(
            from: circle.position(at: 0.5), to: spot(midLon, midLat))
        #expect(apart.meters < 100, "\(circle.position(at: 0.5))")
        #expect(turn(circle.initialBearing, bearing) < 0.01, "\(circle.initialBearing)")
    }

    @Test(
        "antipodes go over the north pole",
        arguments: [(0.0, 0.0), (33, 40), (-100, -89), (180, 5)])
    func antipodes(lon: Double, lat: Double) {
        let circle = GreatCircle(
            from: spot(lon, lat), to: spot(LonLat.wrapped(degreesEast: lon + 180), -lat))
        #expect(circle.initialBearing == 0 && circle.finalBearing == 180)
        let toPole = (90 - lat) / 180
        #expect(circle.position(at: toPole).lat > 89.999_999)
        let late = circle.position(at: toPole + (1 - toPole) / 2)
        let left = SphericalGeodesy.distance(from: late, to: circle.end).meters
        #expect(abs(left - circle.distance.meters * (1 - toPole) / 2) < 0.5)
    }

    @Test("equal places, ±180° among them, are no way")
    func nowhere() {
        for pair in [(spot(5, 5), spot(5, 5)), (spot(180, 5), spot(-180, 5))] {
            let circle = GreatCircle(from: pair.0, to: pair.1)
            #expect(circle.distance.meters == 0 && circle.initialBearing == 0)
            #expect(circle.finalBearing == 0)
            #expect(circle.position(at: 0.5).latE7 == 50_000_000)
        }
    }

    @Test("from pole to pole")
    func poles() {
        let circle = GreatCircle(from: spot(10, 90), to: spot(-50, -90))
        #expect(circle.initialBearing == 180)
        #expect(circle.position(at: 0.5) == spot(10, 0))
    }
}

struct RoutePathTests {
    @Test("lines stay near the circle, and go on over ±180°", arguments: 0..<24)
    func tolerance(seed: Int) {
        var random = SeededRandom(seed: seed)
        let start = spot(
            .random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
        let end = spot(
            .random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
        let circle = GreatCircle(from: start, to: end)
        let tolerance = [50.0, 1_000][seed % 2]
        let path = RoutePath(circle, tolerance: .meters(tolerance))
        #expect(path.vertices.count < 5_000)
        #expect(path.vertices[0].position == start)
        #expect(path.vertices.last?.position == end)
        for (one, two) in zip(path.vertices, path.vertices.dropFirst()) {
            #expect(abs(two.lonE7 - one.lonE7) <= 1_800_000_000)
            let length = SphericalGeodesy.distance(from: one.position, to: two.position).meters
            for share in 1..<8 {
                let lon = one.lonE7 + (two.lonE7 - one.lonE7) * Int64(share) / 8
                let lat = Int64(one.latE7) + Int64(two.latE7 - one.latE7) * Int64(share) / 8
                let place = RoutePath.Vertex(lonE7: lon, latE7: Int32(lat)).position
                // The way by such a place is longer by less than a step aside would make it.
                let detour =
                    SphericalGeodesy.distance(from: start, to: place).meters
                    + SphericalGeodesy.distance(from: place, to: end).meters
                    - circle.distance.meters
                let aside = RoutePathTests.aside(place, circle)
                #expect(aside <= 1.5 * tolerance || length <= 200, "\(aside) m of \(length) m")
                #expect(detour > -0.02)
            }
        }
    }

    /// How far a place is from the whole circle, by the cross-track formula.
    private static func aside(_ place: RoundedPosition, _ circle: GreatCircle) -> Double {
        let radius = SphericalGeodesy.earthRadiusMeters
        let angle = SphericalGeodesy.distance(from: circle.start, to: place).meters / radius
        let bearing = SphericalGeodesy.initialBearing(from: circle.start, to: place)
        return abs(asin(sin(angle) * sin((bearing - circle.initialBearing) * .pi / 180))) * radius
    }

    @Test("a short way is two places; over the pole it has the pole twice")
    func shapes() {
        let short = RoutePath(
            GreatCircle(from: spot(13.4, 52.5), to: spot(13.41, 52.51)), tolerance: .meters(50))
        #expect(short.vertices.count == 2)
        let still = RoutePath(GreatCircle(from: spot(1, 1), to: spot(1, 1)), tolerance: .meters(50))
        #expect(still.vertices.count == 2)
        let over = RoutePath(
            GreatCircle(from: spot(0, 80), to: spot(180, 80)), tolerance: .meters(50))
        #expect(over.vertices.map(\.lat) == [80, 90, 90, 80])
        #expect(over.vertices.map(\.lon) == [0, 0, 180, 180])
    }

    @Test("paths that follow one another are one line without a jump")
    func appending() {
        var whole = RoutePath()
        let stops = [spot(170, 10), spot(-170, 10), spot(-100, 0), spot(100, 0), spot(-179, 0)]
        for (from, to) in zip(stops, stops.dropFirst()) {
            whole.append(RoutePath(GreatCircle(from: from, to: to), tolerance: .meters(1_000)))
        }
        #expect(whole.vertices.first?.lon == 170)
        #expect(whole.vertices.last?.lon == 181)
        for (one, two) in zip(whole.vertices, whole.vertices.dropFirst()) {
            #expect(one != two && abs(one.lonE7 - two.lonE7) < 1_800_000_000)
        }
    }

    @Test("a vertex on another turn is the same place", arguments: [-3, -1, 0, 1, 2])
    func turns(turns: Int64) {
        for lon in [-1_799_999_999, -1, 0, 5, 1_799_999_999] as [Int64] {
            let vertex = RoutePath.Vertex(lonE7: lon + turns * 3_600_000_000, latE7: 3)
            #expect(Int64(vertex.position.lonE7) == lon)
        }
    }
}

struct CompassPointTests {
    @Test(
        "the nearest of eight points",
        arguments: [
            (0.0, CompassPoint.north), (22.4, .north), (22.5, .northEast), (45, .northEast),
            (90, .east),
            (157.5, .south), (180, .south), (359, .north), (337.5, .north), (337.4, .northWest),
            (360, .north), (270, .west),
        ])
    func points(bearing: Double, point: CompassPoint) {
        #expect(CompassPoint(bearing: bearing) == point)
    }
}
