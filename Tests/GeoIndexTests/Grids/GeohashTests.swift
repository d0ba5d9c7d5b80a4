import GeoIndex
import TestSupport
import Testing

struct GeohashTests {
    private static func spot(_ lon: Double, _ lat: Double) -> RoundedPosition {
        RoundedPosition(lonE7: Int32((lon * 1e7).rounded()), latE7: Int32((lat * 1e7).rounded()))
    }

    @Test(
        "known hashes",
        arguments: [
            // The first two are those of the inventor's page and of the textbooks.
            (-5.6, 42.6, "ezs42"), (10.40744, 57.64911, "u4pruydqqvj8"),
            (13.405, 52.52, "u33dc"), (0, 0, "s00000000000"), (-180, -90, "000000000000"),
            (180, 90, "bpbpbpbpbpbp"), (179.9999999, 90, "zzzzzzzzzzzz"),
            (-0.0000001, 0, "ebpbpbpbpbpb"),
        ])
    func known(lon: Double, lat: Double, text: String) throws {
        let hash = Geohash(Self.spot(lon, lat), precision: text.count)
        #expect(hash.text == text)
        #expect(try Geohash(text) == hash)
        #expect(try Geohash(text.uppercased()) == hash)
    }

    @Test("a hash is the path of halvings, and its cell holds the place", arguments: 0..<12)
    func halvings(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        for position in Shape.world.positions(count: 100, seed: seed) {
            let precision = Int.random(in: 1...12, using: &random)
            let hash = Geohash(position, precision: precision)
            var (west, east, south, north) = (-180.0, 180.0, -90.0, 90.0)
            var bits: UInt64 = 0
            for step in 0..<(5 * precision) {
                if step % 2 == 0 {
                    let middle = (west + east) / 2
                    let isEast = position.lon >= middle
                    if isEast { west = middle } else { east = middle }
                    bits = bits << 1 | (isEast ? 1 : 0)
                } else {
                    let middle = (south + north) / 2
                    let isNorth = position.lat >= middle
                    if isNorth { south = middle } else { north = middle }
                    bits = bits << 1 | (isNorth ? 1 : 0)
                }
            }
            #expect(hash.bits == bits)
            #expect(hash.text.count == precision)
            let bounds = hash.bounds
            #expect(
                (bounds.west, bounds.south, bounds.east, bounds.north) == (west, south, east, north)
            )
            #expect(try Geohash(hash.text) == hash)
            #expect(Geohash(hash.centre, precision: precision) == hash)
            let coarser = Geohash(position, precision: max(1, precision - 1))
            #expect(hash.text.hasPrefix(coarser.text))
        }
    }

    @Test("neighbours share an edge or a corner, and go round the globe", arguments: 1...12)
    func neighbours(precision: Int) {
        for position in Shape.world.positions(count: 40, seed: precision)
            + [Self.spot(180, 3), Self.spot(-180, 90), Self.spot(179.9999, -90)]
        {
            let hash = Geohash(position, precision: precision)
            let bounds = hash.bounds
            let width = bounds.east - bounds.west
            let height = bounds.north - bounds.south
            let offsets: [(Geohash.Direction, Double, Double)] = [
                (.n, 0, 1), (.ne, 1, 1), (.e, 1, 0), (.se, 1, -1), (.s, 0, -1), (.sw, -1, -1),
                (.w, -1, 0), (.nw, -1, 1),
            ]
            for (direction, east, north) in offsets {
                let lat = (bounds.south + bounds.north) / 2 + north * height
                guard abs(lat) <= 90 else {
                    #expect(hash.neighbour(direction) == nil)
                    continue
                }
                let lon = LonLat.wrapped(
                    degreesEast: (bounds.west + bounds.east) / 2 + east * width)
                #expect(
                    hash.neighbour(direction) == Geohash(Self.spot(lon, lat), precision: precision))
            }
        }
    }

    @Test("what is no hash is refused", arguments: ["", "a", "u33i", "u33dcu33dcu33", "ü", "u 3"])
    func refused(text: String) {
        #expect(throws: GeohashError.self) { try Geohash(text) }
    }

    @Test("a cell as an area holds what its box holds, edges in", arguments: 1...12)
    func area(precision: Int) throws {
        // Edges of cells lie on the grid of 1e-7° here, so that some places are on them.
        let grid = (0..<40).flatMap { x in
            (0..<40).map { y in
                Self.spot(11.25 + Double(x - 20) * 0.703125, Double(y - 20) * 0.3515625)
            }
        }
        let positions = grid + Shape.city.positions(count: 500, seed: 1)
        let snapshot = try index(of: positions)
        for place in [Self.spot(11.3, 0.1), Self.spot(13.4, 52.5), Self.spot(11.25, 0)] {
            let hash = Geohash(place, precision: precision)
            let bounds = hash.bounds
            let expected = positions.count {
                $0.lon >= bounds.west && $0.lon <= bounds.east && $0.lat >= bounds.south
                    && $0.lat <= bounds.north
            }
            #expect(snapshot.count(in: .geohash(hash)) == expected)
        }
    }
}
