/// A rectangle of the global pixel grid of one zoom: what one picture shows. A tile is one case.
///
/// The grid of a zoom is 256 · scale · 2^zoom pixels wide, with (0, 0) in the north-west, and a
/// point's pixel is `coordinate >> pixelShift`: rounded once, on the global grid, so that
/// neighbouring pictures agree. Columns wrap at 180°; rows beyond the world's edges are empty.
///
///     let window = PixelWindow(tile: tile, scale: 2)  // 512 by 512 pixels
public struct PixelWindow: Hashable, Sendable {
    /// The longest edge of a window, in pixels.
    public static let maxEdgePixels = 8192
    /// The edge of a tile at scale 1, in pixels.
    public static let tileSizePixels = 256

    /// The level of the Web Mercator scheme, in `0...TileID.maxZoom`.
    public let zoom: UInt8
    /// Pixels for each pixel of the 256 px grid: 1 or 2.
    public let scale: Int
    /// The westernmost column, in `0..<worldSizePixels`.
    public let originX: Int
    /// The northernmost row; may lie outside the world.
    public let originY: Int
    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int

    /// Creates a window anywhere; columns wrap.
    ///
    ///     PixelWindow(zoom: 3, scale: 1, originX: -8, originY: 900, width: 16, height: 16)
    ///         .originX  // 2040: eight columns west of 180°
    ///
    /// - Precondition: the zoom exists, the scale is 1 or 2, both edges are in
    ///   `1...maxEdgePixels`, and the row is within ±2^40.
    public init(zoom: UInt8, scale: Int, originX: Int, originY: Int, width: Int, height: Int) {
        precondition(zoom <= TileID.maxZoom, "zoom \(zoom) is past \(TileID.maxZoom)")
        precondition(scale == 1 || scale == 2, "scale \(scale) is neither 1 nor 2")
        let edges = 1...PixelWindow.maxEdgePixels
        precondition(edges.contains(width), "a window cannot be \(width) pixels wide")
        precondition(edges.contains(height), "a window cannot be \(height) pixels high")
        precondition(abs(originY) <= 1 << 40, "row \(originY) is nowhere near the world")
        self.zoom = zoom
        self.scale = scale
        self.originX = originX & ((PixelWindow.tileSizePixels * scale << Int(zoom)) - 1)
        self.originY = originY
        self.width = width
        self.height = height
    }

    /// Creates the window of a tile: 256 · scale pixels square.
    ///
    /// - Precondition: the scale is 1 or 2.
    public init(tile: TileID, scale: Int) {
        let edge = PixelWindow.tileSizePixels * scale
        self.init(
            zoom: tile.zoom, scale: scale, originX: Int(tile.x) * edge, originY: Int(tile.y) * edge,
            width: edge, height: edge)
    }

    /// The width and the height of the world, in pixels: a power of two up to 2^31.
    @inlinable public var worldSizePixels: Int {
        PixelWindow.tileSizePixels * scale << Int(zoom)
    }

    /// How many low bits of a ``WorldPoint`` coordinate lie within one pixel; at least 1.
    @inlinable public var pixelShift: UInt32 {
        UInt32(24 - (scale - 1)) - UInt32(zoom)
    }
}
