import GeoIndex
import TestSupport
import Testing

@testable import GeoService

@Suite("Fixed-point numbers as text")
struct FixedDecimalTests {
    @Test(
        "are the shortest decimals",
        arguments: [
            (0, "0"), (1, "0.000001"), (-1, "-0.000001"), (500_000, "0.5"), (4_000_000, "4"),
            (-12_340_000, "-12.34"), (100_000, "0.1"), (300_000, "0.3"),
            (9_000_000_000_000_999_999, "9000000000000.999999"),
        ] as [(Int128, String)])
    func text(units: Int128, expected: String) {
        #expect(FixedDecimal.text(units: units) == expected)
    }

    @Test("read back are the same numbers", arguments: 0..<16 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let bits = Int.random(in: 1...52, using: &random)
            let units = Int64.random(in: -(1 << bits)...(1 << bits), using: &random)
            let text = FixedDecimal.text(units: Int128(units))
            let value = try #require(Double(text))
            #expect(FixedPoint.units(of: value) == units, "\(text)")
        }
    }

    @Test(
        "means are rounded to the nearest unit, halves away from zero",
        arguments: [
            (10, 4, 3), (-10, 4, -3), (9, 4, 2), (-9, 4, -2), (0, 7, 0), (7, 1, 7), (1, 3, 0),
            (2, 3, 1), (Int128(Int64.max) * 1_000_000, 1_000_000, Int128(Int64.max)),
        ] as [(Int128, Int, Int128)])
    func mean(sum: Int128, count: Int, expected: Int128) {
        #expect(FixedDecimal.mean(sum: sum, count: count) == expected)
    }
}
