import GeoIndex
import TestSupport
import Testing
import TileRender

struct MarkLayerTests {
    /// A window of 60 by 60 pixels with its middle pixel at (30, 30).
    private let window = PixelWindow(
        zoom: 5, scale: 1, originX: 3000, originY: 3000, width: 61, height: 61)

    private func place(_ column: Int, _ row: Int) -> WorldPoint {
        WorldPoint(
            x: UInt32(3000 + column) << window.pixelShift,
            y: UInt32(3000 + row) << window.pixelShift)
    }

    private func badge(_ count: Int, slot: UInt8 = 3) throws -> IndexedImage {
        try ClusterLayer().draw(
            [ClusterMark(place: place(30, 30), count: count, slot: slot)], in: window)
    }

    @Test("badges grow with the class of their count")
    func sizes() throws {
        let sizes = try [1, 5, 50, 500, 5000, 50_000].map { count in
            try badge(count).pixels.count { $0 != 0 }
        }
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 }, "\(sizes)")
    }

    @Test("count and kind change the picture")
    func options() throws {
        #expect(try badge(12).pixels != badge(13).pixels)
        #expect(try badge(12).pixels != badge(12, slot: 4).pixels)
        #expect(try badge(1999).pixels == badge(1900).pixels)
    }

    @Test(
        "the ink of a label is in the middle of its badge, to a pixel",
        arguments: [8, 11, 47, 80, 123, 777, 1000, 1234, 45_000, 999_000, 1_300_000])
    func centred(count: Int) throws {
        let image = try badge(count)
        // White within the fill: the ring is further than 11 pixels from the middle.
        var columns: [Int] = []
        var rows: [Int] = []
        for row in 22...38 {
            for column in 15...45 where image.pixels[row * 61 + column] == 3 {
                let (dx, dy) = (column - 30, row - 30)
                if dx * dx + dy * dy <= 100 || count >= 10_000 && dx * dx + dy * dy <= 330 {
                    columns.append(column)
                    rows.append(row)
                }
            }
        }
        let (west, east) = (try #require(columns.min()), try #require(columns.max()))
        let (north, south) = (try #require(rows.min()), try #require(rows.max()))
        #expect(abs(west + east - 60) <= 2, "\(west)...\(east)")
        #expect(abs(north + south - 60) <= 2, "\(north)...\(south)")
    }

    @Test("larger badges lie over smaller ones, whatever the list's order", arguments: 0..<16)
    func order(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let marks = (0..<30).map { _ in
            ClusterMark(
                place: place(
                    Int.random(in: -20..<80, using: &random),
                    Int.random(in: -20..<80, using: &random)),
                count: 1 << Int.random(in: 0...16, using: &random),
                slot: UInt8.random(in: 0..<12, using: &random))
        }
        let layer = try ClusterLayer()
        let image = layer.draw(marks, in: window)
        #expect(layer.draw(marks.reversed(), in: window).pixels == image.pixels)
        #expect(layer.draw(marks.shuffled(using: &random), in: window).pixels == image.pixels)
        let top = try #require(marks.max { $0.count < $1.count })
        let alone = layer.draw([top], in: window)
        let ambiguous = marks.count { $0.count == top.count } > 1
        for index in alone.pixels.indices where alone.pixels[index] > 2 && !ambiguous {
            #expect(image.pixels[index] == alone.pixels[index])
        }
    }

    @Test("dots are drawn row by row, each over the ones before", arguments: 0..<24)
    func dots(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        var grid = PointGrid(window: window)
        var backwards = grid
        var spots: [Int: UInt8] = [:]
        for _ in 0..<[1, 2, 10, 100][seed % 4] {
            let column = Int.random(in: 0..<61, using: &random)
            let row = Int.random(in: 0..<61, using: &random)
            let slot = UInt8.random(in: 0..<12, using: &random)
            grid.add(place(column, row), slot: slot)
            spots[row * 61 + column] = max(spots[row * 61 + column] ?? 0, slot)
        }
        for (spot, slot) in spots { backwards.add(place(spot % 61, spot / 61), slot: slot) }
        let layer = try PointLayer()
        let image = layer.draw(grid)
        #expect(layer.draw(backwards).pixels == image.pixels)
        // The dot alone, then painted in order by the obvious loop.
        var single = PointGrid(window: window)
        single.add(place(30, 30), slot: 0)
        let dot = layer.draw(single).pixels
        var painted = [UInt8](repeating: 0, count: 61 * 61)
        for (spot, slot) in spots.sorted(by: { $0.key < $1.key }) {
            for index in dot.indices where dot[index] >= 4 {
                let column = spot % 61 + index % 61 - 30
                let row = spot / 61 + index / 61 - 30
                guard (0..<61).contains(column), (0..<61).contains(row) else { continue }
                // The palest third of an edge is drawn on clear pixels only.
                if dot[index] > 4 || painted[row * 61 + column] == 0 {
                    painted[row * 61 + column] = dot[index] + 3 * slot
                }
            }
        }
        #expect(image.pixels.map { $0 < 4 ? 0 : $0 } == painted)
        #expect(image.pixels.contains(3))
    }

    @Test("a dot is larger at deeper zooms and at scale 2")
    func dotSizes() throws {
        let layer = try PointLayer()
        func size(zoom: UInt8, scale: Int) -> Int {
            let window = PixelWindow(
                zoom: zoom, scale: scale, originX: 0, originY: 0, width: 64, height: 64)
            var grid = PointGrid(window: window)
            grid.add(WorldPoint(x: 32 << window.pixelShift, y: 32 << window.pixelShift), slot: 0)
            return layer.draw(grid).pixels.count { $0 != 0 }
        }
        #expect(size(zoom: 5, scale: 1) < size(zoom: 9, scale: 1))
        #expect(size(zoom: 9, scale: 1) < size(zoom: 14, scale: 1))
        #expect(size(zoom: 14, scale: 1) < size(zoom: 14, scale: 2))
    }
}
