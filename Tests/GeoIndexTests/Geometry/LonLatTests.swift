import GeoIndex
import Testing

struct LonLatTests {
    @Test(
        "stored coordinates are taken as they are",
        arguments: [
            (0.0, 0.0), (-180, -90), (180, 90), (13.405, 52.52), (-0.0, 89.99999999),
        ] as [(Double, Double)])
    func stored(lon: Double, lat: Double) throws {
        let position = try LonLat(lon: lon, lat: lat)
        #expect(position.lon == lon && position.lat == lat)
    }

    @Test(
        "a stored longitude off the globe is an error that names it",
        arguments: [
            180.0000001, -180.0000001, 181, -.infinity, .infinity, 1e300,
        ])
    func storedLongitude(lon: Double) {
        #expect(throws: CoordinateError.longitude(degrees: lon)) { try LonLat(lon: lon, lat: 0) }
        #expect(CoordinateError.longitude(degrees: lon).description.contains("longitude"))
    }

    @Test(
        "a latitude off the globe is an error, in queries too",
        arguments: [
            90.0000001, -90.0000001, 91, -.infinity, .infinity,
        ])
    func latitude(lat: Double) {
        #expect(throws: CoordinateError.latitude(degrees: lat)) { try LonLat(lon: 0, lat: lat) }
        #expect(throws: CoordinateError.latitude(degrees: lat)) {
            try LonLat(wrappingLon: 0, lat: lat)
        }
        #expect(CoordinateError.latitude(degrees: lat).description.contains("latitude"))
    }

    @Test("what is no number is an error")
    func notANumber() {
        #expect(throws: CoordinateError.self) { try LonLat(lon: .nan, lat: 0) }
        #expect(throws: CoordinateError.self) { try LonLat(lon: 0, lat: .nan) }
        #expect(throws: CoordinateError.self) { try LonLat(wrappingLon: .nan, lat: 0) }
        #expect(throws: CoordinateError.self) { try LonLat(wrappingLon: .infinity, lat: 0) }
    }

    @Test(
        "longitudes of queries wrap",
        arguments: [
            (181.0, -179.0), (-190, 170), (180, 180), (-180, -180), (360, 0), (540, -180),
            (-540, -180), (3612.5, 12.5), (-720.25, -0.25), (0, 0), (36_000, 0), (-36_000, 0),
            (35_999.5, -0.5), (-35_910, 90),
        ] as [(Double, Double)])
    func wrapping(lon: Double, expected: Double) throws {
        #expect(try LonLat(wrappingLon: lon, lat: 1).lon == expected)
    }

    @Test(
        "a longitude of a query that is more than a hundred turns away is an error, everywhere",
        arguments: [
            36_000.000001, -36_000.000001, 36_001, 1e9, 1e20, -1e20, 1e300, .infinity, -.infinity,
        ])
    func tooFar(lon: Double) {
        #expect(throws: CoordinateError.queriedLongitude(degrees: lon)) {
            try LonLat(wrappingLon: lon, lat: 0)
        }
        #expect(throws: BoundingBoxError.longitude(degrees: lon)) {
            try BoundingBox(west: lon, south: 0, east: 0, north: 1)
        }
        #expect(throws: BoundingBoxError.longitude(degrees: lon)) {
            try BoundingBox(west: 0, south: 0, east: lon, north: 1)
        }
        #expect(throws: RegionError.position(lon: lon, lat: 0)) {
            try RegionCorner(lon: lon, lat: 0)
        }
        for description in [
            CoordinateError.queriedLongitude(degrees: lon).description,
            BoundingBoxError.longitude(degrees: lon).description,
            RegionError.position(lon: lon, lat: 0).description,
        ] {
            #expect(description.contains("-36000 to 36000"))
        }
    }

    @Test(
        "wrapping never leaves the globe",
        arguments: [
            -180.00000000000003, 180.00000000000003, -180 - 1e-13, 1e15, -1e15, 1e300, -1e300,
        ])
    func wrappedIsInRange(lon: Double) {
        #expect((-180...180).contains(LonLat.wrapped(degreesEast: lon)))
    }

    @Test(
        "rounding to 1e-7° is symmetric and reads back as the decimal",
        arguments: [
            (13.4049999, 134_049_999), (-13.4049999, -134_049_999), (0.00000005, 1),
            (-0.00000005, -1), (179.99999996, 1_800_000_000), (-180, -1_800_000_000),
        ] as [(Double, Int32)])
    func rounding(lon: Double, units: Int32) throws {
        let rounded = RoundedPosition(try LonLat(lon: lon, lat: lon / 2))
        #expect(rounded.lonE7 == units)
        #expect(rounded.lon == Double(units) / 1e7)
    }
}
