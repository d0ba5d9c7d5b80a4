import GeoIndex
import SyntheticCity
import Testing

/// The density that the contract fixes, at a tenth of a million records: the places of a smaller
/// world are the first places of the larger one, so its counts are a tenth.
@Suite("The density of a synthetic world of 30 cities")
struct CityDensityTests {
    static let count = 100_000
    static let scale = 1_000_000 / Double(count)

    /// The positions, sorted by latitude.
    static func positions(seed: UInt64) throws -> [RoundedPosition] {
        let columns = try CityGenerator(cityCount: 30, seed: seed).fill(count)
        return try (0..<count).map { index in
            RoundedPosition(try LonLat(lon: columns.lons[index], lat: columns.lats[index]))
        }
    }

    @Test("500 m round a random record lie 2 000 to 3 500 others", arguments: [1, 2, 20_260_101])
    func circles(seed: UInt64) throws {
        let positions = try Self.positions(seed: seed).sorted { $0.latE7 < $1.latE7 }
        let limit = SphericalGeodesy.haversine(of: .meters(500))
        let bandE7: Int32 = 45_000  // 500 m of latitude
        var others = 0
        let samples = stride(from: 0, to: Self.count, by: 499)
        for sample in samples {
            let center = positions[sample]
            for step in [-1, 1] {
                var index = sample + step
                while positions.indices.contains(index),
                    abs(positions[index].latE7 - center.latE7) < bandE7
                {
                    let other = positions[index]
                    if abs(Int64(other.lonE7) - Int64(center.lonE7)) < 200_000,
                        SphericalGeodesy.haversine(from: center, to: other) <= limit
                    {
                        others += 1
                    }
                    index += step
                }
            }
        }
        let mean = Double(others) / Double(samples.map { $0 }.count) * Self.scale
        #expect((2000...3500).contains(mean), "mean \(mean)")
    }

    @Test(
        "a point-weighted tile of z3 to z14 holds 25 000 to 45 000", arguments: [1, 2, 20_260_101])
    func tiles(seed: UInt64) throws {
        let keys = try Self.positions(seed: seed).map { MortonKey(WorldPoint($0)).bits }.sorted()
        var sum = 0.0
        for zoom in 3...14 {
            let shift = UInt64(64 - 2 * zoom)
            var runStart = 0
            for index in 1...keys.count
            where index == keys.count || keys[index] >> shift != keys[runStart] >> shift {
                let members = Double(index - runStart)
                sum += members * members / Double(keys.count)
                runStart = index
            }
        }
        let mean = sum / 12 * Self.scale
        #expect((25_000...45_000).contains(mean), "mean \(mean)")
    }
}
