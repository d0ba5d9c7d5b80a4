import GeoIndex

/// Draws every object as a dot in its kind's colour, with a white ring round each clump of dots.
///
/// Of two dots that overlap, the southern lies over the northern, on one row the eastern over the
/// western, pale edges aside; what lies on one pixel is one dot. That order is global, so neighbouring windows
/// agree. Rings lie under all dots. A dot is larger at deeper zooms, where there is room; from
/// ``iconZoom`` on it shows the icon of its kind, and has a ring of its own, which lies over the
/// dots before it, so that each icon stands out.
public struct PointLayer: Sendable {
    /// How far outside a window an object may lie and still show in it, in pixels of the picture.
    ///
    /// - Precondition: the zoom exists and the scale is 1 or 2.
    public static func marginPixels(zoom: UInt8, scale: Int) -> Int {
        let reach = reachPixels(zoom: zoom, scale: scale)
        return zoom < iconZoom ? reach + scale + 1 : reach
    }

    /// The first zoom at which icons show.
    public static let iconZoom: UInt8 = 16

    /// The radius of a dot without an icon at a zoom, in pixels at scale 1.
    private static func radiusPixels(zoom: UInt8) -> Double {
        zoom < 8 ? 1.6 : zoom < 11 ? 2.65 : zoom < 14 ? 3.65 : 4.65
    }

    /// The width of a ring, in pixels at scale 1.
    private static let ringPixels = 1.0

    /// From a dot's middle pixel to the last one that it is drawn on, in pixels of the picture: as
    /// ``Sprite/disc(radiusPixels:ringPixels:icon:scale:)`` draws it.
    private static func reachPixels(zoom: UInt8, scale: Int) -> Int {
        let radius =
            zoom < iconZoom
            ? radiusPixels(zoom: zoom) : ClusterLayer.iconRadiusPixels + PointLayer.ringPixels
        return Int((radius * Double(scale) - 0.5 - 1.0 / 6).rounded(.up))
    }

    private let palette: Palette
    /// By zoom and scale.
    private let dots: [[DotStamps]]

    /// Draws the sprites, once for a process.
    ///
    /// - Throws: ``CanvasError`` when there is no memory.
    public init(_ style: KindStyle = .standard) throws(CanvasError) {
        var dots: [[DotStamps]] = []
        for zoom in 0..<PointLayer.iconZoom {
            var sizes: [DotStamps] = []
            for scale in 1...2 {
                let radius = PointLayer.radiusPixels(zoom: zoom) * Double(scale)
                sizes.append(DotStamps(shared: try .disc(radiusPixels: radius, ringPixels: 0)))
            }
            dots.append(sizes)
        }
        var icons: [DotStamps] = []
        for scale in 1...2 { icons.append(try PointLayer.iconDots(style, scale: scale)) }
        // From the first zoom with icons on nothing grows any more.
        for _ in PointLayer.iconZoom...TileID.maxZoom { dots.append(icons) }
        palette = MarkPalette(style).palette
        self.dots = dots
    }

    /// The dots of a style's slots where icons show: all have the room of one with an icon.
    private static func iconDots(
        _ style: KindStyle, scale: Int
    ) throws(CanvasError) -> DotStamps {
        let factor = Double(scale)
        let radius = radiusPixels(zoom: iconZoom) * factor
        let plain = try Sprite.disc(radiusPixels: radius, ringPixels: ringPixels * factor)
        let reach = reachPixels(zoom: iconZoom, scale: scale)
        var sprites: [Sprite] = []
        for slot in 0..<style.slotCount {
            guard let icon = style.icon(slot: UInt8(slot)) else {
                sprites.append(plain)
                continue
            }
            sprites.append(
                try .disc(
                    radiusPixels: ClusterLayer.iconRadiusPixels * factor,
                    ringPixels: ringPixels * factor, icon: icon, scale: scale))
        }
        return DotStamps(bySlot: sprites, reach: reach)
    }

    /// The picture of a grid's window.
    ///
    /// - Precondition: the slots are of the layer's style.
    /// - Complexity: O(pixels + occupied pixels · pixels of a dot).
    public func draw(_ grid: PointGrid) -> IndexedImage {
        let window = grid.window
        let stamps = dots[Int(window.zoom)][window.scale - 1]
        var canvas = DotCanvas(columns: grid.columns, rows: grid.rows, dots: stamps)
        canvas.draw(grid.cells)
        if window.zoom < PointLayer.iconZoom { canvas.addRing(widthPixels: window.scale) }
        return IndexedImage(
            width: window.width, height: window.height, palette: palette,
            pixels: canvas.cropped(
                marginPixels: grid.marginPixels, width: window.width, height: window.height))
    }
}
