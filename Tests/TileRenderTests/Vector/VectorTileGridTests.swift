import GeoIndex
import TestSupport
import TileRender
import Testing

/// Where points lie on vector tiles.
struct VectorTileGridTests {
    private static let extent = Int64(VectorTileGrid.extent)
    private static let buffer = Int64(VectorTileGrid.bufferUnits)

    /// All places of a point on a tile by the definition: its unit on the grid of the whole zoom,
    /// in this world and its two neighbours.
    private func twin(_ point: WorldPoint, _ tile: TileID) -> Set<[Int64]> {
        // Units of a zoom are 2^(12 + zoom) a side.
        func unit(_ value: UInt32) -> Int64 {
            Int64((UInt128(value) << (12 + UInt128(tile.zoom))) >> 32)
        }
        let world = Self.extent << Int64(tile.zoom)
        let y = unit(point.y) - Int64(tile.y) * Self.extent
        let places = -Self.buffer..<(Self.extent + Self.buffer)
        var found: Set<[Int64]> = []
        for turn in [-world, 0, world] {
            let x = unit(point.x) + turn - Int64(tile.x) * Self.extent
            if places.contains(x) && places.contains(y) { found.insert([x, y]) }
        }
        return found
    }

    private func places(_ point: WorldPoint, _ tile: TileID) -> [[Int64]] {
        var found: [[Int64]] = []
        VectorTileGrid(tile: tile).forEachPlace(of: point) { found.append([Int64($0), Int64($1)]) }
        return found
    }

    @Test(
        "one tile owns a point, its neighbours have copies beyond their edges",
        arguments: UInt8(0)...22)
    func ownership(zoom: UInt8) throws {
        var random = SeededGenerator(seed: UInt64(zoom))
        let side = Int64(1) << Int64(zoom)
        for number in 0..<200 {
            // Points anywhere, and some within a buffer of an edge of the world or of a tile.
            var x = UInt32.random(in: .min ... .max, using: &random)
            var y = UInt32.random(in: .min ... .max, using: &random)
            let step = UInt32(truncatingIfNeeded: UInt64(1) << (32 - UInt64(zoom)))
            let near = UInt32.random(in: 0...max(1, (step &- 1) / 20), using: &random)
            if number % 4 == 1 { x = near &- step / 60 }
            if number % 4 == 2 { y = number % 8 == 2 ? near / 50 : .max - near / 50 }
            if number % 4 == 3 { x = step &* 3 &+ near &- step / 40 }
            let point = WorldPoint(x: x, y: y)
            let own = TileID(QuadCell(level: zoom, containing: point))
            var owners = 0
            for dx in Int64(-1)...1 {
                for dy in Int64(-1)...1 {
                    let column = (Int64(own.x) + dx + side) % side
                    let row = Int64(own.y) + dy
                    guard (0..<side).contains(row), side > 2 || dx == 0 || side == 2 && dx == 1
                    else { continue }
                    let tile = try TileID(zoom: Int(zoom), x: Int(column), y: Int(row))
                    let found = places(point, tile)
                    #expect(Set(found) == twin(point, tile), "\(point) on \(tile)")
                    #expect(Set(found).count == found.count)
                    owners +=
                        found.filter { $0.allSatisfy { (0..<Self.extent).contains($0) } }.count
                    // Whoever has a place asks for it.
                    let window = VectorTileGrid(tile: tile).window
                    #expect(found.isEmpty || window.contains(point))
                }
            }
            #expect(owners == 1, "\(point)")
        }
    }

    @Test("the world's edges show again in the buffer of zoom 0")
    func wholeWorld() throws {
        let tile = try TileID(zoom: 0, x: 0, y: 0)
        let west = WorldPoint(x: 5 << 20, y: 1 << 31)
        #expect(Set(places(west, tile)) == [[5, 2048], [4101, 2048]])
        let east = WorldPoint(x: .max, y: 0)
        #expect(Set(places(east, tile)) == [[4095, 0], [-1, 0]])
        #expect(places(WorldPoint(x: 1 << 31, y: .max), tile) == [[2048, 4095]])
    }
}
