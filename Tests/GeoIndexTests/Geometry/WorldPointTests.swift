import GeoIndex
import Glibc
import TestSupport
import Testing

/// Points, Morton keys and cells of the Web Mercator square.
struct WorldPointTests {
    private func point(_ lonE7: Int32, _ latE7: Int32) -> WorldPoint {
        WorldPoint(RoundedPosition(lonE7: lonE7, latE7: latE7))
    }

    @Test("corners, middle and the one meridian at ±180°")
    func corners() {
        #expect(point(0, 0) == WorldPoint(x: 1 << 31, y: 1 << 31))
        #expect(point(-1_800_000_000, 0).x == 0)
        #expect(point(1_800_000_000, 0).x == 0)
        #expect(point(1_799_999_999, 0).x == UInt32.max - 1)
        #expect(point(0, 900_000_000).y == 0 && point(0, 851_000_000).y == 0)
        #expect(point(0, -900_000_000).y == .max && point(0, -851_000_000).y == .max)
        #expect(point(0, 850_511_287).y < 30 && point(0, -850_511_287).y > UInt32.max - 30)
    }

    @Test("projecting there and back is within two units", arguments: 0..<8)
    func roundTrip(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let lonE7 = Int32.random(in: -1_800_000_000..<1_800_000_000, using: &random)
            let latE7 = Int32.random(in: -850_000_000...850_000_000, using: &random)
            let point = point(lonE7, latE7)
            #expect(abs(point.lon - Double(lonE7) / 1e7) < 2e-7)
            #expect(abs(point.lat - Double(latE7) / 1e7) < 2e-7)
            // The textbook's form of the projection.
            let lat = Double(latE7) / 1e7 * .pi / 180
            let row = (1 - log(tan(lat) + 1 / cos(lat)) / .pi) / 2 * 0x1p32
            #expect(abs(row - Double(point.y)) < 2)
        }
    }

    @Test("rows grow southwards, columns eastwards", arguments: 0..<8)
    func monotony(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let lats = (0..<2).map { _ in
                Int32.random(in: -900_000_000...900_000_000, using: &random)
            }.sorted()
            let lons = (0..<2).map { _ in
                Int32.random(in: -1_800_000_000..<1_800_000_000, using: &random)
            }.sorted()
            #expect(point(0, lats[0]).y >= point(0, lats[1]).y)
            #expect(point(lons[0], 0).x <= point(lons[1], 0).x)
        }
    }

    @Test("Morton keys interleave, row first, and read back", arguments: 0..<8)
    func morton(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let point = WorldPoint(
                x: UInt32(truncatingIfNeeded: random.next()),
                y: UInt32(truncatingIfNeeded: random.next()))
            let key = MortonKey(point)
            #expect(key.bits == ClusterTwin.key(of: point))
            #expect(key.point == point)
        }
        #expect(MortonKey(WorldPoint(x: 1, y: 0)).bits == 1)
        #expect(MortonKey(WorldPoint(x: 0, y: 1)).bits == 2)
        #expect(MortonKey(WorldPoint(x: .max, y: .max)).bits == .max)
    }

    @Test("a cell's keys are those of its points, at every level", arguments: 0...32)
    func cells(level: UInt8) {
        var random = SeededRandom(seed: Int(level))
        for _ in 0..<20 {
            let point = WorldPoint(
                x: UInt32(truncatingIfNeeded: random.next()),
                y: UInt32(truncatingIfNeeded: random.next()))
            let cell = QuadCell(level: level, containing: point)
            #expect(cell.keys.contains(MortonKey(point).bits))
            #expect(cell == QuadCell(level: level, x: cell.x, y: cell.y))
            #expect(cell == QuadCell(level: level, key: cell.key))
            let side = UInt64(1) << UInt64(32 - level)
            let corner = WorldPoint(
                x: UInt32(UInt64(cell.x) * side), y: UInt32(UInt64(cell.y) * side))
            #expect(MortonKey(corner).bits == cell.keys.lowerBound)
            let last = WorldPoint(
                x: UInt32(UInt64(corner.x) + side - 1), y: UInt32(UInt64(corner.y) + side - 1))
            #expect(MortonKey(last).bits == cell.keys.upperBound)
        }
    }

    @Test("windows contain columns round the world and rows to the edge", arguments: 0..<20)
    func windows(seed: Int) {
        var random = SeededRandom(seed: seed)
        let window = WorldWindow(
            west: UInt32(truncatingIfNeeded: random.next()), width: random.next() >> 31,
            north: UInt32(truncatingIfNeeded: random.next()), height: random.next() >> 31)
        #expect(UInt64(window.north) + window.height <= WorldWindow.worldSize)
        let edges = [-1, 0, 1, Int(window.width) - 1, Int(window.width), Int(window.width) + 1]
        for dx in edges {
            for y in [
                Int(window.north) - 1, Int(window.north),
                Int(window.north) + Int(window.height) - 1, Int(window.north) + Int(window.height),
            ] where (0..<(1 << 32)).contains(y) {
                let turned = ((dx % (1 << 32)) + (1 << 32)) % (1 << 32)
                let expected =
                    turned < Int(window.width) && y >= Int(window.north)
                    && y < Int(window.north) + Int(window.height)
                let x = UInt32(truncatingIfNeeded: Int(window.west) + dx)
                #expect(window.contains(WorldPoint(x: x, y: UInt32(y))) == expected)
            }
        }
    }

    /// West, south, east and north of a box; column, width, row and height of its window, in
    /// quarters of the world where they are whole.
    static let boxes: [(degrees: [Double], quarters: [Double])] = [
        ([-180, -90, 180, 90], [0, 4, 0, 4]),
        ([-180, 0, 0, 85.06], [0, 2, 0, 2]),
        ([0, -85.06, 180, 0], [2, 2, 2, 2]),
        ([90, 0, 270, 90], [3, 2, 0, 2]),
        ([180, 0, 270, 90], [0, 1, 0, 2]),
        ([0, 0, 0, 0], [2, 0, 2, 0]),
        ([0, 0, 359.99999999, 90], [0, 4, 0, 2]),
        ([0, 86, 90, 90], [2, 1, 0, 0]),
        ([0, -90, 90, -86], [2, 1, 4 - 0x1p-30, 0x1p-30]),
    ]

    @Test("windows of boxes are half open, one meridian, poles' edges in", arguments: boxes)
    func windowsOfBoxes(degrees: [Double], quarters: [Double]) throws {
        let window = WorldWindow(
            try BoundingBox(
                west: degrees[0], south: degrees[1], east: degrees[2], north: degrees[3]))
        #expect(Double(window.west) * 0x1p-30 == quarters[0])
        #expect(Double(window.width) * 0x1p-30 == quarters[1])
        #expect(Double(window.north) * 0x1p-30 == quarters[2])
        #expect(Double(window.height) * 0x1p-30 == quarters[3])
    }

    @Test("a wider window holds the margin, cut at the poles' edges only", arguments: 0..<20)
    func expanded(seed: Int) {
        var random = SeededRandom(seed: seed)
        let window = WorldWindow(
            west: UInt32(truncatingIfNeeded: random.next()), width: random.next() >> 34,
            north: UInt32(truncatingIfNeeded: random.next()), height: random.next() >> 34)
        let margin = random.next() >> 35
        let wide = window.expanded(by: margin)
        #expect(wide.width == min(1 << 32, window.width + 2 * margin))
        #expect(wide.isWholeBelt || wide.west == window.west &- UInt32(margin))
        #expect(Int(wide.north) == max(0, Int(window.north) - Int(margin)))
        #expect(
            Int(wide.north) + Int(wide.height)
                == min(1 << 32, Int(window.north) + Int(window.height) + Int(margin)))
    }
}
