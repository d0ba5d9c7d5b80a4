import GeoIndex
import Testing

struct BoundingBoxTests {
    @Test(
        "longitudes of a box wrap, and 360° or more is the whole belt",
        arguments: [
            (170.0, 190.0, 170.0, -170.0), (-190, -170, 170, -170), (-180, 180, -180, 180),
            (0, 360, -180, 180), (-1000, 1000, -180, 180), (10, 20, 10, 20), (370, 380, 10, 20),
            (20, 10, 20, 10), (180, 180, 180, 180), (0, 359.99999999, -180, 180),
            (-179.99999999, 179.99999999, -180, 180), (0, 359.9999999, 0, -0.0000001),
            (-36_000, 36_000, -180, 180), (35_990, 36_000, -10, 0), (-36_000, -35_990, 0, 10),
        ] as [(Double, Double, Double, Double)])
    func longitudes(west: Double, east: Double, boxWest: Double, boxEast: Double) throws {
        let box = try BoundingBox(west: west, south: -1, east: east, north: 1)
        #expect(abs(box.west - boxWest) < 1e-10 && abs(box.east - boxEast) < 1e-10)
        #expect(box.crossesAntimeridian == (boxWest > boxEast))
        #expect(box.isWholeBelt == (boxEast - boxWest == 360))
    }

    @Test("a broken box is an error that says which number")
    func errors() {
        #expect(throws: BoundingBoxError.longitude(degrees: .infinity)) {
            try BoundingBox(west: .infinity, south: 0, east: 0, north: 0)
        }
        #expect(throws: BoundingBoxError.self) {
            try BoundingBox(west: 0, south: 0, east: .nan, north: 0)
        }
        #expect(throws: BoundingBoxError.latitude(degrees: -90.1)) {
            try BoundingBox(west: 0, south: -90.1, east: 0, north: 0)
        }
        #expect(throws: BoundingBoxError.latitude(degrees: 91)) {
            try BoundingBox(west: 0, south: 0, east: 0, north: 91)
        }
        #expect(throws: BoundingBoxError.upsideDown(south: 2, north: 1)) {
            try BoundingBox(west: 0, south: 2, east: 0, north: 1)
        }
        #expect(BoundingBoxError.upsideDown(south: 2, north: 1).description.contains("west,south"))
        #expect(throws: Never.self) {
            try BoundingBox(west: -36_000, south: -90, east: 36_000, north: 90)
        }
    }
}
