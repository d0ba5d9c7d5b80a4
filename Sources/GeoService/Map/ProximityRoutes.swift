import GeoIndex
import GeoStore
import JSONText

/// Objects near a place and objects in an area.
struct ProximityRoutes: Sendable {
    static let limits = 1...10_000
    static let defaultNearLimit = 10
    static let defaultWithinLimit = 100

    let catalog: LayerCatalog
    let objects: ObjectReader
    let viewers: Viewers

    func register(in router: inout Router) {
        // All of them read documents, so that all of it happens on a worker thread.
        viewers.add(.get, "/near/{layer}", to: &router) { request, viewer in
            objects.run(request) { try near(request, viewer).seen(by: viewer) }
        }
        viewers.add(.get, "/within/{layer}", to: &router) { request, viewer in
            objects.run(request) { try within(request, viewer).seen(by: viewer) }
        }
        router.add(.post, "/within/{layer}") { _ in
            .collect { request, body in
                try viewers.answer(request) { viewer in
                    // A region may take seconds: the quick questions' threads are not for it.
                    objects.runLong {
                        try within(request, viewer, region: body).seen(by: viewer)
                    }
                }
            }
        }
    }

    // MARK: - Near

    private func near(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, viewer, own: ["lon", "lat", "limit", "radius", "cursor", "geodesic"],
            now: now)
        let centre = try query.centre()
        let limit =
            try query.integer("limit", in: ProximityRoutes.limits)
            ?? ProximityRoutes.defaultNearLimit
        let radius = try query.radius()
        let model = try query.model()
        let question = query.question(
            "near", of: layer.name, in: .near(centre, radius: radius, on: model))
        let cursor = try PageCursor(query, of: question, hasPlace: true)
        let last = cursor.flatMap { cursor in
            cursor.position.map { NearbyCursor(position: $0, id: cursor.id) }
        }
        // One more than asked for tells whether there is a next page.
        let hits = try objects.ask(layer, query) { snapshot, filter in
            snapshot.nearest(
                to: centre, limit: limit + 1, radius: radius, after: last, on: model,
                filter: filter)
        }
        let found = Array(hits.prefix(limit))
        let next = hits.count > limit ? found.last : nil
        let shown = try objects.shown(
            layer.name, layer.settings.fields, ids: found.map(\.id), to: viewer,
            omitting: FeatureWriter.ownNames + ["distance", "bearing"])
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        for (hit, object) in zip(found, shown.objects) {
            guard let object else { continue }
            let bearing =
                model == .sphere
                ? SphericalGeodesy.initialBearing(from: centre, to: hit.position)
                : EllipsoidalGeodesy.initialBearing(from: centre, to: hit.position)
            FeatureWriter.object(
                object, of: shown,
                extra: [
                    ("distance", .number(hit.distance.meters)), ("bearing", .number(bearing)),
                ], to: &json)
        }
        return try ProximityRoutes.page(
            &json,
            next: next.map { PageCursor(position: $0.position, id: $0.id).text(of: question) },
            of: request)
    }

    // MARK: - Within

    private func within(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, viewer,
            own: ["bbox", "center", "radius", "geodesic", "geohash", "limit", "cursor", "count"],
            now: now)
        return try objects(in: try query.area(), of: layer, query, request)
    }

    /// What one polygon may take: tens of thousands of corners round as many objects need it.
    private static let regionTime = Duration.seconds(4)

    private func within(
        _ request: Request, _ viewer: Viewer, region body: [UInt8]
    ) throws -> Response {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, viewer, own: ["limit", "cursor", "count"], now: now)
        var region = try RegionReader.region(of: body)
        let deadline = SearchDeadline(in: ProximityRoutes.regionTime)
        region.deadline = deadline
        let response = try objects(in: .region(region), of: layer, query, request)
        guard !deadline.hasEndedSearch else {
            throw Problem(
                .unprocessableContent,
                "the polygon takes more than \(ProximityRoutes.regionTime.components.seconds) "
                    + "seconds with this layer's objects: send fewer corners, a smaller area, a kind "
                    + "or a span of time")
        }
        return response
    }

    private func objects(
        in area: Area, of layer: Layer, _ query: MapQuery, _ request: Request
    ) throws -> Response {
        let question = query.question("within", of: layer.name, in: .area(area))
        let limit =
            try query.integer("limit", in: ProximityRoutes.limits)
            ?? ProximityRoutes.defaultWithinLimit
        let cursor = try PageCursor(query, of: question, hasPlace: false)
        if try query.flag("count") {
            let count = try objects.ask(layer, query) { $0.count(in: area, filter: $1) }
            return ProximityRoutes.answer(
                .json, JSONWriter.encode(["count": .integer(Int64(count))]), to: request)
        }
        // One more than asked for tells whether there is a next page.
        let hits = try objects.ask(layer, query) { snapshot, filter in
            snapshot.objects(in: area, limit: limit + 1, after: cursor?.id, filter: filter)
        }
        let found = Array(hits.prefix(limit))
        let next = hits.count > limit ? found.last : nil
        let shown = try objects.shown(
            layer.name, layer.settings.fields, ids: found.map(\.id), to: query.viewer,
            omitting: FeatureWriter.ownNames)
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        for object in shown.objects.compactMap(\.self) {
            FeatureWriter.object(object, of: shown, to: &json)
        }
        return try ProximityRoutes.page(
            &json, next: next.map { PageCursor(id: $0.id).text(of: question) }, of: request)
    }

    /// Ends a page of features with the address of the next one.
    private static func page(_ json: inout JSONWriter, next: String?, of request: Request)
        throws(Problem) -> Response
    {
        json.endArray()
        let link = try next.map { text throws(Problem) in
            try request.address(setting: "cursor", to: text)
        }
        let isPost = request.method == .post
        if let next, let link {
            json.key("next")
            json.string(next)
            json.key("links")
            var members: [(String, JSONValue)] = [
                ("rel", "next"), ("type", "application/geo+json"), ("href", .string(link)),
            ]
            // The same body goes to the next page.
            if isPost { members.append(("method", "POST")) }
            json.value([.object(JSONObject(members))])
        }
        json.endObject()
        var response = answer(.geoJSON, json.bytes, to: request)
        // A Link would be followed by GET.
        if let link, !isPost {
            response.headers.append(HeaderField("Link", "<\(link)>; rel=\"next\""))
        }
        return response
    }

    /// An answer with a tag; what was asked by POST no cache keeps.
    private static func answer(
        _ type: MediaType, _ bytes: [UInt8], to request: Request
    ) -> Response {
        if request.method != .post { return .tagged(type, bytes) }
        var response = Response(.ok, type, bytes)
        response.cacheControl = "no-store"
        return response
    }
}
