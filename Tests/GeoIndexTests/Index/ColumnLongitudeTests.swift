import TestSupport
import Testing

@testable import GeoIndex

/// Longitudes are not stored: columns give them back, whatever the projection's doubles did.
struct ColumnLongitudeTests {
    static func isGivenBack(_ lonE7: Int64) -> Bool {
        guard (-1_800_000_000..<1_800_000_000).contains(lonE7) else { return true }
        let x = WorldPoint.column(ofLon: Double(lonE7) / 1e7)
        return Int64(ColumnLongitude.lonE7(ofColumn: x)) == lonE7
    }

    @Test("every longitude whose column the rounding of doubles could move comes back")
    func ambiguous() {
        // v = k · 2^22 / 3515625 is whole for every 3515625th k; near a whole number are those k
        // for which k · 2^22 mod 3515625 is small or nearly 3515625.
        let period: Int64 = 3_515_625
        let near = (0..<period).filter { unit in
            let rest = unit << 22 % period
            return rest < 40 || rest > period - 40
        }
        #expect(near.count == 79)
        var moved = 0
        for turn in 0..<Int64(1024) {
            for unit in near {
                let lonE7 = turn * period + unit - 1_800_000_000
                #expect(Self.isGivenBack(lonE7), "\(lonE7)")
                let exact = UInt32((turn * period + unit) << 22 / period)
                if WorldPoint.column(ofLon: Double(lonE7) / 1e7) != exact { moved += 1 }
            }
        }
        // The case that the code is careful about does occur.
        #expect(moved > 0)
    }

    @Test("runs of neighbours and random longitudes come back", arguments: 0..<8)
    func others(seed: Int) {
        var random = SeededRandom(seed: seed)
        let start = Int64.random(in: -1_800_000_000..<1_800_000_000, using: &random)
        #expect((start..<(start + 30_000)).allSatisfy(Self.isGivenBack))
        #expect(
            (0..<100_000).allSatisfy { _ in
                Self.isGivenBack(.random(in: -1_800_000_000..<1_800_000_000, using: &random))
            })
        #expect((-1_800_000_000..<(-1_799_990_000)).allSatisfy(Self.isGivenBack))
        #expect((1_799_990_000..<1_800_000_000).allSatisfy(Self.isGivenBack))
    }

    @Test("±180° share a column, and an index keeps them apart")
    func ends() throws {
        let positions = [-1_800_000_000, 1_800_000_000, 1_799_999_999, 0].map {
            RoundedPosition(lonE7: $0, latE7: 5)
        }
        #expect(WorldPoint(positions[0]) == WorldPoint(positions[1]))
        let snapshot = try index(of: positions)
        #expect(
            snapshot.objects(in: .box(.world), limit: 9).map(\.position.lonE7)
                == positions.map(\.lonE7))
        #expect(snapshot.brokenInvariant() == nil)
    }
}
