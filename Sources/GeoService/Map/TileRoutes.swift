import GeoIndex
import GeoStore
import JSONText
import TileRender

/// Raster tiles of layers and of the basemap.
struct TileRoutes: Sendable {
    let catalog: LayerCatalog
    let painter: TilePainter
    let marks: MarkFile
    let cache: TileCache
    let basemap: BasemapTiles
    /// Draws what is not in the cache.
    let pool: WorkPool
    let objects: ObjectReader
    let viewers: Viewers

    func register(in router: inout Router) {
        for scale in 1...2 {
            let suffix = scale == 2 ? "@2x.png" : ".png"
            viewers.add(.get, "/tiles/basemap/{z}/{x}/{y}\(suffix)", to: &router) {
                request, viewer in
                let tile = try TileRoutes.tile(request)
                let query = try MapQuery(
                    request, viewer, own: ["style"], isFiltered: false, now: catalog.now())
                let style = try basemap.style(query.text("style"))
                return basemap.action(tile: tile, scale: scale, style: style)
            }
            viewers.add(
                .get, "/tiles/{layer}/{z}/{x}/{y}\(suffix)", heatIsEnough: true, to: &router
            ) {
                try answer($0, $1, scale: scale)
            }
        }
        TileLegend(catalog: catalog, marks: marks, objects: objects, viewers: viewers)
            .register(in: &router)
        viewers.add(.get, "/tiles/basemap.json", to: &router) { request, viewer in
            let query = try MapQuery(
                request, viewer, own: ["style"], isFiltered: false, now: catalog.now())
            return .reply(try basemap.description(request, style: query.text("style")))
        }
    }

    /// A tile that is there at once, one that must be drawn from a drawing thread.
    ///
    /// - Parameter further: Parameters that the address takes beside those of pictures.
    func answer(
        _ request: Request, _ viewer: Viewer, scale: Int, further: [String] = []
    ) throws -> Action {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let tile = try TileRoutes.tile(request)
        let query = try MapQuery(
            request, viewer, own: ["style", "palette", "halfLife"] + further, now: now)
        let style = try TileRoutes.style(query)
        if style != .heat, viewer.sight == .heat { throw MapPermissions.onlyHeat(layer.name) }
        if style == .heat, viewers.permissions.isHeatProtected(of: layer, for: viewer) {
            return try protectedHeat(of: layer, tile, scale: scale, query)
        }
        let tileRequest = TileRequest(
            layer: layer.name, tile: tile, scale: scale, style: style,
            ramp: try TileRoutes.ramp(query, style: style), filter: query.filter
        ).asked(of: layer, halfLifeMinutes: try TileRoutes.halfLife(query, style: style), at: now)
        guard viewer.isAnonymous else {
            if let known = viewersKnownTile(tileRequest, layer, query) { return .reply(known) }
            let draw = { @Sendable () throws -> Response in
                try viewersTile(tileRequest, layer, query).seen(by: viewer)
            }
            return query.condition == nil ? pool.run(draw) : objects.run(request, draw)
        }
        let snapshot = layer.current(at: now)
        let heat = layer.heatScale
        let domain = style == .heat ? heat.domains[Int(tile.zoom)] : 0
        if let known = cache.find(tileRequest, snapshot: snapshot, domain: domain) {
            return .reply(Response(known))
        }
        if query.condition != nil {
            return objects.run(request) {
                try conditionalTile(tileRequest, layer, query)
            }
        }
        return .later { responder in
            let isTaken = pool.submit {
                responder.respond {
                    Response(
                        try cache.response(
                            for: tileRequest, snapshot: snapshot, domain: domain
                        ) {
                            painter.drawing(of: tileRequest, from: snapshot, scale: heat)
                        } respond: { drawing in
                            try TileRoutes.response(drawing)
                        })
                }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    /// A tile of what is public of the heat of a class that the viewer may not find.
    private func protectedHeat(
        of layer: Layer, _ tile: TileID, scale: Int, _ query: MapQuery
    ) throws -> Action {
        let heat = try ProtectedHeat(layer, query)
        var plain = TileRequest(
            layer: layer.name, tile: tile, scale: scale, style: .heat,
            ramp: try TileRoutes.ramp(query, style: .heat), filter: .all)
        plain.heat = HeatOptions(radiusPixels: layer.settings.heat.effectiveRadiusPixels)
        plain.protection = heat.protection
        return pool.run { [plain] in
            let seen = catalog.views.lookAtAll(of: layer)
            var request = plain
            request.indexNumber = seen.indexNumber
            let snapshot = seen.current(at: query.now)
            let domain = heat.scale.domains[Int(tile.zoom)]
            return Response(
                try cache.response(for: request, snapshot: snapshot, domain: domain) {
                    painter.drawing(of: request, from: snapshot, scale: heat.scale)
                } respond: {
                    try TileRoutes.response($0)
                }
            ).seen(by: query.viewer)
        }
    }

    /// A tile of what a signed-in viewer sees, when his view is up to date and the tile was drawn from
    /// it before.
    private func viewersKnownTile(
        _ tileRequest: TileRequest, _ layer: Layer, _ query: MapQuery
    ) -> Response? {
        guard query.condition == nil,
            let seen = viewers.permissions.lookAtOnce(at: layer, as: query.viewer),
            let snapshot = seen.currentAtOnce(at: query.now)
        else { return nil }
        var request = tileRequest
        request.indexNumber = seen.indexNumber
        let heat = layer.heatScale
        let domain = request.style == .heat ? heat.domains[Int(request.tile.zoom)] : 0
        return cache.find(request, snapshot: snapshot, domain: domain).map {
            Response($0).seen(by: query.viewer)
        }
    }

    /// A tile of what a signed-in viewer sees: taking that may be work, so that it is done on a
    /// worker thread. Tiles are kept for each view.
    private func viewersTile(
        _ tileRequest: TileRequest, _ layer: Layer, _ query: MapQuery
    ) throws -> Response {
        let seen = try viewers.permissions.look(at: layer, as: query.viewer)
        var request = tileRequest
        request.indexNumber = seen.indexNumber
        if query.condition != nil { return try conditionalTile(request, layer, query) }
        let heat = layer.heatScale
        let domain = request.style == .heat ? heat.domains[Int(request.tile.zoom)] : 0
        let snapshot = seen.current(at: query.now)
        return Response(
            try cache.response(for: request, snapshot: snapshot, domain: domain) {
                painter.drawing(of: request, from: snapshot, scale: heat)
            } respond: { drawing in
                try TileRoutes.response(drawing)
            })
    }

    /// A tile of the objects that a `where` keeps: what it is drawn from is gathered whole before
    /// the cache is asked, since only then all verdicts are known.
    private func conditionalTile(
        _ tileRequest: TileRequest, _ layer: Layer, _ query: MapQuery
    ) throws -> Response {
        let heat = layer.heatScale
        let domain = tileRequest.style == .heat ? heat.domains[Int(tileRequest.tile.zoom)] : 0
        let (drawing, snapshot) = try objects.ask(layer, query) { snapshot, filter in
            var request = tileRequest
            request.filter = filter
            return (painter.drawing(of: request, from: snapshot, scale: heat), snapshot)
        }
        return Response(
            try cache.response(
                for: tileRequest, drawing, snapshot: snapshot, domain: domain
            ) { try TileRoutes.response($0) })
    }

    private static func response(_ drawing: TileDrawing) throws -> Response {
        var response = Response(.ok, .png, try PNGEncoder().encode(drawing.image()))
        response.entityTag = EntityTag(drawing.hash)
        response.cacheControl = "public, no-cache"
        return response
    }

    /// The tile that a path names.
    ///
    /// - Throws: ``Problem``: 400 for what is no zoom; 404 for a column or row that is no number
    ///   or lies outside the world, for other scales, and for numbers with zeros before them: a
    ///   tile has one address.
    static func tile(_ request: Request) throws(Problem) -> TileID {
        guard let zoom = request.pathNumber("z"), zoom <= Int(TileID.maxZoom) else {
            let text = request.pathValue("z") ?? ""
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let zoom = Int(text),
                zoom <= Int(TileID.maxZoom)
            else { throw .parameter("z", "must be a whole number from 0 to \(TileID.maxZoom)") }
            throw Problem(.notFound, "the address of zoom \(zoom) has no zeros before the number")
        }
        guard let x = request.pathNumber("x"), let y = request.pathNumber("y") else {
            if let text = request.pathValue("y"), text.contains("@") {
                throw Problem(
                    .notFound, "tiles have the scales 1, as {y}.png, and 2, as {y}@2x.png")
            }
            throw Problem(
                .notFound,
                "a tile's address ends in zoom/column/row: whole numbers from 0 on, without zeros "
                    + "before them")
        }
        do {
            return try TileID(zoom: zoom, x: x, y: y)
        } catch {
            throw Problem(.notFound, "\(error)")
        }
    }

    static func style(_ query: MapQuery) throws(Problem) -> TileStyle {
        guard let text = query.text("style") else { return .clusters }
        guard let style = TileStyle(rawValue: text) else {
            let known = TileStyle.allCases.map(\.rawValue).joined(separator: ", ")
            throw .parameter("style", "must be one of \(known)")
        }
        return style
    }

    static func ramp(_ query: MapQuery, style: TileStyle) throws(Problem) -> ColorRamp {
        guard let name = query.text("palette") else { return .standard }
        guard let ramp = ColorRamp(named: name) else {
            let known = ColorRamp.all.map(\.name).joined(separator: ", ")
            throw .parameter("palette", "must be one of \(known)")
        }
        guard style == .heat else {
            throw .parameter("palette", "belongs to style=heat")
        }
        return ramp
    }

    static func halfLife(
        _ query: MapQuery, style: TileStyle
    ) throws(Problem) -> Int64? {
        let halfLife = try query.span("halfLife", in: TimeDecay.halfLivesMinutes)
        guard halfLife == nil || style == .heat else {
            throw .parameter("halfLife", "belongs to style=heat")
        }
        return halfLife
    }
}

extension LayerCatalog {
    /// The layer that a path names.
    ///
    /// - Throws: ``Problem`` (404) when there is none.
    func layer(for request: Request) throws(Problem) -> Layer {
        let name = request.pathValue("layer") ?? ""
        guard let layer = layer(named: name) else { throw LayerCatalog.noLayer(name) }
        return layer
    }

    /// A 404 for a layer that is not there.
    static func noLayer(_ name: String) -> Problem {
        Problem(.notFound, "there is no layer \(name): GET /v1/collections lists the layers")
    }
}

extension BoundingBox {
    /// `[west, south, east, north]`.
    var json: JSONValue {
        .array([.number(west), .number(south), .number(east), .number(north)])
    }
}

extension Response {
    /// A 200 whose tag is the hash of its bytes.
    static func tagged(_ type: MediaType, _ bytes: [UInt8]) -> Response {
        var hash = StableHash()
        hash.combine(bytes: bytes)
        var response = Response(.ok, type, bytes)
        response.entityTag = EntityTag(hash.value)
        response.cacheControl = "public, no-cache"
        return response
    }
}
