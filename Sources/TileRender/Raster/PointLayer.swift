import GeoIndex

/// Draws every object as a dot in its kind's colour, with a white ring round each clump of dots.
///
/// Of two dots that overlap, the southern lies over the northern, on one row the eastern over the
/// western, pale edges aside; what lies on one pixel is one dot. That order is global, so neighbouring windows
/// agree. Rings lie under all dots. A dot is larger at deeper zooms, where there is room.
public struct PointLayer: Sendable {
    /// How far outside a window an object may lie and still show in it, in pixels of the picture.
    ///
    /// - Precondition: the zoom exists and the scale is 1 or 2.
    public static func marginPixels(zoom: UInt8, scale: Int) -> Int {
        reachPixels(zoom: zoom, scale: scale) + scale + 1
    }

    /// The radius of a dot at a zoom, in pixels at scale 1.
    private static func radiusPixels(zoom: UInt8) -> Double {
        zoom < 8 ? 1.6 : zoom < 11 ? 2.65 : zoom < 14 ? 3.65 : 4.65
    }

    /// From a dot's middle pixel to the last one with its colour, in pixels of the picture: as
    /// ``Sprite/disc(radiusPixels:ringPixels:)`` draws it.
    private static func reachPixels(zoom: UInt8, scale: Int) -> Int {
        Int((radiusPixels(zoom: zoom) * Double(scale) - 0.5 - 1.0 / 6).rounded(.up))
    }

    /// By zoom and scale.
    private let dots: [[Sprite]]

    /// Draws the sprites, once for a process.
    ///
    /// - Throws: ``CanvasError`` when there is no memory.
    public init() throws(CanvasError) {
        var dots: [[Sprite]] = []
        for zoom in 0...TileID.maxZoom {
            let radius = PointLayer.radiusPixels(zoom: zoom)
            var sizes: [Sprite] = []
            for scale in 1...2 {
                sizes.append(try .disc(radiusPixels: radius * Double(scale), ringPixels: 0))
            }
            dots.append(sizes)
        }
        self.dots = dots
    }

    /// The picture of a grid's window.
    ///
    /// - Complexity: O(pixels + occupied pixels · pixels of a dot).
    public func draw(_ grid: PointGrid) -> IndexedImage {
        let window = grid.window
        let dot = dots[Int(window.zoom)][window.scale - 1]
        var canvas = DotCanvas(columns: grid.columns, rows: grid.rows, dot: dot)
        canvas.draw(grid.cells)
        canvas.addRing(widthPixels: window.scale)
        return IndexedImage(
            width: window.width, height: window.height, palette: MarkPalette.palette,
            pixels: canvas.cropped(
                marginPixels: grid.marginPixels, width: window.width, height: window.height))
    }
}
