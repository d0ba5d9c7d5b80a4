import GeoIndex
import GeoStore
import JSONText
import TileRender

/// A layer's tiles as OGC API – Tiles has them (OGC 20-057, version 1.0): the list of its tilesets,
/// which is one, the description of that, and its tiles. In these addresses the row comes before the
/// column.
///
/// The tiles are those of `/tiles/{layer}`, byte for byte and with the same tags. Which form they
/// have is asked by `f` alone, so that an answer depends on its address.
struct TilesetRoutes: Sendable {
    let catalog: LayerCatalog
    let pictures: TileRoutes
    let vectors: VectorTileRoutes
    let viewers: Viewers

    /// The forms of tiles.
    private enum Form: String, CaseIterable {
        case mvt, geojson, png

        var mediaType: String {
            switch self {
            case .mvt: MediaType.vectorTile.text.description
            case .geojson: MediaType.geoJSON.text.description
            case .png: MediaType.png.text.description
            }
        }

        /// Whose tiles they are, for people.
        var title: String {
            switch self {
            case .mvt: "Mapbox vector tiles"
            case .geojson: "GeoJSON of what each tile owns"
            case .png: "Pictures"
            }
        }
    }

    private static let scheme = "WebMercatorQuad"
    private static let schemeURI =
        "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"
    private static let crs = "http://www.opengis.net/def/crs/EPSG/0/3857"

    /// The parts of the standard that hold here.
    private static let conformance = [
        "core", "tileset", "tilesets-list", "geodata-tilesets", "mvt", "geojson", "png",
    ].map { "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/\($0)" }

    func register(in router: inout Router) {
        let tiles = "/v1/collections/{layer}/tiles"
        viewers.add(.get, "/v1/conformance", to: &router) { request, viewer in
            _ = try MapQuery(request, viewer, own: [], isFiltered: false, now: catalog.now())
            return .reply(
                .tagged(
                    .json,
                    JSONWriter.encode([
                        "conformsTo": .array(Self.conformance.map { .string($0) })
                    ])))
        }
        viewers.add(.get, tiles, to: &router) { try answer($0, $1, list) }
        viewers.add(.get, "\(tiles)/\(Self.scheme)", to: &router) { try answer($0, $1, tileset) }
        viewers.add(.get, "\(tiles)/\(Self.scheme)/{z}/{y}/{x}", heatIsEnough: true, to: &router) {
            try tile($0, $1)
        }
    }

    private func tile(_ request: Request, _ viewer: Viewer) throws -> Action {
        let layer = try catalog.layer(for: request)
        let text = try request.query("f")
        guard let form = text.map({ Form(rawValue: $0) }) ?? .mvt else {
            let known = Form.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.parameter("f", "must be one of \(known)")
        }
        if form == .png { return try pictures.answer(request, viewer, scale: 1, further: ["f"]) }
        try viewers.permissions.check(layer.name, for: viewer)
        return try vectors.answer(
            request, viewer, try TileRoutes.tile(request),
            as: form == .mvt ? .vector : .geoJSON, further: ["f"])
    }

    /// Answers with a document about a layer: at once, or on a thread that may put a view together.
    private func answer(
        _ request: Request, _ viewer: Viewer,
        _ document: @escaping @Sendable (Layer, _ base: String, BoundingBox?) -> JSONValue
    ) throws -> Action {
        let make = { @Sendable [self] () throws -> Response in
            let now = catalog.now()
            _ = try MapQuery(request, viewer, own: [], isFiltered: false, now: now)
            let layer = try catalog.layer(for: request)
            let seen = try viewers.permissions.look(at: layer, as: viewer).current(at: now)
            let base = "\(request.baseURL)/v1/collections/\(layer.name)"
            return .tagged(.json, JSONWriter.encode(document(layer, base, seen.extent)))
        }
        guard viewer.isAnonymous else { return viewers.pool.run { try make().seen(by: viewer) } }
        return .reply(try make())
    }

    /// OGC 20-057 §10, "Tilesets List".
    private func list(_ layer: Layer, _ base: String, _ extent: BoundingBox?) -> JSONValue {
        let address = "\(base)/tiles"
        return [
            "tilesets": [
                .object([
                    "title": .string(layer.settings.title ?? layer.name), "dataType": "vector",
                    "crs": .string(Self.crs), "tileMatrixSetURI": .string(Self.schemeURI),
                    "links": [
                        Self.link("self", "application/json", "\(address)/\(Self.scheme)")
                    ],
                ])
            ],
            "links": [Self.link("self", "application/json", address)],
        ]
    }

    /// OGC 20-057 §9, "Tileset", with the metadata of OGC 17-083r4.
    private func tileset(_ layer: Layer, _ base: String, _ extent: BoundingBox?) -> JSONValue {
        let address = "\(base)/tiles/\(Self.scheme)"
        var document: JSONObject = [
            "title": .string(layer.settings.title ?? layer.name), "dataType": "vector",
            "crs": .string(Self.crs), "tileMatrixSetURI": .string(Self.schemeURI),
        ]
        if let text = layer.settings.description { document["description"] = .string(text) }
        if let text = layer.settings.attribution { document["attribution"] = .string(text) }
        if let extent {
            document["boundingBox"] = [
                "lowerLeft": [.number(extent.west), .number(extent.south)],
                "upperRight": [.number(extent.east), .number(extent.north)],
                "crs": "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
            ]
        }
        document["layers"] = [
            ["id": .string(layer.name), "dataType": "vector", "geometryDimension": 0]
        ]
        let template = "\(address)/{tileMatrix}/{tileRow}/{tileCol}"
        let items = Form.allCases.map { form -> JSONValue in
            [
                "rel": "item", "type": .string(form.mediaType), "title": .string(form.title),
                "href": .string("\(template)?f=\(form.rawValue)"), "templated": true,
            ]
        }
        document["links"] = .array(
            [
                Self.link("self", "application/json", address),
                Self.link(
                    "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme", "application/json",
                    Self.schemeURI),
            ] + items)
        return .object(document)
    }

    private static func link(_ relation: String, _ type: String, _ address: String) -> JSONValue {
        ["rel": .string(relation), "type": .string(type), "href": .string(address)]
    }
}
