import GeoIndex
import Glibc
import TestSupport
import Testing

struct SphericalGeodesyTests {
    private func spot(_ lon: Double, _ lat: Double) -> RoundedPosition {
        RoundedPosition(lonE7: Int32((lon * 1e7).rounded()), latE7: Int32((lat * 1e7).rounded()))
    }

    @Test("distances are within 0.6 % of those on the ellipsoid", arguments: 0..<12)
    func againstTheEllipsoid(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let start = spot(
                .random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
            // Far and near pairs alike.
            let spread = [180, 5, 0.01][Int.random(in: 0..<3, using: &random)]
            let lat = min(90, max(-90, start.lat + .random(in: -spread...spread, using: &random)))
            let end = spot(
                LonLat.wrapped(
                    degreesEast: start.lon + .random(in: -spread...spread, using: &random)), lat)
            let sphere = SphericalGeodesy.distance(from: start, to: end).meters
            let ellipsoid = EllipsoidalGeodesy.distance(from: start, to: end).meters
            #expect(abs(sphere - ellipsoid) <= 0.006 * ellipsoid + 1e-6, "\(start) \(end)")
        }
    }

    @Test("near and far, the haversine is that of its formula", arguments: 0..<16)
    func formula(seed: Int) {
        var random = SeededRandom(seed: seed)
        for number in 0..<200 {
            // Either side of where the series of small angles end.
            let spread = [2, 1.8, 1e-2, 1e-5, 1e-7][number % 5]
            let lat = Double.random(in: -90...90, using: &random)
            let start = spot(.random(in: -170...170, using: &random), lat)
            let end = spot(
                start.lon + .random(in: -spread...spread, using: &random),
                min(90, max(-90, lat + .random(in: -spread...spread, using: &random))))
            let unit = Double.pi / 180e7
            let sinLat = sin(Double(end.latE7 - start.latE7) * unit / 2)
            let sinLon = sin(Double(end.lonE7 - start.lonE7) * unit / 2)
            let expected =
                sinLat * sinLat
                + cos(Double(start.latE7) * unit) * cos(Double(end.latE7) * unit) * sinLon * sinLon
            let found = SphericalGeodesy.haversine(from: start, to: end)
            // Next to a pole the cosine of a latitude is off by as much as any other's.
            #expect(
                abs(found - expected) <= 1e-15 * expected + 1e-15 * sinLon * sinLon,
                "\(start) \(end)")
            let angle = 2 * asin(expected.squareRoot())
            #expect(
                abs(SphericalGeodesy.centralAngle(haversine: expected) - angle) <= 1e-15 * angle)
        }
    }

    @Test(
        "known distances",
        arguments: [
            // A degree on the sphere of radius 6,371,008.8 m is 111,195.08 m.
            (0.0, 0.0, 1.0, 0.0, 111_195.08), (0, 0, 0, 1, 111_195.08), (0, 60, 1, 60, 55_597.01),
            (0, 0, 180, 0, 20_015_114.44), (0, 90, 77, -90, 20_015_114.44),
            (0, 90, 90, 0, 10_007_557.22),
            (13.405, 52.52, -0.1276, 51.5072, 931_561.896), (5, 5, 5, 5, 0),
        ])
    func known(lon: Double, lat: Double, toLon: Double, toLat: Double, meters: Double) {
        let found = SphericalGeodesy.distance(from: spot(lon, lat), to: spot(toLon, toLat)).meters
        #expect(abs(found - meters) <= max(0.01, meters * 1e-8), "\(found)")
    }

    @Test(
        "the ellipsoid's known distances",
        arguments: [
            // A quarter meridian and a degree of the equator of WGS 84.
            (0.0, 0.0, 0.0, 90.0, 10_001_965.729), (0, 0, 1, 0, 111_319.491),
        ])
    func ellipsoid(lon: Double, lat: Double, toLon: Double, toLat: Double, meters: Double) {
        let found = EllipsoidalGeodesy.distance(from: spot(lon, lat), to: spot(toLon, toLat)).meters
        #expect(abs(found - meters) < 0.001)
    }

    @Test("a pair is as far apart across ±180° as anywhere else", arguments: 0..<10)
    func turned(seed: Int) {
        var random = SeededRandom(seed: seed)
        let lat = Int32.random(in: -900_000_000...900_000_000, using: &random)
        let toLat = Int32.random(in: -900_000_000...900_000_000, using: &random)
        let apart = Int64.random(in: 0...1_800_000_000, using: &random)
        func pair(_ start: Int64) -> (RoundedPosition, RoundedPosition) {
            func wrapped(_ units: Int64) -> Int32 {
                Int32((units + 5_400_000_000) % 3_600_000_000 - 1_800_000_000)
            }
            return (
                RoundedPosition(lonE7: wrapped(start), latE7: lat),
                RoundedPosition(lonE7: wrapped(start + apart), latE7: toLat)
            )
        }
        let (start, end) = pair(-900_000_000)
        let expected = SphericalGeodesy.haversine(from: start, to: end)
        for west in [1_799_999_999, 1_700_000_000, 1_000_000_000, -1_800_000_000, 123_456]
            as [Int64]
        {
            let (first, second) = pair(west)
            #expect(SphericalGeodesy.haversine(from: first, to: second) == expected)
        }
        #expect(
            SphericalGeodesy.distance(from: spot(180, 10), to: spot(-180, 10)) == .meters(0))
        let east = SphericalGeodesy.initialBearing(from: spot(179.9, 10), to: spot(-179.9, 10))
        #expect(abs(east - 90) < 0.1)
    }

    @Test(
        "known bearings",
        arguments: [
            (0.0, 0.0, 0.0, 10.0, 0.0), (0, 0, 10, 0, 90), (0, 10, 0, 0, 180), (0, 0, -10, 0, 270),
            (0, 0, 0, 0, 0), (179, 0, -179, 0, 90), (-179, 0, 179, 0, 270),
            // From the textbook: Baghdad to Osaka sets out towards 60°.
            (45, 35, 135, 35, 60.1624), (0, 90, 30, 0, 150), (0, -90, 30, 0, 30),
            (7, 90, 7, 0, 180),
            (13.405, 52.52, -0.1276, 51.5072, 268.4414),
        ])
    func bearings(lon: Double, lat: Double, toLon: Double, toLat: Double, degrees: Double) {
        let found = SphericalGeodesy.initialBearing(from: spot(lon, lat), to: spot(toLon, toLat))
        #expect((0..<360).contains(found))
        #expect(abs(found - degrees) < 1e-3, "\(found)")
    }

    @Test("a distance and its haversine agree to the last place", arguments: 0..<20)
    func haversineOfDistance(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let start = spot(
                .random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
            let end = spot(
                .random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
            let haversine = SphericalGeodesy.haversine(from: start, to: end)
            let distance = SphericalGeodesy.distance(from: start, to: end)
            let bound = SphericalGeodesy.haversine(of: distance)
            #expect(haversine <= bound && bound <= haversine * (1 + 1e-14))
            let less = SphericalGeodesy.haversine(of: .meters(distance.meters.nextDown))
            #expect(less < haversine || haversine == 1)
        }
        #expect(SphericalGeodesy.haversine(of: .meters(0)) == 0)
        #expect(SphericalGeodesy.haversine(of: .kilometers(20_016)) == 1)
        #expect(SphericalGeodesy.haversine(of: .meters(.infinity)) == 1)
    }
}
