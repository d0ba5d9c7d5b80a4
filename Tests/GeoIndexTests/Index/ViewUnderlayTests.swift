import TestSupport
import Testing

@testable import GeoIndex

/// Where a view and the layer below it differ, against a look at every place.
struct ViewUnderlayTests {
    @Test("a window holds a place of the list or none, as a look at each says", arguments: 0..<24)
    func differs(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let shapes: [Shape] = [.city, .antimeridian, .duplicates, .poles, .world, .streetGrid]
        let count = [0, 1, 2, 40, 700, 3_000][seed / 4]
        let positions = shapes[seed % shapes.count].positions(count: max(1, count), seed: seed)
        let points = positions.prefix(count).map { WorldPoint($0) }
        let underlay = ViewUnderlay(
            base: BulkBuilder().build(), keys: points.map { MortonKey($0).bits }.sorted())
        var held = 0
        var bare = 0
        for round in 0..<400 {
            let centre = WorldPoint(positions.randomElement(using: &random) ?? positions[0])
            var window = WorldWindow.random(
                around: centre, zoom: round % 23, using: &random)
            // Beside the place, over the edges of large quadrants, of the world, and round it.
            switch round % 5 {
            case 1:
                window = WorldWindow(
                    west: centre.x &+ .random(in: 0...3, using: &random),
                    width: .random(in: 0...4, using: &random), north: centre.y, height: 2)
            case 2:
                window = WorldWindow(
                    west: window.west &+ (1 << 31) &- centre.x, width: window.width,
                    north: window.north, height: window.height)
            case 3:
                window = WorldWindow(
                    west: UInt32.max - .random(in: 0...1_000, using: &random),
                    width: window.width, north: window.north, height: window.height)
            case 4 where round % 2 == 0: window = window.expanded(by: 1 << 30)
            default: break
            }
            let expected = points.contains { window.contains($0) }
            #expect(underlay.differs(in: window) == expected, "\(window)")
            if expected { held += 1 } else { bare += 1 }
        }
        #expect(count == 0 ? held == 0 : held > 5)
        #expect(bare > 5)
        #expect(underlay.differs(in: .world) == (count > 0))
    }

    @Test("lists are merged as sorting all anew does", arguments: 0..<20)
    func merging(seed: Int) {
        var random = SeededRandom(seed: seed)
        // Of few numbers, so that most come more than once.
        func list(_ most: Int) -> [UInt64] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in
                UInt64.random(in: 0...20, using: &random)
            }.sorted()
        }
        for _ in 0..<50 {
            let all = list(40)
            let new = list(9)
            let gone = Array(
                all.shuffled(using: &random).prefix(.random(in: 0...9, using: &random))
            ).sorted()
            var expected = all
            for number in gone {
                if let place = expected.firstIndex(of: number) { expected.remove(at: place) }
            }
            #expect(all.merged(without: gone, with: new) == (expected + new).sorted())
        }
    }
}
