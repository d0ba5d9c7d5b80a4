import GeoIndex
import TestSupport
import Testing

struct PolylineTests {
    private func path(_ places: [(lon: Double, lat: Double)]) -> RoutePath {
        RoutePath(
            places.map {
                RoutePath.Vertex(
                    lonE7: Int64(($0.lon * 1e7).rounded()), latE7: Int32(($0.lat * 1e7).rounded()))
            })
    }

    @Test("the example of the format's description")
    func example() {
        let path = path([(-120.2, 38.5), (-120.95, 40.7), (-126.453, 43.252)])
        #expect(Polyline.encode(path, precision: .five) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@")
        // What its steps give: -179.9832104 rounds to -179.98321.
        let single = self.path([(-179.983_210_4, 0)])
        #expect(Polyline.encode(single, precision: .five) == "?`~oia@")
    }

    @Test("what was encoded is read back, rounded", arguments: 0..<16)
    func roundTrip(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let path = RoutePath(
            (0..<Int.random(in: 0...60, using: &random)).map { _ in
                RoutePath.Vertex(
                    lonE7: .random(in: -5_400_000_000...5_400_000_000, using: &random),
                    latE7: .random(in: -900_000_000...900_000_000, using: &random))
            })
        for precision in [Polyline.Precision.five, .six] {
            let unit: Int64 = precision == .five ? 100 : 10
            let text = Polyline.encode(path, precision: precision)
            // Without jumps of more than a turn and a half both ways.
            let read = try? Polyline.decode(text.utf8, precision: precision, limit: 60)
            guard let read else { continue }
            #expect(read.vertices.count == path.vertices.count)
            for (one, two) in zip(read.vertices, path.vertices) {
                #expect(abs(one.lonE7 - two.lonE7) <= unit / 2)
                #expect(abs(Int64(one.latE7) - Int64(two.latE7)) <= unit / 2)
                #expect(one.lonE7 % unit == 0)
            }
        }
    }

    @Test(
        "what is no polyline is refused",
        arguments: [
            ("_p~iF", Polyline.DecodingError.incomplete), ("_p~i", .incomplete),
            ("_p~iF~ps|U_ulL", .incomplete), ("_p iF~ps|U", .character(offset: 2)),
            ("~~~~~~~~~F??", .tooLarge(offset: 0)), ("??????", .tooMany(limit: 2)),
            ("é?", .character(offset: 0)),
        ])
    func refused(text: String, error: Polyline.DecodingError) {
        #expect(throws: error) { try Polyline.decode(text.utf8, precision: .five, limit: 2) }
    }

    @Test("no bytes trap", arguments: 0..<16)
    func anything(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 60...127, using: &random)
            }
            _ = try? Polyline.decode(bytes, precision: .six, limit: 20)
        }
    }
}
