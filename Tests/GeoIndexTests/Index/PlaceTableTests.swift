import TestSupport
import Testing

@testable import GeoIndex

struct PlaceTableTests {
    @Test("the table is a dictionary", arguments: 0..<6)
    func likeADictionary(seed: Int) {
        var random = SeededRandom(seed: seed)
        var table = PlaceTable(expected: [0, 10, 100_000][seed % 3])
        var twin: [UInt64: UInt64] = [:]
        // Few objects, so that slots are freed and taken again beside others.
        let objects = (0..<3_000).map { _ in random.next() | 1 }
        for step in 0..<60_000 {
            let object = objects.randomElement(using: &random) ?? 1
            let isFilling = step / 10_000 % 2 == 0
            if Int.random(in: 0..<10, using: &random) < (isFilling ? 8 : 2) {
                let key = random.next()
                table[object] = key
                twin[object] = key
            } else {
                table[object] = nil
                twin[object] = nil
            }
            let other = objects.randomElement(using: &random) ?? 1
            #expect(table[other] == twin[other])
            if step % 10_000 == 0 { #expect(table.count == twin.count) }
        }
        for object in objects { #expect(table[object] == twin[object]) }
    }

    @Test("a snapshot's table knows every object and no other", arguments: [0, 1, 700, 20_000])
    func ofSnapshot(count: Int) throws {
        let positions = Shape.world.positions(count: count, seed: count)
        let snapshot = try index(of: positions)
        let table = PlaceTable(of: snapshot)
        #expect(table.count == count)
        for number in positions.indices {
            let object = try #require(ObjectKey(packing: "\(number)"))
            #expect(table[object.bits] == MortonKey(WorldPoint(positions[number])).bits)
        }
        #expect(table[ObjectKey(packing: "x")?.bits ?? 1] == nil)
    }
}
