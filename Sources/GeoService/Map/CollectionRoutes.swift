import GeoIndex
import GeoStore
import JSONText

/// The list of layers, the description of each, and its settings.
struct CollectionRoutes: Sendable {
    let catalog: LayerCatalog
    let editor: LayerEditor
    let access: MasterAccess

    /// The longest settings, in bytes.
    private static let greatestBodyBytes = 64 << 10

    func register(in router: inout Router) {
        router.add(.get, "/v1/collections") { request in
            let now = catalog.now()
            _ = try MapQuery(request, own: [], isFiltered: false, now: now)
            var json = JSONWriter()
            json.beginObject()
            json.key("collections")
            json.beginArray()
            for layer in catalog.all {
                Self.describe(layer, at: now, base: request.baseURL, to: &json)
            }
            json.endArray()
            json.key("links")
            json.value([
                Self.link("self", "application/json", "\(request.baseURL)/v1/collections")
            ])
            json.endObject()
            return .reply(.tagged(.json, json.bytes))
        }
        router.add(.get, "/v1/collections/{layer}") { request in
            let now = catalog.now()
            _ = try MapQuery(request, own: [], isFiltered: false, now: now)
            var json = JSONWriter()
            Self.describe(
                try catalog.layer(for: request), at: now, base: request.baseURL, to: &json)
            return .reply(.tagged(.json, json.bytes))
        }
        router.add(.put, "/v1/collections/{layer}") { request in
            try access.require(request)
            _ = try MapQuery(request, own: [], isFiltered: false)
            return .collect(limitBytes: Self.greatestBodyBytes) { request, body in
                try change(request, body)
            }
        }
    }

    /// Changes a layer's settings on a thread that may wait for its index.
    private func change(_ request: Request, _ body: [UInt8]) throws(Problem) -> Action {
        let name = request.pathValue("layer") ?? ""
        let members: JSONObject
        do {
            guard let object = try JSONParser.parse(body).objectValue else {
                throw Problem(.badRequest, "the body must be a JSON object of settings")
            }
            members = object
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.badRequest, "the body is no JSON: \(error)")
        }
        return .later { responder in
            let isTaken = editor.pool.submit {
                responder.respond {
                    let layer = try editor.change(name, by: members)
                    var json = JSONWriter()
                    Self.describe(layer, at: catalog.now(), base: request.baseURL, to: &json)
                    var response = Response(.ok, .json, json.bytes)
                    response.cacheControl = "no-store"
                    return response
                }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    private static func describe(
        _ layer: Layer, at now: Timestamp, base: String, to json: inout JSONWriter
    ) {
        let snapshot = layer.current(at: now)
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
        ])
        json.endObject()
    }

    private static func link(_ relation: String, _ type: String, _ address: String) -> JSONValue {
        ["rel": .string(relation), "type": .string(type), "href": .string(address)]
    }
}
