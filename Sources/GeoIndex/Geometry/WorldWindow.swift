/// A half-open window on the Web Mercator square, in units of ``WorldPoint``.
///
/// The west and north edges are in it, the east and south edges are not. It may run over the
/// antimeridian: columns are counted from `west` on, modulo 2^32.
public struct WorldWindow: Hashable, Sendable {
    /// The first column.
    public let west: UInt32
    /// Columns, 0 to 2^32.
    public let width: UInt64
    /// The first row.
    public let north: UInt32
    /// Rows; `north + height` is at most 2^32.
    public let height: UInt64

    /// The number of columns and of rows of the world.
    public static let worldSize: UInt64 = 1 << 32

    /// The whole world.
    public static let world = WorldWindow(west: 0, width: worldSize, north: 0, height: worldSize)

    /// Creates a window; one that is too wide is the whole belt, what lies beyond the poles'
    /// edges is left out.
    public init(west: UInt32, width: UInt64, north: UInt32, height: UInt64) {
        self.west = width >= WorldWindow.worldSize ? 0 : west
        self.width = min(width, WorldWindow.worldSize)
        self.north = north
        self.height = min(height, WorldWindow.worldSize - UInt64(north))
    }

    /// The window of a box: its points are those that clusters and tiles count to the box.
    ///
    /// ±180° is one meridian and no edge of the world. The poles' edges are in: a north edge of
    /// 85.0511° or more starts at the first row, a south edge of −85.0511° or less takes the last
    /// row in. Edges are rounded to 1e-7° first, as places are.
    public init(_ box: BoundingBox) {
        let west = WorldPoint.column(ofLon: (box.west * 1e7).rounded() / 1e7)
        let east = WorldPoint.column(ofLon: (box.east * 1e7).rounded() / 1e7)
        // The difference modulo 2^32; a box from -180 to 180 is the whole belt, not an empty one.
        let width = box.isWholeBelt ? WorldWindow.worldSize : UInt64(east &- west)
        let south = (box.south * 1e7).rounded() / 1e7
        let north = WorldPoint.row(ofLat: (box.north * 1e7).rounded() / 1e7)
        let end =
            south <= -WorldPoint.latitudeLimit
            ? WorldWindow.worldSize : UInt64(WorldPoint.row(ofLat: south))
        self.init(
            west: west, width: width, north: north, height: max(end, UInt64(north)) - UInt64(north))
    }

    /// The window of a tile.
    public init(_ tile: TileID) {
        let size = WorldWindow.worldSize >> UInt64(tile.zoom)
        self.init(
            west: UInt32(truncatingIfNeeded: UInt64(tile.x) * size), width: size,
            north: UInt32(truncatingIfNeeded: UInt64(tile.y) * size), height: size)
    }

    /// Whether the window has no points.
    public var isEmpty: Bool { width == 0 || height == 0 }

    /// Whether the window goes all the way round.
    public var isWholeBelt: Bool { width == WorldWindow.worldSize }

    /// Whether a point lies in the window.
    @inlinable
    public func contains(_ point: WorldPoint) -> Bool {
        contains(x: point.x, y: point.y)
    }

    @inlinable
    func contains(x: UInt32, y: UInt32) -> Bool {
        // Columns are counted from the west edge, modulo 2^32.
        UInt64(x &- west) < width && y >= north && UInt64(y) - UInt64(north) < height
    }

    /// The window with `margin` units more on each side, cut at the poles' edges.
    public func expanded(by margin: UInt64) -> WorldWindow {
        let up = min(margin, UInt64(north))
        let wide = width + 2 * min(margin, WorldWindow.worldSize)
        return WorldWindow(
            west: UInt32(truncatingIfNeeded: UInt64(west) &- margin), width: wide,
            north: UInt32(UInt64(north) - up),
            height: height + up + min(margin, WorldWindow.worldSize))
    }
}

extension WorldWindow {
    /// The window of a quadtree cell.
    public init(_ cell: QuadCell) {
        let side = WorldWindow.worldSize >> UInt64(cell.level)
        self.init(
            west: UInt32(UInt64(cell.x) * side), width: side, north: UInt32(UInt64(cell.y) * side),
            height: side)
    }
}
