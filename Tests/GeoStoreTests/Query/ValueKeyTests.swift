import TestSupport
import Testing

@testable import GeoStore

@Suite("Keys of indexes")
struct ValueKeyTests {
    @Test("keys compare as the values do", arguments: 0..<20)
    func order(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let numbers: [Double] = [
            0, -0.0, 1, -1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude,
            Double.random(in: -10...10, using: &random), Double(bitPattern: random.next() >> 2),
        ]
        for a in numbers {
            for b in numbers {
                let (x, y) = (ValueKey.key(of: .number(a)), ValueKey.key(of: .number(b)))
                #expect(x.lexicographicallyPrecedes(y) == (a < b) && (x == y) == (a == b))
            }
        }
        let dates: [Int64] = [.min, -1, 0, 1, .max, .random(in: -9...9, using: &random)]
        for a in dates {
            for b in dates {
                let (x, y) = (ValueKey.key(of: .date(a)), ValueKey.key(of: .date(b)))
                #expect(x.lexicographicallyPrecedes(y) == (a < b))
            }
        }
    }

    @Test("a pattern has a prefix only when every match begins with it")
    func prefixes() throws {
        for (pattern, prefix) in [
            ("^\\QPa\\E", "Pa"), ("^Pa", "Pa"), ("^Pa$", "Pa"), ("^Pa.*", "Pa"), ("^Pab?", "Pa"),
            ("^Pab*", "Pa"), ("^\\Qa.b\\E", "a.b"), ("^a|b", nil), ("Pa", nil), ("^(a)", nil),
            ("^\\Qa|b\\E", "a|b"), ("^\\Qa\\E|b", nil), ("^ab{0}", "a"), ("^", nil),
        ] as [(String, String?)] {
            #expect(WherePattern.prefix(of: pattern) == prefix, "\(pattern)")
        }
        #expect(try WherePattern("^pa", options: "i", at: "").prefix == nil)
        #expect(try WherePattern("^pa", options: "m", at: "").prefix == nil)
        #expect(try WherePattern("^pa", options: "s", at: "").prefix == "pa")
    }
}
