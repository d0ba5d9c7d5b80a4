import TestSupport
import Testing

@testable import GeoIndex

struct UnchangedTests {
    @Test("a range that is called unchanged holds what it held", arguments: 0..<6)
    func neverWronglyYes(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var world = EditedWorld(
            shape: [.city, .world, .duplicates][seed % 3], seed: seed, hasExtras: true)
        let layer = LayerIndex(BulkBuilder(aggregatedFields: 2).build())
        var states = [layer.current]
        let keys = world.positions.map { MortonKey(WorldPoint($0)).bits }.sorted()
        var unchanged = 0
        for step in 0..<150 {
            let size = step % 5 == 0 ? Int.random(in: 1...400, using: &random) : 1
            try layer.apply(world.batch(of: size, using: &random))
            if step % 7 == 3 {
                world.now += 40
                _ = layer.current(at: world.now)
                world.forgetExpired()
            }
            states.append(layer.current)
            for _ in 0..<10 {
                let old = states[Int.random(in: 0..<states.count, using: &random)]
                let first = Int.random(in: 0..<keys.count, using: &random)
                let last = min(keys.count - 1, first + Int.random(in: 0...200, using: &random))
                let range = keys[first]...keys[last]
                guard layer.current.isUnchanged(keys: range, since: old.generation) else {
                    continue
                }
                unchanged += 1
                #expect(layer.current.sum(over: [range]) == old.sum(over: [range]))
            }
        }
        #expect(unchanged > 0)
    }

    @Test("an edit leaves ranges far from it unchanged, and none of an older state is")
    func mostlyYes() throws {
        let positions = Shape.world.positions(count: 40_000, seed: 5)
        let layer = LayerIndex(try index(of: positions))
        let before = layer.current
        try layer.apply([ObjectEdit(id: "77", placement: nil)])
        let key = MortonKey(WorldPoint(positions[77])).bits
        let now = layer.current
        #expect(!now.isUnchanged(keys: key...key, since: before.generation))
        #expect(now.isUnchanged(keys: 0...UInt64.max, since: now.generation))
        #expect(!before.isUnchanged(keys: key...key, since: now.generation))
        let sorted = positions.map { MortonKey(WorldPoint($0)).bits }.sorted()
        let place = try #require(sorted.firstIndex(of: key))
        for part in 0..<100 {
            let (first, last) = (part * 400, part * 400 + 399)
            if abs(first - place) < 1_200 { continue }
            #expect(
                now.isUnchanged(keys: sorted[first]...sorted[last], since: before.generation))
        }
    }

    @Test("a range of which all is gone has changed, also beside pages that have not")
    func gone() throws {
        let positions = Shape.world.positions(count: 40_000, seed: 6)
        let layer = LayerIndex(try index(of: positions))
        let order = positions.indices.sorted {
            MortonKey(WorldPoint(positions[$0])) < MortonKey(WorldPoint(positions[$1]))
        }
        let before = layer.current
        try layer.apply(
            order[10_000..<26_000].map { ObjectEdit(id: "\($0)", placement: nil) })
        for place in stride(from: 10_000, to: 26_000, by: 500) {
            let key = MortonKey(WorldPoint(positions[order[place]])).bits
            #expect(!layer.current.isUnchanged(keys: key...key, since: before.generation))
        }
        #expect(layer.current.brokenInvariant() == nil)
    }
}
