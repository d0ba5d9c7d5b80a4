package import GeoIndex

/// Why the map cannot be shown.
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

/// The map below all layers: the world's sea, land, lakes, borders and names by rank, and the
/// roads, buildings and places of a detailed source.
///
/// Two neighbouring pictures joined have the same pixels as the whole drawn at once, names and
/// 180° included. Any thread may draw; the world map never changes.
///
///     let basemap = try Basemap(file: bytes, styles: styles)
///     let image = try basemap.image(of: PixelWindow(tile: tile, scale: 2))
package final class Basemap: Sendable {
    /// What a page that shows the map must say.
    package static let attribution = "Natural Earth, GeoNames"

    /// The styles, the first of which is taken where none is asked for.
    package let styles: [BasemapStyle]
    /// The colours by style and zoom.
    private let palettes: [[BasemapPalette]]
    private let map: WorldMap
    let placement: LabelPlacement
    private let widths = NameWidths()
    private let cache = LabelCache(limitBytes: 32 << 20)

    /// Proves a world map file by its head and checksum, without reading what is in it.
    ///
    /// - Throws: ``BasemapError/map(_:)``.
    /// - Complexity: O(bytes); about a millisecond for the carried file.
    package static func prove(file: [UInt8]) throws(BasemapError) {
        do throws(WorldMapError) { try WorldMapReader.prove(file) } catch { throw .map(error) }
    }

    /// Reads a world map file (`fixtures/world/README.md`) and finds which names have room.
    ///
    /// - Parameter styles: One or more that differ in their colours only: names are placed once
    ///   for all of them.
    /// - Throws: ``BasemapError``.
    /// - Complexity: O(bytes); about a tenth of a second for the carried file.
    package convenience init(file: [UInt8], styles: [BasemapStyle]) throws(BasemapError) {
        let map: WorldMap
        do throws(WorldMapError) { map = try WorldMapReader.read(file) } catch { throw .map(error) }
        try self.init(map: map, styles: styles)
    }

    init(map: WorldMap, styles: [BasemapStyle]) throws(BasemapError) {
        precondition(!styles.isEmpty, "a map needs a style")
        self.map = map
        self.styles = styles
        palettes = styles.map { style in
            (0...TileID.maxZoom).map { BasemapPalette(style: style, zoom: $0) }
        }
        do throws(CanvasError) {
            placement = try LabelPlacement(map: map, names: styles[0].names)
        } catch { throw .canvas(error) }
    }

    /// The picture of a window. Rows beyond the world's edges show what is at the edge: ice or sea.
    ///
    /// - Parameters:
    ///   - style: The style's place in ``styles``.
    ///   - features: What is drawn beside the world map.
    /// - Throws: ``BasemapError/canvas(_:)`` when there is no memory.
    /// - Complexity: O(pixels + points in the window + runs of shapes around it).
    package func image(
        of window: PixelWindow, style: Int = 0, features: any BasemapFeatures = NoFeatures()
    ) throws(BasemapError) -> IndexedImage {
        let pixels: [UInt32]
        do throws(CanvasError) {
            pixels = try self.pixels(of: window, style: style, features: features)
        } catch { throw .canvas(error) }
        let palette = palettes[style][Int(window.zoom)]
        return IndexedImage(
            width: window.width, height: window.height, palette: palette.palette,
            pixels: palette.indices(of: pixels))
    }

    /// What is asked of features for the picture of a window: names come from farther away than
    /// any line is broad. A picture changes only if their fingerprint in there does.
    package static func reach(of window: PixelWindow) -> FeatureWindow {
        FeatureNames.window(window)
    }

    /// The opaque pixels of a window, `0xffRRGGBB`, before they become indices.
    func pixels(
        of window: PixelWindow, style: Int = 0, features: any BasemapFeatures = NoFeatures()
    ) throws(CanvasError) -> [UInt32] {
        let painter = ShapePainter(window, style: styles[style], sources: [map, features])
        var pixels = try painter.pixels()
        try drawNames(of: window, style: style, features: features, on: &pixels)
        return pixels
    }

    private func drawNames(
        of window: PixelWindow, style: Int, features: any BasemapFeatures,
        on pixels: inout [UInt32]
    ) throws(CanvasError) {
        var found: [PlacedName] = []
        let details = features.points(in: FeatureNames.window(window))
        if !details.isEmpty {
            found = try FeatureNames(window, names: styles[style].names, widths: widths)
                .placed(details, map: map, placement: placement)
        }
        placement.forEach(in: window, map: map) { placed, x, y in
            let name = map.labels[Int(placed.label)].text
            found.append(PlacedName(name: name, side: placed.side, x: x, y: y))
        }
        // Sizes change at some zooms only; names are drawn once for all others.
        let names = styles[style].names
        let zoom = names.townGrowth.clamped(window.zoom)
        var span = pixels.mutableSpan
        for placed in found {
            let key = LabelCache.Key(
                name: placed.name, side: placed.side, zoom: zoom, scale: UInt8(window.scale),
                style: UInt8(clamping: style))
            let sprite = try cache.sprite(key) { () throws(CanvasError) -> LabelSprite in
                try LabelSprite(
                    placed.name, side: placed.side, zoom: zoom, scale: window.scale, names: names)
            }
            sprite.draw(on: &span, width: window.width, x: placed.x, y: placed.y)
        }
    }
}

/// A name that has room, and the pixel of its place in a window.
struct PlacedName {
    let name: MapName
    let side: LabelLayout.Side
    let x: Int
    let y: Int
}
