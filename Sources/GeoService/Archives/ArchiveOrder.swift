import GeoIndex
import GeoStore
import JSONText
import TileRender

/// The container that tiles are put into.
package enum ArchiveFormat: String, CaseIterable, Sendable {
    case mbtiles, pmtiles

    /// The names, for messages.
    static let names = allCases.map(\.rawValue).joined(separator: " or ")
}

/// What an archive is to hold: read once, from the query of a request or from a command.
struct ArchiveOrder {
    /// What the tiles are.
    enum Tiles {
        case vector
        case raster(style: TileStyle, ramp: ColorRamp, scale: Int, halfLifeMinutes: Int64?)
    }

    /// The parameters of an export beside those of every map endpoint; some belong to archives and
    /// some to pictures.
    static let parameters = [
        "bbox", "format", "halfLife", "maxzoom", "minzoom", "palette", "scale", "size", "style",
        "tiles", "zoom",
    ]
    /// The deepest zoom unless another is asked for: below it maps show an archive's tiles larger.
    static let defaultMaxZoom = 14

    let layer: String
    let format: ArchiveFormat
    let tiles: Tiles
    let zooms: ClosedRange<UInt8>
    /// What the tiles must touch; nil is all that the layer has.
    let box: BoundingBox?
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
        let format = try query.required("format", "is \(ArchiveFormat.names)")
        guard let format = ArchiveFormat(rawValue: format) else {
            throw .parameter("format", "must be \(ArchiveFormat.names)")
        }
        self.format = format
        for name in ["size", "zoom"] where query.text(name) != nil {
            throw .parameter(name, "belongs to format=png; archives have minzoom and maxzoom")
        }
        box = try query.box("bbox")
        let zooms = 0...Int(TileID.maxZoom)
        let first = try query.integer("minzoom", in: zooms) ?? 0
        let last =
            try query.integer("maxzoom", in: zooms) ?? max(first, ArchiveOrder.defaultMaxZoom)
        guard first <= last else {
            throw .parameter("minzoom", "is \(first), deeper than maxzoom, which is \(last)")
        }
        self.zooms = UInt8(first)...UInt8(last)
        tiles = try ArchiveOrder.tiles(query)
    }

    private static func tiles(_ query: MapQuery) throws(Problem) -> Tiles {
        switch query.text("tiles") {
        case nil, "vector":
            for name in ["style", "palette", "scale", "halfLife"] where query.text(name) != nil {
                throw .parameter(name, "belongs to tiles=raster")
            }
            return .vector
        case "raster":
            let style = try TileRoutes.style(query)
            return .raster(
                style: style, ramp: try TileRoutes.ramp(query, style: style),
                scale: try query.integer("scale", in: 1...2) ?? 1,
                halfLifeMinutes: try TileRoutes.halfLife(query, style: style))
        default: throw .parameter("tiles", "must be vector or raster")
        }
    }

    /// What the tiles are, in an archive's words.
    var type: ArchiveTileType {
        if case .vector = tiles { .mvt } else { .png }
    }

    /// Whether only heat is asked for, which may be public where the objects are not.
    var isHeat: Bool {
        if case .raster(style: .heat, _, _, _) = tiles { true } else { false }
    }

    /// The parameters in one canonical text, the container apart: equal for orders of the same tiles.
    var text: String {
        let own = query.items.filter { $0.name != "format" }.sorted { $0.name < $1.name }
        let items = own.map {
            PercentCoding.encodedQuery($0.name) + "=" + PercentCoding.encodedQuery($0.value)
        }
        return ([PercentCoding.encodedQuery(layer)] + items).joined(separator: "&")
    }
}
