import TestSupport
import Testing

@testable import GeoIndex

struct MercatorRowsTests {
    @Test("the cubics give the formula's rows", arguments: 0..<8)
    func sameRows(seed: Int) {
        var random = SeededRandom(seed: seed)
        let start = Int64.random(in: -900_000_000...899_980_000, using: &random)
        let isSame = { (latE7: Int64) in
            let lat = Double(latE7) / 1e7
            return MercatorRows.shared.row(ofLat: lat) == WorldPoint.row(ofLat: lat)
        }
        #expect((start..<(start + 20_000)).allSatisfy(isSame))
        #expect(
            (0..<200_000).allSatisfy { _ in
                isSame(.random(in: -900_000_000...900_000_000, using: &random))
            })
        for edge: Int64 in [-900_000_000, -750_000_000, 0, 750_000_000, 900_000_000] {
            let near = max(edge - 2_000, -900_000_000)...min(edge + 2_000, 900_000_000)
            #expect(near.allSatisfy(isSame), "\(edge)")
        }
    }

    @Test("where a row begins, the formula decides")
    func edges() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let row = UInt32.random(in: .min ... .max, using: &random)
            let lat = WorldPoint.lat(ofRow: Double(row))
            for near in [lat, lat.nextUp, lat.nextDown] {
                #expect(MercatorRows.shared.row(ofLat: near) == WorldPoint.row(ofLat: near))
            }
        }
    }
}
