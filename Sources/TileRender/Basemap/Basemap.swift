public import GeoIndex

/// Why the world map cannot be shown.
public enum BasemapError: Error, Equatable, Sendable {
    /// The file is not a world map.
    case map(WorldMapError)
    /// The picture cannot be drawn.
    case canvas(CanvasError)
}

extension BasemapError: CustomStringConvertible {
    /// A sentence that says what is wrong.
    public var description: String {
        switch self {
        case .map(let error): error.description
        case .canvas(let error): error.description
        }
    }
}

/// The embedded map of the world: sea, land, lakes, borders, and names by rank.
///
/// Two neighbouring pictures joined have the same pixels as the whole drawn at once, names and
/// 180° included. Any thread may draw; the map never changes.
///
///     let basemap = try Basemap(file: bytes)
///     let image = try basemap.image(of: PixelWindow(tile: tile, scale: 2))
public final class Basemap: Sendable {
    /// What a page that shows the map must say.
    public static let attribution = "Natural Earth, GeoNames"

    private let map: WorldMap
    private let style: BasemapStyle
    private let palette: BasemapPalette
    let placement: LabelPlacement
    private let cache = LabelCache(limitBytes: 32 << 20)

    /// Proves a world map file by its head and checksum, without reading what is in it.
    ///
    /// - Throws: ``BasemapError/map(_:)``.
    /// - Complexity: O(bytes); about a millisecond for the carried file.
    public static func prove(file: [UInt8]) throws(BasemapError) {
        do throws(WorldMapError) { try WorldMapReader.prove(file) } catch { throw .map(error) }
    }

    /// Reads a world map file (`fixtures/world/README.md`) and finds which names have room.
    ///
    /// - Throws: ``BasemapError``.
    /// - Complexity: O(bytes); about a tenth of a second for the carried file.
    public convenience init(file: [UInt8]) throws(BasemapError) {
        let map: WorldMap
        do throws(WorldMapError) { map = try WorldMapReader.read(file) } catch { throw .map(error) }
        try self.init(map: map, style: .light)
    }

    init(map: WorldMap, style: BasemapStyle) throws(BasemapError) {
        self.map = map
        self.style = style
        palette = BasemapPalette(style: style)
        do throws(CanvasError) {
            placement = try LabelPlacement(map: map, style: style)
        } catch { throw .canvas(error) }
    }

    /// The picture of a window. Rows beyond the world's edges show what is at the edge: ice or sea.
    ///
    /// - Throws: ``BasemapError/canvas(_:)`` when there is no memory.
    /// - Complexity: O(pixels + points in the window + runs of shapes around it).
    public func image(of window: PixelWindow) throws(BasemapError) -> IndexedImage {
        let pixels: [UInt32]
        do throws(CanvasError) { pixels = try self.pixels(of: window) } catch {
            throw .canvas(error)
        }
        return IndexedImage(
            width: window.width, height: window.height, palette: palette.palette,
            pixels: palette.indices(of: pixels))
    }

    /// The opaque pixels of a window, `0xffRRGGBB`, before they become indices.
    func pixels(of window: PixelWindow) throws(CanvasError) -> [UInt32] {
        var pixels = try shapes(of: window)
        try drawLabels(of: window, on: &pixels)
        return pixels
    }

    // MARK: Shapes

    private func shapes(of window: PixelWindow) throws(CanvasError) -> [UInt32] {
        let band = map.band(zoom: window.zoom)
        let frame = PathFrame(window: window, gridBits: band.gridBits)
        let canvas = try Canvas(
            widthPixels: frame.widthPixels, heightPixels: frame.heightPixels, format: .color)
        canvas.paint(style.sea)
        fill(band.land, style.land, frame, on: canvas)
        stroke(band.provinces, style.province, window, frame, on: canvas)
        fill(band.lakes, style.lake, frame, on: canvas)
        stroke(band.lakes, style.lakeshore, window, frame, on: canvas)
        stroke(band.borders, style.border, window, frame, on: canvas)
        stroke(band.land, style.coast, window, frame, on: canvas)
        return try canvas.withPremultipliedPixels { span in
            [UInt32](capacity: window.width * window.height) { out in
                for row in 0..<window.height {
                    let start =
                        (row + PathFrame.marginPixels) * frame.widthPixels + PathFrame.marginPixels
                    for index in start..<start + window.width { out.append(span[index]) }
                }
            }
        }
    }

    private func fill(
        _ layer: PathLayer, _ color: Color, _ frame: PathFrame, on canvas: borrowing Canvas
    ) {
        let tracer = PathTracer(layer: layer, frame: frame)
        if tracer.traceAreas(on: canvas) { canvas.fill(color) }
    }

    private func stroke(
        _ layer: PathLayer, _ line: BasemapStyle.Line, _ window: PixelWindow, _ frame: PathFrame,
        on canvas: borrowing Canvas
    ) {
        guard window.zoom >= line.firstZoom else { return }
        let tracer = PathTracer(layer: layer, frame: frame)
        guard tracer.traceLines(on: canvas) else { return }
        let width = line.widthPixels[window.zoom] * Double(window.scale)
        canvas.stroke(line.color, StrokeStyle(widthPixels: width, corners: .cut))
    }

    // MARK: Names

    private func drawLabels(
        of window: PixelWindow, on pixels: inout [UInt32]
    ) throws(CanvasError) {
        var visible: [(placed: LabelPlacement.Placed, x: Int, y: Int)] = []
        placement.forEach(in: window, map: map) { visible.append(($0, $1, $2)) }
        var span = pixels.mutableSpan
        for (placed, x, y) in visible {
            // Sizes change at some zooms only; names are drawn once for all others.
            let zoom = style.townGrowth.clamped(window.zoom)
            let key = LabelCache.Key(
                label: placed.label, side: placed.side, zoom: zoom, scale: UInt8(window.scale))
            let sprite = try cache.sprite(key) { () throws(CanvasError) -> LabelSprite in
                try LabelSprite(
                    map.labels[Int(placed.label)], side: placed.side, zoom: zoom,
                    scale: window.scale, style: style)
            }
            sprite.draw(on: &span, width: window.width, x: x, y: y)
        }
    }
}
