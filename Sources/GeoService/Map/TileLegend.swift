import GeoIndex
import GeoStore
import JSONText
import TileRender

/// What the colours of a tile mean: `GET /tiles/{layer}/legend.json`.
struct TileLegend: Sendable {
    let catalog: LayerCatalog
    let marks: MarkFile
    let objects: ObjectReader
    let viewers: Viewers

    func register(in router: inout Router) {
        viewers.add(.get, "/tiles/{layer}/legend.json", heatIsEnough: true, to: &router) {
            try answer($0, $1)
        }
    }

    private func answer(_ request: Request, _ viewer: Viewer) throws -> Action {
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, viewer, own: ["style", "palette", "z", "halfLife"], isFiltered: false,
            now: catalog.now())
        guard query.text("style") != nil else {
            let known = TileStyle.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.parameter("style", "is missing: it is one of \(known)")
        }
        let style = try TileRoutes.style(query)
        if style == .heat { return .reply(try heat(of: layer, query).seen(by: viewer)) }
        // Kinds say something of objects.
        try viewers.permissions.check(layer.name, for: viewer)
        for name in ["palette", "z", "halfLife"] where query.text(name) != nil {
            throw Problem.parameter(name, "belongs to style=heat")
        }
        if viewer.isAnonymous { return .reply(kinds(layer.current(at: query.now), style)) }
        return objects.run {
            let seen = try viewers.permissions.look(at: layer, as: viewer)
            return kinds(seen.current(at: query.now), style).seen(by: viewer)
        }
    }

    /// Colours and icons of the kinds that are there, in the order of their names.
    private func kinds(_ snapshot: IndexSnapshot, _ style: TileStyle) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.key("grid")
        json.integer(Int64(MarkIcon.gridUnits))
        json.key("iconsFromZoom")
        json.integer(style == .points ? Int64(PointLayer.iconZoom) : 0)
        json.key("neutral")
        json.string(marks.style.hexColor(slot: KindStyle.neutralSlot))
        json.key("kinds")
        json.beginArray()
        for kind in snapshot.kindCounts.map(\.kind).filter({ !$0.isEmpty }).sorted() {
            json.beginObject()
            json.key("kind")
            json.string(kind)
            json.key("color")
            json.string(marks.style.hexColor(slot: marks.style.slot(forKind: kind)))
            json.key("icon")
            if let icon = marks.icons[kind] { json.string(icon) } else { json.null() }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .tagged(.json, json.bytes)
    }

    /// The scale of a layer's heat at a zoom.
    private func heat(of layer: Layer, _ query: MapQuery) throws -> Response {
        guard let zoom = try query.integer("z", in: 0...Int(TileID.maxZoom)) else {
            throw Problem.parameter("z", "is missing: it is the zoom, 0 to \(TileID.maxZoom)")
        }
        let isProtected = viewers.permissions.isHeatProtected(of: layer, for: query.viewer)
        let scale = isProtected ? ProtectedHeat.scale(of: layer) : layer.heatScale
        var options = layer.heatOptions(
            halfLifeMinutes: try TileRoutes.halfLife(query, style: .heat), at: query.now)
        if isProtected {
            options = HeatOptions(
                radiusPixels: options.radiusPixels,
                decay: try ProtectedHeat(layer, query).protection.decay)
        }
        let heat = HeatLayer(
            domain: scale.domains[zoom], ramp: try TileRoutes.ramp(query, style: .heat),
            radiusPixels: options.radiusPixels)
        var json = JSONWriter()
        json.beginObject()
        json.key("domain")
        json.number(heat.domain)
        json.key("stops")
        json.beginArray()
        for stop in heat.stops {
            json.beginObject()
            json.key("density")
            json.number(stop.density)
            json.key("color")
            json.string(stop.hexColor)
            json.endObject()
        }
        json.endArray()
        json.key("version")
        json.integer(Int64(scale.version))
        for (name, minutes) in [
            ("halfLife", options.decay?.halfLifeMinutes),
            ("fittedHalfLife", scale.halfLifeMinutes),
        ] {
            json.key(name)
            if let minutes {
                json.string(RelativeTime.text(ofMinutes: Int(minutes)))
            } else {
                json.null()
            }
        }
        json.endObject()
        return .tagged(.json, json.bytes)
    }
}
