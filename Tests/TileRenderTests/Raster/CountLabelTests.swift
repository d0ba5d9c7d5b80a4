import Testing
import TileRender

struct CountLabelTests {
    static let cases: [(Int, String)] = [
        (0, "0"), (1, "1"), (999, "999"), (1000, "1k"), (1099, "1k"), (1100, "1.1k"),
        (1299, "1.2k"), (9999, "9.9k"), (10_000, "10k"), (12_999, "12k"), (999_999, "999k"),
        (1_000_000, "1M"), (1_250_000, "1.2M"), (99_999_999, "99M"), (1_000_000_000, "1B"),
        (7_990_000_000, "7.9B"),
    ]

    @Test("counts are rounded down to few digits", arguments: cases)
    func label(count: Int, text: String) {
        #expect(CountLabel.abbreviated(count) == text)
    }

    @Test("a label never promises more than there are", arguments: 0..<64)
    func neverMore(seed: Int) throws {
        let count = (Int.max >> seed) / 3
        let label = CountLabel.abbreviated(count)
        let units: [Character: Double] = ["k": 1e3, "M": 1e6, "B": 1e9]
        let unit = label.last.flatMap { units[$0] }
        let number = try #require(Double(unit == nil ? label : String(label.dropLast())))
        #expect(number * (unit ?? 1) <= Double(count) * (1 + 1e-12))
    }
}
