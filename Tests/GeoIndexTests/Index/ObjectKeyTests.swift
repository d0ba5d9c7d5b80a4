import TestSupport
import Testing

@testable import GeoIndex

struct ObjectKeyTests {
    static let symbols = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")

    static func id(_ length: Int, using random: inout SeededRandom) -> String {
        String((0..<length).compactMap { _ in symbols.randomElement(using: &random) })
    }

    @Test("ids of every length read back", arguments: 1...64)
    func roundTrip(length: Int) throws {
        var random = SeededRandom(seed: length)
        let table = IDTable()
        for _ in 0..<30 {
            let id = Self.id(length, using: &random)
            #expect(table.id(of: try table.key(for: id)) == id)
        }
    }

    @Test("keys order as the ids' bytes do, short and long mixed", arguments: 0..<10)
    func order(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let table = IDTable()
        var ids = (0..<60).map { _ in Self.id(.random(in: 1...13, using: &random), using: &random) }
        ids += ["a", "a-", "a--", "aa", "aaaaaaaaaa", "aaaaaaaaaa-", "aaaaaaaaa"]
        ids = Array(Set(ids))
        let keys = try ids.map { try table.key(for: $0) }
        for first in ids.indices {
            for second in ids.indices {
                #expect(
                    table.precedes(keys[first], keys[second])
                        == (Array(ids[first].utf8).lexicographicallyPrecedes(ids[second].utf8)),
                    "\(ids[first]) \(ids[second])")
            }
        }
        #expect(Set(keys).count == ids.count)
    }

    @Test(
        "an id outside the alphabet or its lengths is malformed",
        arguments: [
            "", " ", "a b", "é", "a.b", "a/b", "\0", "a\n", "+", "=", "a@", "[", "`", "{", ":",
            String(repeating: "a", count: 65), String(repeating: "é", count: 32),
        ])
    func malformed(id: String) {
        #expect(throws: IDTable.Failure.malformed(id: id)) { try IDTable().key(for: id) }
    }
}
