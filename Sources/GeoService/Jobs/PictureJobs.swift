import GeoIndex
import GeoStore
import TileRender

/// A picture to be drawn for a command: of a box, or a tile of the basemap.
package struct PictureCommand: Sendable {
    /// The layer; `basemap` is the world map.
    package let layer: String
    /// The parameters of `GET /export/{layer}?format=png`.
    fileprivate let items: [(name: String, value: String)]

    /// Checks the options of a command.
    ///
    /// - Parameter items: Parameters of `GET /export/{layer}?format=png`, which are options without
    ///   their dashes.
    /// - Throws: ``SettingError`` naming the option.
    package init(
        layer: String, items: [(name: String, value: String)]
    ) throws(SettingError) {
        self.layer = layer
        self.items = items
        do throws(Problem) { _ = try order() } catch { throw SettingError(option: error) }
    }

    fileprivate func order() throws(Problem) -> PictureOrder {
        try PictureOrder(items: items, layer: layer, .anonymous, now: Timestamp.now())
    }

    /// Whether it is a picture of the world map, for which no data is needed.
    package var isBasemap: Bool { layer == PictureOrder.basemap }

    /// Draws a picture of the world map.
    ///
    /// - Parameter assets: The folder of the map; nil looks for it.
    /// - Throws: ``SettingError`` when the map is not there; ``BasemapError``.
    package func basemap(assets: String?) throws -> [UInt8] {
        let order = try order()
        return try PictureCommand.basemap(
            order.window, style: order.basemapStyle, assets: assets)
    }

    fileprivate static func basemap(
        _ window: PixelWindow, style name: String?, assets: String?
    ) throws -> [UInt8] {
        let basemap = try Assets(root: assets).basemap()
        let style = basemap.styles.firstIndex { name == nil || $0.name == name }
        guard let style else {
            let known = basemap.styles.map(\.name).joined(separator: ", ")
            throw SettingError("--style", "of the basemap must be one of \(known)")
        }
        return try PNGEncoder().encode(basemap.image(of: window, style: style))
    }
}

extension TileOrder {
    /// Whether it is a tile of the world map, for which no data is needed.
    package var isBasemap: Bool { layer == PictureOrder.basemap }

    /// Draws a tile of the world map.
    ///
    /// - Parameter assets: The folder of the map; nil looks for it.
    /// - Throws: ``SettingError`` when the map is not there; ``BasemapError``.
    package func basemap(assets: String?) throws -> [UInt8] {
        try PictureCommand.basemap(
            PixelWindow(tile: request.tile, scale: request.scale), style: styleName,
            assets: assets)
    }
}

extension OfflineService {
    /// Draws a picture of a box, the same bytes as a server sends.
    ///
    /// - Parameter assets: The folder of the assets; nil is the usual one.
    /// - Throws: ``SettingError`` when there is no such layer; ``StoreError``.
    package func picture(_ command: PictureCommand, assets: String?) throws -> [UInt8] {
        let catalog = try load(command.layer)
        guard let layer = catalog.layer(named: command.layer) else {
            throw SettingError("--layer", "names no layer: \(command.layer) is not there")
        }
        do {
            return try PicturePainter(objects: objects(catalog), catalog: catalog).png(
                try command.order(), of: layer, by: try TilePainter(KindStyle(assets: assets)))
        } catch let problem as Problem {
            throw SettingError(option: problem)
        }
    }
}

extension RemoteService {
    /// Fetches a picture of a box.
    ///
    /// - Throws: ``HTTPCallError``, also for what the server refused.
    package func picture(_ command: PictureCommand) throws -> [UInt8] {
        var picture: [UInt8] = []
        try download(
            "/export/" + PercentCoding.encodedQuery(command.layer),
            command.items + [("format", "png")]
        ) { bytes, _ in picture += bytes }
        return picture
    }
}
