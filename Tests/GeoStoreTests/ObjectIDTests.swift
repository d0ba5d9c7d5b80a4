import GeoStore
import TestSupport
import Testing

@Suite("Object ids")
struct ObjectIDTests {
    @Test("made ids have ten letters and digits and do not repeat")
    func random() {
        var seen: Set<String> = []
        for _ in 0..<10_000 {
            let id = ObjectID.random()
            #expect(id.utf8.count == 10)
            #expect(ObjectID.isValid(id) && !id.contains("_") && !id.contains("-"))
            #expect(seen.insert(id).inserted)
        }
    }

    @Test("ids of a batch ascend by their bytes", arguments: 0..<8 as Range<UInt64>)
    func ascending(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ids = AscendingObjectIDs(using: &random)
        var last = ids.next(using: &random)
        for _ in 0..<10_000 {
            let next = ids.next(using: &random)
            #expect(next.utf8.count == 10)
            #expect(last.utf8.lexicographicallyPrecedes(next.utf8))
            last = next
        }
    }

    @Test(
        "ids from outside are judged by their characters",
        arguments: [
            ("a", true), ("A-z_09", true), (String(repeating: "x", count: 64), true), ("", false),
            (String(repeating: "x", count: 65), false), ("a b", false), ("a.b", false),
            ("é", false), ("\u{212A}", false), ("a/b", false), ("a\0", false),
        ])
    func validity(id: String, isValid: Bool) {
        #expect(ObjectID.isValid(id) == isValid)
    }
}
