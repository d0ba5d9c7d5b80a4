import GeoIndex
import GeoStore
import JSONText
import TileRender

/// `GET /tiles/{layer}.json`: TileJSON 3.0.0 of a layer's vector tiles or of its pictures.
///
/// A document describes tiles of one kind, of which any of its addresses may be asked: so the two
/// kinds have a document each, and the one with `vector_layers` is that of the vector tiles.
struct TileJSONRoutes: Sendable {
    let catalog: LayerCatalog
    let objects: ObjectReader
    let viewers: Viewers

    /// The kinds of tiles that there are documents of.
    private enum Format: String, CaseIterable {
        case mvt, png
    }

    func register(in router: inout Router) {
        viewers.add(.get, "/tiles/{layer}.json", to: &router) { request, viewer in
            if viewer.isAnonymous { return .reply(try tileJSON(request, viewer)) }
            return objects.run { try tileJSON(request, viewer).seen(by: viewer) }
        }
    }

    private func tileJSON(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        let query = try MapQuery(request, viewer, own: ["format"], isFiltered: false, now: now)
        let isBasemap = request.pathValue("layer") == "basemap"
        let layer = isBasemap ? nil : try catalog.layer(for: request)
        let format = try TileJSONRoutes.format(query, isBasemap: isBasemap)
        let name = layer?.name ?? "basemap"
        var json = JSONWriter()
        json.beginObject()
        json.key("tilejson")
        json.string("3.0.0")
        json.key("name")
        json.string(name)
        if let description = layer?.settings.description {
            json.key("description")
            json.string(description)
        }
        json.key("scheme")
        json.string("xyz")
        json.key("format")
        json.string(format.rawValue)
        json.key("tiles")
        json.value([.string("\(request.baseURL)/tiles/\(name)/{z}/{x}/{y}.\(format)")])
        json.key("minzoom")
        json.integer(0)
        json.key("maxzoom")
        json.integer(Int64(TileID.maxZoom))
        let seen = try layer.map { try viewers.permissions.look(at: $0, as: viewer) }
        if let extent = seen?.current(at: now).extent {
            json.key("bounds")
            json.value(extent.json)
        }
        if let attribution = isBasemap ? Basemap.attribution : layer?.settings.attribution {
            json.key("attribution")
            json.string(attribution)
        }
        json.key("vector_layers")
        json.beginArray()
        if let layer, format == .mvt { vectorLayer(layer, to: viewer, in: &json) }
        json.endArray()
        json.endObject()
        return .tagged(.json, json.bytes)
    }

    private static func format(_ query: MapQuery, isBasemap: Bool) throws(Problem) -> Format {
        guard let text = query.text("format") else { return isBasemap ? .png : .mvt }
        guard let format = Format(rawValue: text) else {
            throw .parameter("format", "must be mvt or png")
        }
        guard !isBasemap || format == .png else {
            throw .parameter("format", "must be png: the basemap has no vector tiles")
        }
        return format
    }

    /// The layer of the vector tiles, with all properties that its features may have.
    private func vectorLayer(_ layer: Layer, to viewer: Viewer, in json: inout JSONWriter) {
        json.beginObject()
        json.key("id")
        json.string(layer.name)
        if let description = layer.settings.description {
            json.key("description")
            json.string(description)
        }
        json.key("minzoom")
        json.integer(0)
        json.key("maxzoom")
        json.integer(Int64(TileID.maxZoom))
        json.key("fields")
        let fields = TileJSONRoutes.properties(
            layer, viewers.permissions.shownFields(of: layer.name, to: viewer))
        json.beginObject()
        for field in fields.sorted(by: { $0.key < $1.key }) {
            json.key(field.key)
            json.string(field.value)
        }
        json.endObject()
        json.endObject()
    }

    /// The properties of features by name, with what their values are.
    static func properties(_ layer: Layer, _ fields: [String: FieldType]) -> [String: String] {
        var properties = fields.compactMapValues { type in
            switch type {
            case .string: "String"
            case .number: "Number"
            case .boolean: "Boolean"
            // A feature's place is its geometry.
            case .geoPoint, .relation: nil as String?
            case .date, .object, .array, .polygon, .file, .bytes, .pointer: "String of JSON"
            }
        }
        properties["objectId"] = "String"
        properties["createdAt"] = "String"
        properties["cluster"] = "Boolean"
        properties["cluster_id"] = "Number"
        properties["point_count"] = "Number"
        properties["point_count_abbreviated"] = "String"
        properties["bbox"] = "String of JSON"
        properties["kinds"] = "String of JSON"
        for aggregate in layer.settings.fields.aggregates { properties[aggregate.name] = "Number" }
        return properties
    }
}
