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
    }
}
