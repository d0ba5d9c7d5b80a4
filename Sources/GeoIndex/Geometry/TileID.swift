/// Why three numbers are not a tile.
public enum TileError: Error, Equatable, Sendable {
    /// The zoom is not in `0...TileID.maxZoom`.
    case zoom(Int)
    /// The column or row is not below 2^zoom.
    case outside(zoom: UInt8, x: Int, y: Int)
}

extension TileError: CustomStringConvertible {
    /// A sentence that says what would be right.
    public var description: String {
        switch self {
        case .zoom(let zoom):
            "zoom \(zoom) is not a whole number from 0 to \(TileID.maxZoom)"
        case .outside(let zoom, let x, let y):
            "there is no tile \(x)/\(y) at zoom \(zoom): both run from 0 to \((1 << Int(zoom)) - 1)"
        }
    }
}

/// A tile of the Web Mercator scheme: zoom, column, row; row 0 in the north.
public struct TileID: Hashable, Sendable {
    /// The deepest zoom that tiles are served for.
    public static let maxZoom: UInt8 = 22

    /// The level; 0 is one tile for the world.
    public let zoom: UInt8
    /// The column, from the west.
    public let x: UInt32
    /// The row, from the north.
    public let y: UInt32

    /// Creates a tile from numbers of any origin.
    ///
    /// - Throws: ``TileError`` when there is no such tile.
    public init(zoom: Int, x: Int, y: Int) throws(TileError) {
        guard (0...Int(TileID.maxZoom)).contains(zoom) else { throw .zoom(zoom) }
        let edge = 1 << zoom
        guard (0..<edge).contains(x), (0..<edge).contains(y) else {
            throw .outside(zoom: UInt8(zoom), x: x, y: y)
        }
        self.zoom = UInt8(zoom)
        self.x = UInt32(x)
        self.y = UInt32(y)
    }

    /// Creates the tile that contains a position.
    ///
    /// Latitudes beyond ±85.0511°, which Web Mercator cannot show, fall in the
    /// first or last row. A position on a shared edge belongs to the tile east
    /// or south of that edge; longitude 180 is longitude -180.
    ///
    ///     let berlin = try LonLat(lon: 13.405, lat: 52.52)
    ///     TileID(containing: berlin, zoom: 10)  // 10/550/335
    ///
    /// - Parameters:
    ///   - position: WGS 84 degrees, longitude first.
    ///   - zoom: The level, in `0...TileID.maxZoom`; level 0 is one tile.
    /// - Precondition: `zoom` is in that range.
    /// - Complexity: O(1).
    public init(containing position: LonLat, zoom: UInt8) {
        precondition(zoom <= TileID.maxZoom, "zoom \(zoom) is past \(TileID.maxZoom)")
        let point = WorldPoint(RoundedPosition(position))
        // A shift by 32, at zoom 0, gives 0 in Swift.
        self.zoom = zoom
        x = point.x >> (32 - UInt32(zoom))
        y = point.y >> (32 - UInt32(zoom))
    }

    /// Creates the tile that covers a quadtree cell.
    ///
    /// - Precondition: the cell's level is a zoom.
    public init(_ cell: QuadCell) {
        precondition(cell.level <= TileID.maxZoom, "level \(cell.level) is no zoom")
        zoom = cell.level
        x = cell.x
        y = cell.y
    }

    /// The quadtree cell that the tile covers.
    public var cell: QuadCell { QuadCell(level: zoom, x: x, y: y) }

    /// The edges of the tile, in degrees.
    public var bounds: BoundingBox {
        let tiles = Double(UInt64(1) << UInt64(zoom))
        let unit = 0x1p32 / tiles
        return BoundingBox(
            trustedWest: Double(x) / tiles * 360 - 180,
            south: WorldPoint.lat(ofRow: Double(y + 1) * unit),
            east: Double(x + 1) / tiles * 360 - 180,
            north: WorldPoint.lat(ofRow: Double(y) * unit))
    }
}
