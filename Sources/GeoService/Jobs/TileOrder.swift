import GeoIndex
import TileRender

/// A tile to be drawn for a command.
package struct TileOrder: Sendable {
    let request: TileRequest
    let styleName: String?
    private let paletteName: String?

    var layer: String { request.layer }

    /// Reads the options of a command.
    ///
    /// - Parameter tile: `zoom/column/row`.
    /// - Throws: ``SettingError`` naming the option.
    package init(
        layer: String, tile: String, style: String? = nil, scale: String? = nil,
        palette: String? = nil
    ) throws(SettingError) {
        let numbers = tile.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let zoom = numbers[0], let x = numbers[1], let y = numbers[2],
            zoom <= Int(TileID.maxZoom), let id = try? TileID(zoom: zoom, x: x, y: y)
        else {
            throw SettingError(
                "--tile", "must be zoom/column/row of a tile that there is, zoom 0 to 22")
        }
        guard scale == nil || scale == "1" || scale == "2" else {
            throw SettingError("--scale", "must be 1 or 2")
        }
        // The world map's styles stand in its file.
        let kindName = layer == PictureOrder.basemap ? nil : style
        guard let kind = TileStyle(rawValue: kindName ?? TileStyle.clusters.rawValue) else {
            let known = TileStyle.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingError("--style", "must be one of \(known)")
        }
        guard palette == nil || kind == .heat else {
            throw SettingError("--palette", "belongs to --style heat")
        }
        guard let ramp = palette.map({ ColorRamp(named: $0) }) ?? .standard else {
            let known = ColorRamp.all.map(\.name).joined(separator: ", ")
            throw SettingError("--palette", "must be one of \(known)")
        }
        styleName = style
        paletteName = palette
        request = TileRequest(
            layer: layer, tile: id, scale: scale == "2" ? 2 : 1, style: kind, ramp: ramp,
            filter: .all)
    }

    /// The tile's address at a server.
    var path: String {
        "/tiles/\(PercentCoding.encodedQuery(request.layer))/\(request.tile.zoom)"
            + "/\(request.tile.x)/\(request.tile.y)\(request.scale == 2 ? "@2x" : "").png"
    }

    var query: [(name: String, value: String)] {
        (styleName.map { [("style", $0)] } ?? []) + (paletteName.map { [("palette", $0)] } ?? [])
    }
}
