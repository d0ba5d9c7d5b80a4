import GeoIndex
import TestSupport
import Testing

/// In the folder of the density grids, whose pixels these are.
struct DensityPixelWindowTests {
    @Test("a tile's pixels are its points' and no others", arguments: 0..<64)
    func tile(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let zoom = seed % 23
        let edge = 1 << zoom
        let tile = try TileID(
            zoom: zoom, x: Int.random(in: 0..<edge, using: &random),
            y: Int.random(in: 0..<edge, using: &random))
        let window = PixelWindow(tile: tile, scale: 1 + seed % 2)
        #expect(window.worldSizePixels == 256 * window.scale * edge)
        #expect(window.worldSizePixels << Int(window.pixelShift) == 1 << 32)
        let corner = WorldPoint(
            x: tile.cell.x << (32 - UInt32(zoom)), y: tile.cell.y << (32 - UInt32(zoom)))
        #expect(Int(corner.x >> window.pixelShift) == window.originX)
        #expect(Int(corner.y >> window.pixelShift) == window.originY)
        let columns = window.worldColumns(marginPixels: 0)
        #expect(
            columns == [corner.x...(corner.x &- 1 &+ (zoom == 0 ? 0 : 1 << (32 - UInt32(zoom))))])
    }

    @Test("the ranges with a margin hold exactly the pixels within it", arguments: 0..<64)
    func ranges(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let zoom = UInt8(seed % 6)
        let window = PixelWindow(
            zoom: zoom, scale: 1 + seed % 2, originX: Int.random(in: -900...900, using: &random),
            originY: Int.random(in: -300...9000, using: &random),
            width: Int.random(in: 1...300, using: &random),
            height: Int.random(in: 1...300, using: &random))
        let margin = Int.random(in: 0...47, using: &random)
        let columns = window.worldColumns(marginPixels: margin)
        let rows = window.worldRows(marginPixels: margin)
        for _ in 0..<300 {
            let place = WorldPoint(
                x: UInt32.random(in: 0...UInt32.max, using: &random),
                y: UInt32.random(in: 0...UInt32.max, using: &random))
            let pixelX = Int(place.x >> window.pixelShift)
            let pixelY = Int(place.y >> window.pixelShift)
            let world = window.worldSizePixels
            let isNearX = (-3...3).contains { turn in
                let column = pixelX + turn * world - window.originX
                return (-margin..<window.width + margin).contains(column)
            }
            let isNearY = (-margin..<window.height + margin).contains(pixelY - window.originY)
            #expect(columns.contains { $0.contains(place.x) } == isNearX)
            #expect((rows?.contains(place.y) ?? false) == isNearY)
        }
    }
}
