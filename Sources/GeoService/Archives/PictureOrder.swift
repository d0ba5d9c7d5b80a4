import GeoIndex
import GeoStore
import TileRender

/// A picture of a box: neighbouring tiles joined, cut at the box's edges.
struct PictureOrder {
    /// The longest edge of a picture, in pixels.
    static let mostPixels = 4_096

    let layer: String
    let window: PixelWindow
    let style: TileStyle
    let ramp: ColorRamp
    let halfLifeMinutes: Int64?
    /// The style of the world map; nil is the first of its file, and of other layers.
    let basemapStyle: String?
    /// Filters, viewer and clock.
    let query: MapQuery

    /// Reads the parameters.
    ///
    /// - Throws: ``Problem`` (400) naming the parameter.
    init(
        items: [(name: String, value: String)], layer: String, _ viewer: Viewer, now: Timestamp
    ) throws(Problem) {
        let query = try MapQuery(
            items: items, layer: layer, viewer, own: ArchiveOrder.parameters, now: now)
        self.layer = layer
        self.query = query
        for name in ["maxzoom", "minzoom", "tiles"] where query.text(name) != nil {
            throw .parameter(name, "belongs to archives; a picture has zoom or size")
        }
        let isBasemap = layer == PictureOrder.basemap
        for name in ["palette", "halfLife", "kind", "since", "until", "where"]
        where isBasemap && query.text(name) != nil {
            throw .parameter(name, "does not go with the basemap")
        }
        basemapStyle = isBasemap ? query.text("style") : nil
        style = isBasemap ? .clusters : try TileRoutes.style(query)
        ramp = try TileRoutes.ramp(query, style: style)
        halfLifeMinutes = try TileRoutes.halfLife(query, style: style)
        guard let box = try query.box("bbox") else {
            throw .parameter("bbox", "is missing: it is west,south,east,north in degrees")
        }
        window = try PictureOrder.window(
            box, scale: try query.integer("scale", in: 1...2) ?? 1,
            zoom: try query.integer("zoom", in: 0...Int(TileID.maxZoom)), size: query.text("size"))
    }

    /// The name of the world map among layers.
    static let basemap = "basemap"

    private static func window(
        _ box: BoundingBox, scale: Int, zoom: Int?, size: String?
    ) throws(Problem) -> PixelWindow {
        let window = WorldWindow(box)
        guard (zoom == nil) != (size == nil) else {
            throw .parameter("zoom", "or size must be there, and not both")
        }
        guard let size else {
            let zoom = zoom ?? 0
            let (width, height) = PictureOrder.pixels(of: window, zoom: zoom, scale: scale)
            guard max(width, height) <= mostPixels else {
                throw .parameter(
                    "zoom",
                    "makes a picture of \(width) by \(height) pixels; at most \(mostPixels) by "
                        + "\(mostPixels) are drawn: take a lower zoom or a smaller bbox")
            }
            let shift = UInt32(24 - (scale - 1) - zoom)
            return PixelWindow(
                zoom: UInt8(zoom), scale: scale, originX: Int(window.west >> shift),
                originY: Int(window.north >> shift), width: width, height: height)
        }
        let edges = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard edges.count == 2, let width = edges[0], let height = edges[1],
            (1...mostPixels).contains(width), (1...mostPixels).contains(height)
        else {
            throw .parameter(
                "size", "must be WIDTHxHEIGHT in pixels, each from 1 to \(mostPixels)")
        }
        // The deepest zoom at which the box is in the picture; the world's when there is none.
        let zoom =
            (0...Int(TileID.maxZoom)).last {
                let (boxWidth, boxHeight) = pixels(of: window, zoom: $0, scale: scale)
                return boxWidth <= width && boxHeight <= height
            } ?? 0
        let shift = UInt64(24 - (scale - 1) - zoom)
        let middleX = (UInt64(window.west) + window.width / 2) >> shift
        let middleY = (UInt64(window.north) + window.height / 2) >> shift
        return PixelWindow(
            zoom: UInt8(zoom), scale: scale, originX: Int(middleX) - width / 2,
            originY: Int(middleY) - height / 2, width: width, height: height)
    }

    /// The pixels that a window touches.
    private static func pixels(of window: WorldWindow, zoom: Int, scale: Int) -> (Int, Int) {
        let shift = UInt64(24 - (scale - 1) - zoom)
        let east = (UInt64(window.west) + max(window.width, 1) - 1) >> shift
        let south = (UInt64(window.north) + max(window.height, 1) - 1) >> shift
        return (
            Int(east - UInt64(window.west) >> shift) + 1,
            Int(south - UInt64(window.north) >> shift) + 1
        )
    }
}

/// Draws pictures of boxes.
struct PicturePainter {
    let objects: ObjectReader
    let catalog: LayerCatalog

    /// The file. Blocks when there is a `where`.
    ///
    /// - Throws: ``Problem`` when there is no such layer or the viewer may not see it.
    func png(_ order: PictureOrder, of layer: Layer, by painter: TilePainter) throws -> [UInt8] {
        let query = order.query
        let window = order.window
        var request = TileRequest(
            layer: layer.name, tile: TileID(QuadCell(level: window.zoom, key: 0)),
            scale: window.scale, style: order.style, ramp: order.ramp, filter: query.filter
        ).asked(of: layer, halfLifeMinutes: order.halfLifeMinutes, at: query.now)
        let permissions = objects.permissions
        if order.style == .heat, permissions.isHeatProtected(of: layer, for: query.viewer) {
            let heat = try ProtectedHeat(layer, query)
            request.filter = .all
            request.heat = HeatOptions(radiusPixels: layer.settings.heat.effectiveRadiusPixels)
            request.protection = heat.protection
            let snapshot = catalog.views.lookAtAll(of: layer).current(at: query.now)
            return try PNGEncoder().encode(
                painter.drawing(of: request, in: window, from: snapshot, scale: heat.scale).image())
        }
        try permissions.check(layer.name, for: query.viewer)
        let drawing = try objects.ask(layer, query) { [request] snapshot, filter in
            var request = request
            request.filter = filter
            return painter.drawing(
                of: request, in: window, from: snapshot, scale: layer.heatScale)
        }
        return try PNGEncoder().encode(drawing.image())
    }
}
