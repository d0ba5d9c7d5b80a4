import TestSupport
import Testing

@testable import GeoIndex

/// What nodes know of where their children are: `brokenInvariant()` compares it with the children.
struct ChildPlaceTests {
    @Test("places and boxes are the children's after every batch", arguments: 0..<4)
    func edited(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let hasExtras = seed % 2 == 1
        var world = EditedWorld(
            shape: seed < 2 ? .city : .antimeridian, seed: seed, hasExtras: hasExtras)
        let layer = LayerIndex(
            BulkBuilder(aggregatedFields: hasExtras ? 2 : 0).build())
        for size in [3_000, 1, 1, 40, 700, 1, 3_000, 2, 2_000, 5] {
            try layer.apply(world.batch(of: size, using: &random))
            #expect(layer.current.brokenInvariant() == nil, "after \(size)")
        }
        // All but a few go: nodes and pages are joined.
        let rest = world.objects.keys.sorted().dropFirst(3)
        for start in stride(from: 0, to: rest.count, by: 700) {
            try layer.apply(
                rest.dropFirst(start).prefix(700).map { ObjectEdit(id: $0, placement: nil) })
            #expect(layer.current.brokenInvariant() == nil, "without \(start)")
        }
    }

    @Test("a box that is put in another's place is as one made anew", arguments: 0..<4)
    func boxes(seed: Int) {
        var random = SeededRandom(seed: seed)
        var summaries = (0..<(1 + seed * 21)).map { _ in Self.summary(using: &random) }
        var boxes = ChildBoxes(summaries)
        for _ in 0..<50 {
            let child = Int.random(in: summaries.indices, using: &random)
            summaries[child] = Self.summary(using: &random)
            boxes.replace(child, with: summaries[child])
            #expect(boxes == ChildBoxes(summaries))
        }
    }

    private static func summary(using random: inout SeededRandom) -> NodeSummary {
        var summary = NodeSummary()
        summary.west = .random(in: -1_800_000_000..<1_800_000_000, using: &random)
        summary.east = .random(in: summary.west..<1_800_000_000, using: &random)
        summary.south = .random(in: -900_000_000...900_000_000, using: &random)
        summary.north = .random(in: summary.south...900_000_000, using: &random)
        return summary
    }
}
