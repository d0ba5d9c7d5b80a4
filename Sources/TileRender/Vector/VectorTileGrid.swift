public import GeoIndex

/// The grid of whole numbers on which a vector tile places things: 4096 units a side, (0, 0) in the
/// north-west, and a buffer of units outside of the tile (Vector Tile Specification 2.1, §4.3).
///
/// A place's unit is rounded down once, on the global grid, so that each place lies in `0..<extent`
/// of exactly one tile of a zoom, which owns it. Neighbours have copies of what lies in their buffers
/// under other numbers: below 0, or from the extent on.
public struct VectorTileGrid: Hashable, Sendable {
    /// The units of a tile's side.
    public static let extent: Int32 = 4096

    /// The width of the buffer in units: 24 pixels of the 256 px tile grid, 48 where a map shows
    /// tiles 512 pixels wide. Marks up to this radius are not cut at a tile's edge.
    public static let bufferUnits: Int32 = 384

    /// The tile.
    public let tile: TileID

    /// The grid of a tile.
    public init(tile: TileID) { self.tile = tile }

    /// The places of the tile and of its buffer; at zoom 0 all of the world.
    public var window: WorldWindow { WorldWindow(tile).expanded(by: margin) }

    /// The buffer in units of ``WorldPoint``.
    private var margin: UInt64 {
        (UInt64(VectorTileGrid.bufferUnits) << (32 - UInt64(tile.zoom)))
            / UInt64(VectorTileGrid.extent)
    }

    /// Calls `body` with each place at which a point lies in the tile or its buffer: at zoom 0, where
    /// the buffer shows the world's edges again, more than one.
    public func forEachPlace(of point: WorldPoint, _ body: (_ x: Int32, _ y: Int32) -> Void) {
        let own = WorldWindow(tile)
        let buffer = Int64(VectorTileGrid.bufferUnits)
        let end = Int64(VectorTileGrid.extent) + buffer
        // Whole numbers of at most 34 bits: nothing overflows.
        let y = units(Int64(point.y) - Int64(own.north))
        guard -buffer <= y && y < end else { return }
        let ahead = Int64((point.x &- own.west &+ UInt32(truncatingIfNeeded: margin)))
        var x = units(ahead - Int64(margin))
        let world = Int64(VectorTileGrid.extent) << Int64(tile.zoom)
        while x < end {
            body(Int32(x), Int32(y))
            x += world
        }
    }

    /// Units of the tile that lie in so many units of ``WorldPoint``, rounded down.
    private func units(_ distance: Int64) -> Int64 {
        // Of zoom 21 on a unit of the world is more than one of the tile.
        tile.zoom <= 20
            ? distance >> Int64(20 - tile.zoom) : distance << Int64(tile.zoom - 20)
    }
}
