import GeoIndex
import GeoStore
import JSONText
import TileRender

/// Tiles of a layer's clusters and singles as Mapbox vector tiles and as GeoJSON.
///
/// A tag is the hash of the bytes, which depend on what is shown alone.
struct VectorTileRoutes: Sendable {
    let catalog: LayerCatalog
    let cache: TileCache
    let objects: ObjectReader
    let viewers: Viewers

    /// What a tile is sent as.
    enum Format: CaseIterable {
        case vector, geoJSON

        fileprivate var suffix: String { self == .vector ? ".mvt" : ".geojson" }
    }

    func register(in router: inout Router) {
        for format in Format.allCases {
            viewers.add(.get, "/tiles/{layer}/{z}/{x}/{y}\(format.suffix)", to: &router) {
                request, viewer in
                try answer(request, viewer, try TileRoutes.tile(request), as: format)
            }
        }
    }

    /// A tile that is there at once, one that must be made from a thread that may read the store.
    ///
    /// - Parameter further: Parameters that the address takes beside those of vector tiles.
    /// - Throws: ``Problem``.
    func answer(
        _ request: Request, _ viewer: Viewer, _ tile: TileID, as format: Format,
        further: [String] = []
    ) throws -> Action {
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(request, viewer, own: ["radius"] + further, now: catalog.now())
        let ask = Ask(
            layer: layer, query: query, tile: tile, format: format,
            options: try VectorTileRoutes.options(query, of: layer, zoom: tile.zoom))
        if viewer.isAnonymous, query.condition == nil,
            let hidden = objects.permissions.hiddenFields(of: layer.name, from: viewer),
            let known = cache.find(
                ask.request(hidden: hidden), snapshot: layer.current(at: query.now), domain: 0)
        {
            return .reply(Response(known))
        }
        return objects.run(request) { try response(to: ask).seen(by: viewer) }
    }

    /// - Throws: ``Problem`` (400) for a radius that has no clusters at this zoom. A layer's own
    ///   radius is not the client's fault: then the least radius that has is taken, as in pictures.
    private static func options(
        _ query: MapQuery, of layer: Layer, zoom: UInt8
    ) throws(Problem) -> ClusterOptions {
        guard let radius = try query.integer("radius", in: ClusterOptions.radiusRange) else {
            return .possible(
                zoom: zoom, radiusPixels: layer.settings.defaultClusterRadiusPixels)
        }
        do {
            return try ClusterOptions(zoom: Int(zoom), radiusPixels: radius)
        } catch {
            throw .parameter("radius", "does not go with this zoom: \(error)")
        }
    }

    /// One request for one tile.
    private struct Ask: Sendable {
        let layer: Layer
        let query: MapQuery
        let tile: TileID
        let format: Format
        let options: ClusterOptions

        /// The tile's name in the cache, for the layer that everybody sees.
        func request(hidden: Set<String>) -> TileRequest {
            var request = TileRequest(
                layer: layer.name, tile: tile, scale: 1, style: .clusters, ramp: .standard,
                filter: query.filter)
            let names = hidden.sorted()
            request.form = format == .vector ? .vector(hidden: names) : .geoJSON(hidden: names)
            request.clusterRadiusPixels = options.radiusPixels
            request.indexNumber = layer.indexNumber
            return request
        }

        func content(_ snapshot: IndexSnapshot, _ filter: EntryFilter) -> ClusterTile {
            ClusterTile(tile, options, of: layer.settings.fields, from: snapshot, filter: filter)
        }
    }

    /// The store was ahead of the index, or permissions changed, while a tile was made.
    private struct Overtaken: Error {}

    /// How often a tile is made again when that happened.
    private static let tries = 4

    /// Makes a tile; blocks.
    ///
    /// While a commit is between the store and the index, documents are newer than what the tile is
    /// known by: then it is made again, and at last sent without a tag, so that no cache keeps it.
    private func response(to ask: Ask) throws -> Response {
        for _ in 1..<VectorTileRoutes.tries {
            do {
                return try cachedResponse(to: ask)
            } catch is Overtaken {
                objects.store.progress.waitForObserver()
            }
        }
        return try freshResponse(to: ask, isLastTry: true)
    }

    private func cachedResponse(to ask: Ask) throws -> Response {
        let query = ask.query
        // What depends on the object and the viewer is nobody else's; of a `where` nothing is known
        // beforehand that would prove a tile.
        guard query.condition == nil,
            let hidden = objects.permissions.hiddenFields(of: ask.layer.name, from: query.viewer)
        else { return try freshResponse(to: ask, isLastTry: false) }
        let seen = try viewers.permissions.look(at: ask.layer, as: query.viewer)
        var request = ask.request(hidden: hidden)
        request.indexNumber = seen.indexNumber
        let snapshot = seen.current(at: query.now)
        return Response(
            try cache.response(for: request, snapshot: snapshot, domain: 0) {
                ask.content(snapshot, query.filter)
            } respond: { content in
                let response = try self.response(content, to: ask, isLastTry: false)
                let after = objects.permissions.hiddenFields(
                    of: ask.layer.name, from: query.viewer)
                guard after == hidden else { throw Overtaken() }
                return response
            })
    }

    private func freshResponse(to ask: Ask, isLastTry: Bool) throws -> Response {
        let content = try objects.ask(ask.layer, ask.query) { ask.content($0, $1) }
        return try response(content, to: ask, isLastTry: isLastTry)
    }

    /// Reads the documents of a tile's singles and writes it.
    private func response(
        _ content: ClusterTile, to ask: Ask, isLastTry: Bool
    ) throws -> Response {
        let shown = try objects.shown(
            ask.layer.name, ask.layer.settings.fields, ids: content.singleIDs,
            to: ask.query.viewer, omitting: FeatureWriter.ownNames)
        let isTrue = content.agrees(with: shown)
        guard isTrue || isLastTry else { throw Overtaken() }
        var response =
            switch ask.format {
            case .vector: vector(content, shown, of: ask.layer)
            case .geoJSON: Response.tagged(.geoJSON, content.geoJSON(shown))
            }
        if !isTrue {
            response.entityTag = nil
            response.cacheControl = "no-store"
        }
        return response
    }

    private func vector(
        _ content: ClusterTile, _ shown: ShownObjects, of layer: Layer
    ) -> Response {
        guard let bytes = VectorTilePainter(layer).encode(content, shown) else {
            var response = Response.tagged(.vectorTile, [])
            response.status = .noContent
            response.mediaType = nil
            response.body = .empty
            return response
        }
        return .tagged(.vectorTile, bytes)
    }
}
