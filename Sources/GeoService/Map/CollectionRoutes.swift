import GeoIndex
import GeoStore
import JSONText

/// The list of layers, the description of each, and its settings.
struct CollectionRoutes: Sendable {
    let catalog: LayerCatalog
    let viewers: Viewers
    let editor: LayerEditor
    let access: MasterAccess

    /// The longest settings, in bytes.
    private static let greatestBodyBytes = 64 << 10

    func register(in router: inout Router) {
        viewers.add(.get, "/v1/collections", to: &router) { request, viewer in
            try answer(viewer) { try list(request, viewer) }
        }
        viewers.add(.get, "/v1/collections/{layer}", to: &router) { request, viewer in
            try answer(viewer) { try one(request, viewer) }
        }
        router.add(.put, "/v1/collections/{layer}") { request in
            try access.require(request)
            _ = try MapQuery(
                request, .anonymous, own: [], isFiltered: false, isMap: false,
                now: catalog.now())
            return .collect(limitBytes: Self.greatestBodyBytes) { request, body in
                try change(request, body)
            }
        }
        router.add(.delete, "/v1/collections/{layer}") { request in
            try access.require(request)
            _ = try MapQuery(
                request, .anonymous, own: [], isFiltered: false, isMap: false,
                now: catalog.now())
            return remove(request)
        }
    }

    /// Answers at once; a signed-in viewer, whose views may have to be put together, on a thread
    /// that may take a while.
    private func answer(
        _ viewer: Viewer, _ make: @escaping @Sendable () throws -> Response
    ) throws -> Action {
        guard viewer.isAnonymous else { return viewers.pool.run { try make().seen(by: viewer) } }
        return .reply(try make())
    }

    private func list(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        _ = try MapQuery(request, viewer, own: [], isFiltered: false, now: now)
        var json = JSONWriter()
        json.beginObject()
        json.key("collections")
        json.beginArray()
        let permissions = viewers.permissions
        for layer in catalog.all {
            let sight = permissions.sight(of: layer.name, for: viewer)
            guard permissions.isThere(layer, to: viewer, sight) else { continue }
            switch sight {
            case .all, .named:
                try describe(layer, to: viewer, at: now, base: request.baseURL, in: &json)
            case .heat: Self.describeHeat(of: layer, base: request.baseURL, to: &json)
            case .nothing: continue
            }
        }
        json.endArray()
        json.key("links")
        json.value([
            Self.link("self", "application/json", "\(request.baseURL)/v1/collections")
        ])
        json.endObject()
        return .tagged(.json, json.bytes)
    }

    private func one(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        _ = try MapQuery(request, viewer, own: [], isFiltered: false, now: now)
        var json = JSONWriter()
        try describe(
            try catalog.layer(for: request), to: viewer, at: now, base: request.baseURL,
            in: &json)
        return .tagged(.json, json.bytes)
    }

    private func describe(
        _ layer: Layer, to viewer: Viewer, at now: Timestamp, base: String,
        in json: inout JSONWriter
    ) throws {
        let snapshot = try viewers.permissions.look(at: layer, as: viewer).current(at: now)
        Self.describe(layer, snapshot, base: base, to: &json)
    }

    /// Removes a layer's settings on a thread that may wait for the store.
    private func remove(_ request: Request) -> Action {
        .later { responder in
            let isTaken = editor.pool.submit {
                responder.respond {
                    guard let layer = try editor.remove(request.pathValue("layer") ?? "") else {
                        return Response(.noContent)
                    }
                    return Self.response(layer, at: catalog.now(), request)
                }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    private static func response(
        _ layer: Layer, at now: Timestamp, _ request: Request
    ) -> Response {
        var json = JSONWriter()
        describe(layer, layer.current(at: now), base: request.baseURL, to: &json)
        var response = Response(.ok, .json, json.bytes)
        response.cacheControl = "no-store"
        return response
    }

    /// Changes a layer's settings on a thread that may wait for its index.
    private func change(_ request: Request, _ body: [UInt8]) throws(Problem) -> Action {
        let name = request.pathValue("layer") ?? ""
        let members = try Self.settings(body)
        return .later { responder in
            let isTaken = editor.pool.submit {
                responder.respond {
                    let layer = try editor.change(name, by: members)
                    return Self.response(layer, at: catalog.now(), request)
                }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    /// The object of a body. A member that stands twice is refused: which of the two is meant is
    /// for nobody to guess.
    static func settings(_ body: [UInt8]) throws(Problem) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser().parse(body.span, repeatedNames: .refused)
        } catch .repeatedName(let path) {
            throw .parameter(path, "stands more than once")
        } catch {
            throw Problem(.badRequest, "the body is no JSON: \(error)")
        }
        guard let members = value.objectValue else {
            throw Problem(.badRequest, "the body must be a JSON object of settings")
        }
        return members
    }

    private static func describe(
        _ layer: Layer, _ snapshot: IndexSnapshot, base: String, to json: inout JSONWriter
    ) {
        let settings = layer.settings
        json.beginObject()
        json.key("id")
        json.string(layer.name)
        json.key("title")
        json.string(settings.title ?? layer.name)
        for member in settings.effectiveJSON where member.key != "title" {
            json.key(member.key)
            json.value(member.value)
        }
        json.key("itemType")
        json.string("feature")
        json.key("count")
        json.integer(Int64(snapshot.count))
        json.key("extent")
        json.beginObject()
        json.key("spatial")
        json.value(["bbox": .array(snapshot.extent.map { [$0.json] } ?? [])])
        if let times = snapshot.timeRange {
            json.key("temporal")
            json.value([
                "interval": [
                    [
                        .string(Timestamp(milliseconds: times.lowerBound).description),
                        .string(Timestamp(milliseconds: times.upperBound).description),
                    ]
                ]
            ])
        }
        json.endObject()
        json.key("kinds")
        FeatureWriter.kinds(snapshot.kindCounts, to: &json)
        json.key("links")
        json.value([
            link("self", "application/json", "\(base)/v1/collections/\(layer.name)"),
            link("tiles", "application/json", "\(base)/tiles/\(layer.name).json"),
            link(
                "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector", "application/json",
                "\(base)/v1/collections/\(layer.name)/tiles"),
        ])
        json.endObject()
    }

    /// A layer of which only the heat is public: what an operator has said of it, and nothing that
    /// its objects decide.
    private static func describeHeat(
        of layer: Layer, base: String, to json: inout JSONWriter
    ) {
        let settings = layer.settings
        json.beginObject()
        for (name, text) in [
            ("id", layer.name), ("title", settings.title ?? layer.name),
            ("description", settings.description), ("attribution", settings.attribution),
            ("itemType", "heat"),
        ] {
            guard let text else { continue }
            json.key(name)
            json.string(text)
        }
        json.key("heat")
        json.value(settings.effectiveJSON["heat"] ?? [:])
        json.key("links")
        json.value([
            link(
                "tiles", "image/png", "\(base)/tiles/\(layer.name)/{z}/{x}/{y}.png?style=heat"),
            link(
                "legend", "application/json", "\(base)/tiles/\(layer.name)/legend.json?style=heat"),
        ])
        json.endObject()
    }

    private static func link(_ relation: String, _ type: String, _ address: String) -> JSONValue {
        ["rel": .string(relation), "type": .string(type), "href": .string(address)]
    }
}
