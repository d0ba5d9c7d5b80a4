import GeoIndex
import TestSupport
import Testing

@testable import GeoStore

@Suite struct WhereRingTests {
    private func place(_ lon: Int, _ lat: Int) -> RoundedPosition {
        RoundedPosition(lonE7: Int32(lon), latE7: Int32(lat))
    }

    /// Even-odd by exact fractions: counts the edges that a ray to the east crosses.
    private func twin(_ ring: [(Int, Int)], _ x: Int, _ y: Int) -> Bool {
        var crossings = 0
        for index in ring.indices {
            let (x1, y1) = ring[index]
            let (x2, y2) = ring[(index + 1) % ring.count]
            let isInBox =
                min(x1, x2) <= x && x <= max(x1, x2) && min(y1, y2) <= y && y <= max(y1, y2)
            if isInBox && (x2 - x1) * (y - y1) == (y2 - y1) * (x - x1) { return true }
            guard min(y1, y2) <= y, y < max(y1, y2) else { continue }
            // The edge's x at row y is x1 + (y - y1)(x2 - x1)/(y2 - y1); is it east of x?
            let numerator = (y - y1) * (x2 - x1) * (y2 > y1 ? 1 : -1)
            if numerator > (x - x1) * abs(y2 - y1) { crossings += 1 }
        }
        return crossings % 2 == 1
    }

    @Test("a place is in a ring when the twin says so", arguments: 0..<64 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let corners = (0..<Int.random(in: 3...9, using: &random)).map { _ in
            (Int.random(in: -6...6, using: &random), Int.random(in: -6...6, using: &random))
        }
        // Moved to the antimeridian too: the same picture, half of it past 180°.
        for shift in [0, 1_800_000_000, -1_800_000_000] {
            func moved(_ x: Int, _ y: Int) -> RoundedPosition {
                var lon = x + shift
                if lon > 1_800_000_000 { lon -= 3_600_000_000 }
                if lon < -1_800_000_000 { lon += 3_600_000_000 }
                return place(lon, y)
            }
            let ring = WhereRing(corners.map { moved($0.0, $0.1) })
            for x in -7...7 {
                for y in -7...7 {
                    #expect(
                        ring.contains(moved(x, y)) == twin(corners, x, y),
                        "\(corners) shifted by \(shift): \(x), \(y)")
                }
            }
        }
    }

    @Test("180° east and 180° west are one meridian")
    func meridian() {
        let ring = WhereRing([
            place(1_790_000_000, 0), place(-1_790_000_000, 0), place(-1_790_000_000, 100),
            place(1_790_000_000, 100),
        ])
        #expect(ring.contains(place(1_800_000_000, 50)))
        #expect(ring.contains(place(-1_800_000_000, 50)))
        #expect(!ring.contains(place(0, 50)))
        let box = WhereBox(
            southWest: place(1_700_000_000, 0), northEast: place(1_800_000_000, 100))
        #expect(box.contains(place(-1_800_000_000, 0)))
        #expect(!box.contains(place(-1_799_999_999, 0)))
    }
}
