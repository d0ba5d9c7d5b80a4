import TestSupport
import Testing

@testable import GeoIndex

struct QuadCoverTests {
    private func random(_ level: UInt8, using random: inout SeededRandom) -> QuadCover.Rectangle {
        let last = (UInt32(1) << UInt32(level)) - 1
        func span() -> ClosedRange<UInt32> {
            let first = UInt32.random(in: 0...last, using: &random)
            return first...min(last, first + .random(in: 0...40, using: &random))
        }
        return QuadCover.Rectangle(level: level, x: span(), y: span())
    }

    private func cells(of rectangle: QuadCover.Rectangle) -> Set<UInt64> {
        Set(
            rectangle.x.flatMap { x in
                rectangle.y.map { y in QuadCell(level: rectangle.level, x: x, y: y).key }
            })
    }

    private func expectAscending(_ ranges: [ClosedRange<UInt64>]) {
        for (first, second) in zip(ranges, ranges.dropFirst()) {
            // Neighbours are joined, so that there is a gap.
            #expect(first.upperBound + 1 < second.lowerBound)
        }
    }

    @Test(
        "without slack the cells are the rectangle's, in joined ascending ranges", arguments: 0..<24
    )
    func exact(seed: Int) {
        var generator = SeededRandom(seed: seed)
        let rectangle = random(UInt8(seed % 12), using: &generator)
        let ranges = QuadCover.cellRanges(of: rectangle)
        #expect(Set(ranges.flatMap { Array($0) }) == cells(of: rectangle))
        #expect(ranges.reduce(0) { $0 + $1.count } == cells(of: rectangle).count)
        expectAscending(ranges)
    }

    @Test("with slack they hold the rectangle and are near it", arguments: 0..<24, 1...4)
    func slack(seed: Int, slack: UInt8) {
        var generator = SeededRandom(seed: seed)
        let rectangle = random(9, using: &generator)
        let ranges = QuadCover.cellRanges(of: rectangle, slack: slack)
        let covered = Set(ranges.flatMap { Array($0) })
        #expect(covered.isSuperset(of: cells(of: rectangle)))
        #expect(ranges.reduce(0) { $0 + $1.count } == covered.count)
        expectAscending(ranges)
        let margin = Int(1) << Int(slack)
        for key in covered {
            let cell = QuadCell(level: 9, key: key)
            #expect(Int(cell.x) > Int(rectangle.x.lowerBound) - margin)
            #expect(Int(cell.x) < Int(rectangle.x.upperBound) + margin)
            #expect(Int(cell.y) > Int(rectangle.y.lowerBound) - margin)
            #expect(Int(cell.y) < Int(rectangle.y.upperBound) + margin)
        }
    }

    @Test("the whole world is one range at every level", arguments: 0...32 as ClosedRange<UInt8>)
    func world(level: UInt8) {
        let ranges = QuadCover.keyRanges(of: .world, level: level)
        #expect(ranges == [0...UInt64.max])
        // Columns from the middle on, all the way round.
        let turned = WorldWindow(
            west: 1 << 31, width: WorldWindow.worldSize, north: 0,
            height: WorldWindow.worldSize)
        #expect(QuadCover.keyRanges(of: turned, level: level) == [0...UInt64.max])
    }

    @Test("windows over ±180° hold both sides, each cell once", arguments: 0..<40)
    func windows(seed: Int) {
        var generator = SeededRandom(seed: seed)
        let level: UInt8 = 6
        let side = UInt64(1) << 26
        let window = WorldWindow(
            west: UInt32(truncatingIfNeeded: generator.next()),
            width: .random(in: 1...(64 * side), using: &generator),
            north: UInt32(truncatingIfNeeded: generator.next() >> 34),
            height: .random(in: 1...(20 * side), using: &generator))
        var expected = Set<UInt64>()
        for x in 0..<64 as Range<UInt32> {
            for y in 0..<64 as Range<UInt32> {
                // A cell is touched when a row and a column of it are in the window.
                let first = UInt64(x) * side
                let isColumn =
                    window.contains(WorldPoint(x: UInt32(first), y: window.north))
                    || (UInt64(window.west) >= first && UInt64(window.west) < first + side)
                let rows = UInt64(window.north)..<(UInt64(window.north) + window.height)
                if isColumn && rows.overlaps((UInt64(y) * side)..<(UInt64(y + 1) * side)) {
                    expected.insert(QuadCell(level: level, x: x, y: y).key)
                }
            }
        }
        let rectangles = QuadCover.rectangles(of: window, level: level)
        let found = rectangles.flatMap { QuadCover.cellRanges(of: $0) }.flatMap { Array($0) }
        #expect(Set(found) == expected)
        #expect(found.count == expected.count)
        let coarse = QuadCover.coarseRanges(of: rectangles)
        #expect(Set(coarse.flatMap { Array($0) }).isSuperset(of: expected))
        for (first, second) in zip(coarse, coarse.dropFirst()) {
            #expect(first.upperBound < second.lowerBound)
        }
    }

    @Test("an empty window has no cells")
    func empty() {
        let window = WorldWindow(west: 5, width: 0, north: 5, height: 5)
        #expect(QuadCover.rectangles(of: window, level: 9).isEmpty)
        #expect(QuadCover.keyRanges(of: window, level: 9).isEmpty)
    }

    @Test(
        "chunks hold every entry of a window once, and few around it", arguments: Shape.allCases,
        0..<3)
    func chunks(shape: Shape, seed: Int) throws {
        let positions = shape.positions(count: 1200, seed: seed)
        let snapshot = try index(of: positions)
        var generator = SeededRandom(seed: seed)
        for zoom in stride(from: 0, through: 22, by: 2) {
            let centre = WorldPoint(
                positions.randomElement(using: &generator) ?? RoundedPosition(lonE7: 0, latE7: 0))
            var windows = [WorldWindow.random(around: centre, zoom: zoom, using: &generator)]
            let strip = UInt64.random(in: 1...200, using: &generator) << UInt64(24 - zoom)
            windows.append(
                WorldWindow(
                    west: centre.x &+ UInt32(truncatingIfNeeded: strip),
                    width: WorldWindow.worldSize - min(1 << 32, strip), north: centre.y,
                    height: 300 << UInt64(24 - zoom)))
            for window in windows where !window.isEmpty {
                let pixel = UInt64(1) << UInt64(24 - zoom)
                let around = window.expanded(by: max(window.width, window.height) / 8 + 8 * pixel)
                var counts: [UInt64: Int] = [:]
                var previous: UInt64 = 0
                snapshot.forEachChunk(in: window, level: UInt8(zoom + 8)) {
                    xs, ys, kinds, weights in
                    #expect(xs.count == ys.count)
                    #expect(xs.count == kinds.count && xs.count == weights.count)
                    for index in xs.indices {
                        let key = MortonKey(WorldPoint(x: xs[index], y: ys[index])).bits
                        counts[key, default: 0] += 1
                        #expect(key >= previous)
                        previous = key
                        #expect(weights[index] == 256)
                    }
                }
                var expected: [UInt64: Int] = [:]
                for position in positions {
                    expected[MortonKey(WorldPoint(position)).bits, default: 0] += 1
                }
                for (key, count) in expected {
                    let point = MortonKey(bits: key).point
                    if window.contains(point) { #expect(counts[key] == count) }
                    if let found = counts[key] {
                        #expect(found == count && around.contains(point), "zoom \(zoom) \(window)")
                    }
                }
            }
        }
    }
}
