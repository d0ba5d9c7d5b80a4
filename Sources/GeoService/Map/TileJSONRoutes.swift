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

    /// How many objects are looked at for the names of their fields.
    private static let sampleCount = 256

    func register(in router: inout Router) {
        viewers.add(.get, "/tiles/{layer}.json", to: &router) { request, viewer in
            objects.run { try tileJSON(request, viewer).seen(by: viewer) }
        }
    }

    private func tileJSON(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        let query = try MapQuery(request, viewer, own: ["format"], isFiltered: false, now: now)
        let layer = try catalog.layer(for: request)
        let format = try TileJSONRoutes.format(query)
        var json = JSONWriter()
        json.beginObject()
        json.key("tilejson")
        json.string("3.0.0")
        json.key("name")
        json.string(layer.name)
        if let description = layer.settings.description {
            json.key("description")
            json.string(description)
        }
        json.key("scheme")
        json.string("xyz")
        json.key("format")
        json.string(format.rawValue)
        json.key("tiles")
        json.value([.string("\(request.baseURL)/tiles/\(layer.name)/{z}/{x}/{y}.\(format)")])
        json.key("minzoom")
        json.integer(0)
        json.key("maxzoom")
        json.integer(Int64(TileID.maxZoom))
        let seen = try viewers.permissions.look(at: layer, as: viewer).current(at: now)
        if let extent = seen.extent {
            json.key("bounds")
            json.value(extent.json)
        }
        if let attribution = layer.settings.attribution {
            json.key("attribution")
            json.string(attribution)
        }
        json.key("vector_layers")
        json.beginArray()
        if format == .mvt {
            try vectorLayer(layer, seen, to: viewer, in: &json)
        }
        json.endArray()
        json.endObject()
        return .tagged(.json, json.bytes)
    }

    private static func format(_ query: MapQuery) throws(Problem) -> Format {
        guard let text = query.text("format") else { return .mvt }
        guard let format = Format(rawValue: text) else {
            throw .parameter("format", "must be mvt or png")
        }
        return format
    }

    /// The layer of the vector tiles, with the properties of its features.
    private func vectorLayer(
        _ layer: Layer, _ seen: IndexSnapshot, to viewer: Viewer, in json: inout JSONWriter
    ) throws {
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
        json.beginObject()
        let properties = try TileJSONRoutes.properties(
            layer, seen, to: viewer, from: objects, sampleCount: TileJSONRoutes.sampleCount)
        for property in properties.sorted(by: { $0.key < $1.key }) {
            json.key(property.key)
            json.string(property.value)
        }
        json.endObject()
        json.endObject()
    }

    /// The properties of features by name, with what their values are.
    ///
    /// - Parameters:
    ///   - seen: The layer as the viewer sees it.
    ///   - sampleCount: How many objects are looked at for the names of their fields.
    /// - Throws: What reading the store throws.
    static func properties(
        _ layer: Layer, _ seen: IndexSnapshot, to viewer: Viewer, from objects: ObjectReader,
        sampleCount: Int
    ) throws -> [String: String] {
        let single = try singleProperties(
            layer, seen, to: viewer, from: objects, sampleCount: sampleCount)
        return clusterProperties(layer).merging(single) { own, _ in own }
    }

    private static func clusterProperties(_ layer: Layer) -> [String: String] {
        var properties = [
            "cluster": "Boolean", "cluster_id": "Number", "point_count": "Number",
            "point_count_abbreviated": "String", "bbox": "String of JSON",
            "kinds": "String of JSON",
        ]
        for aggregate in layer.settings.fields.aggregates { properties[aggregate.name] = "Number" }
        return properties
    }

    /// What single objects have: the fields that the viewer is shown of his own sample of objects.
    /// The class's fields would tell him those that only others' objects have.
    private static func singleProperties(
        _ layer: Layer, _ seen: IndexSnapshot, to viewer: Viewer, from objects: ObjectReader,
        sampleCount: Int
    ) throws -> [String: String] {
        let shown = try objects.shown(
            layer.name, layer.settings.fields,
            ids: seen.sampleIDs(count: sampleCount), to: viewer,
            omitting: FeatureWriter.ownNames)
        var properties = ["objectId": "String", "createdAt": "String"]
        let types = objects.store.catalog[layer.name]?.fields ?? [:]
        for object in shown.objects.compactMap(\.self) {
            shown.withFields(of: object) { text in
                for name in PropertyWriter.names(in: text) where properties[name] == nil {
                    properties[name] = types[name].map(TileJSONRoutes.description) ?? "String"
                }
            }
        }
        return properties
    }

    /// What a property's values are.
    private static func description(_ type: FieldType) -> String {
        switch type {
        case .string: "String"
        case .number: "Number"
        case .boolean: "Boolean"
        case .date, .object, .array, .geoPoint, .polygon, .file, .bytes, .pointer, .relation:
            "String of JSON"
        }
    }
}
