package import GeoIndex

/// Where what is drawn comes from: one unchanging state of a source of shapes and points.
///
/// The world map is one, an import of OpenStreetMap data another. Pictures of neighbouring windows
/// join without a seam only if a source gives each feature that touches a window *as it is*: not
/// cut at the window, with the same coordinates whatever window is asked for, and with all that
/// its layers have of the same class in the same order. What it gives beyond the window makes no
/// difference.
package protocol BasemapFeatures: Sendable {
    /// A number that changes when, and only when, what is given for the window changes.
    func fingerprint(in window: FeatureWindow) -> UInt64

    /// The shapes of a class that may touch a window. How many there are at a zoom is for the
    /// source to bound: it leaves out what is too small to see.
    func shapes(_ shapes: ShapeClass, in window: FeatureWindow) -> [FeatureShapes]

    /// The named points in a window.
    func points(in window: FeatureWindow) -> [FeaturePoint]
}

/// What is asked for: a part of the world at a zoom.
package struct FeatureWindow: Hashable, Sendable {
    /// The zoom that is drawn.
    package let zoom: UInt8
    /// The part of the world, margins for broad lines and long names included.
    package let area: WorldWindow

    /// The pixels of a window and some more around them.
    ///
    /// - Complexity: O(1).
    package init(_ window: PixelWindow, marginPixels: Int) {
        zoom = window.zoom
        // Rows beyond the world's edges have nothing; a window may lie beyond them as a whole.
        let world = window.worldSizePixels
        let top = min(max(window.originY - marginPixels, 0), world - 1)
        let bottom = min(max(window.originY + window.height + marginPixels, top + 1), world)
        let left = (window.originX - marginPixels) & (world - 1)
        let shift = UInt64(window.pixelShift)
        area = WorldWindow(
            west: UInt32(left << shift),
            width: UInt64(window.width + 2 * marginPixels) << shift,
            north: UInt32(top << shift), height: UInt64(bottom - top) << shift)
    }
}

/// Shapes of one class that lie on one level.
package struct FeatureShapes: Sendable {
    /// Coordinates are on a square grid of 2^bits units over the Web Mercator square.
    package static let gridBits = 8...30

    /// The grid's bits.
    package let gridBits: Int
    /// How high roads lie over one another: 0 on the ground, bridges above, tunnels below.
    package let level: Int8
    /// The shapes; closed for areas, whose holes run the other way round than they.
    package let paths: PathLayer

    /// Shapes on a grid.
    ///
    /// - Precondition: the bits are in ``gridBits``.
    package init(gridBits: Int, level: Int8 = 0, paths: PathLayer) {
        precondition(FeatureShapes.gridBits.contains(gridBits), "no grid has \(gridBits) bits")
        self.gridBits = gridBits
        self.level = level
        self.paths = paths
    }
}

/// A named point.
package struct FeaturePoint: Hashable, Sendable {
    /// What bears the name.
    package let points: PointClass
    /// Importance among its class.
    package let rank: UInt8
    /// Where it is.
    package let place: WorldPoint
    /// The name.
    package let name: String

    /// A point that bears a name.
    package init(_ points: PointClass, rank: UInt8, place: WorldPoint, name: String) {
        self.points = points
        self.rank = rank
        self.place = place
        self.name = name
    }
}

/// A source that has nothing.
package struct NoFeatures: BasemapFeatures {
    /// The source.
    package init() {}

    /// Always the same.
    package func fingerprint(in window: FeatureWindow) -> UInt64 { 0 }

    /// None.
    package func shapes(_ shapes: ShapeClass, in window: FeatureWindow) -> [FeatureShapes] { [] }

    /// None.
    package func points(in window: FeatureWindow) -> [FeaturePoint] { [] }
}
