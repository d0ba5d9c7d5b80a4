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

    func register(in router: inout Router) {
        // Both read documents, so that all of it happens on a worker thread.
        router.add(.get, "/near/{layer}") { request in objects.run { try near(request) } }
        router.add(.get, "/within/{layer}") { request in objects.run { try within(request) } }
    }

    private func near(_ request: Request) throws -> Response {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, own: ["lon", "lat", "limit", "radius", "cursor"], now: now)
        let centre = try ProximityRoutes.centre(query)
        let limit =
            try query.integer("limit", in: ProximityRoutes.limits)
            ?? ProximityRoutes.defaultNearLimit
        let radius = try ProximityRoutes.radius(query)
        let cursor = try query.text("cursor").map { text throws(Problem) in
            guard let cursor = NearbyCursor(text) else { throw .badCursor }
            return cursor
        }
        // One more than asked for tells whether there is a next page.
        let hits = layer.current(at: now).nearest(
            to: centre, limit: limit + 1, radius: radius, after: cursor, filter: query.filter)
        let found = Array(hits.prefix(limit))
        let next = hits.count > limit ? found.last.map { NearbyCursor($0).text } : nil
        let documents = try objects.documents(layer.name, ids: found.map(\.id))
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        for (hit, document) in zip(found, documents) {
            guard let document else { continue }
            let bearing = SphericalGeodesy.initialBearing(from: centre, to: hit.position)
            FeatureWriter.object(
                document,
                extra: [
                    ("distance", .number(hit.distance.meters)), ("bearing", .number(bearing)),
                ], to: &json)
        }
        return try ProximityRoutes.page(&json, next: next, of: request)
    }

    private func within(_ request: Request) throws -> Response {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, own: ["bbox", "center", "radius", "limit", "cursor", "count"], now: now)
        let area = try ProximityRoutes.area(query)
        let snapshot = layer.current(at: now)
        if try query.flag("count") {
            let count = snapshot.count(in: area, filter: query.filter)
            return .tagged(.json, JSONWriter.encode(["count": .integer(Int64(count))]))
        }
        let limit =
            try query.integer("limit", in: ProximityRoutes.limits)
            ?? ProximityRoutes.defaultWithinLimit
        let cursor = query.text("cursor")
        if let cursor, !ObjectID.isValid(cursor) { throw Problem.badCursor }
        // One more than asked for tells whether there is a next page.
        let hits = snapshot.objects(
            in: area, limit: limit + 1, after: cursor, filter: query.filter)
        let found = Array(hits.prefix(limit))
        let next = hits.count > limit ? found.last?.id : nil
        let documents = try objects.documents(layer.name, ids: found.map(\.id))
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        for document in documents.compactMap(\.self) {
            FeatureWriter.object(document, to: &json)
        }
        return try ProximityRoutes.page(&json, next: next, of: request)
    }

    private static func area(_ query: MapQuery) throws(Problem) -> Area {
        let box = try query.box("bbox")
        let centre = try query.place("center")
        switch (box, centre) {
        case (let box?, nil):
            guard query.text("radius") == nil else {
                throw .parameter("radius", "goes with center, not with bbox")
            }
            return .box(box)
        case (nil, let centre?):
            guard let radius = try radius(query) else {
                throw .parameter("radius", "is missing: it is a number of metres, 0 or more")
            }
            return .circle(centre: centre, radius: radius)
        case (nil, nil):
            throw .parameter("bbox", "is missing: send bbox=w,s,e,n, or center=lon,lat&radius=m")
        default:
            throw .parameter("center", "and bbox exclude one another")
        }
    }

    private static func centre(_ query: MapQuery) throws(Problem) -> RoundedPosition {
        guard let lon = try query.number("lon") else {
            throw .parameter("lon", "is missing: it is a longitude in degrees")
        }
        guard let lat = try query.number("lat") else {
            throw .parameter("lat", "is missing: it is a latitude in degrees")
        }
        do {
            return RoundedPosition(try LonLat(wrappingLon: lon, lat: lat))
        } catch {
            switch error {
            case .longitude: throw .parameter("lon", "is no longitude: \(error)")
            case .latitude: throw .parameter("lat", "is no latitude: \(error)")
            }
        }
    }

    private static func radius(_ query: MapQuery) throws(Problem) -> Distance? {
        guard let meters = try query.number("radius") else { return nil }
        guard meters >= 0 else {
            throw .parameter("radius", "must be a number of metres, 0 or more")
        }
        return .meters(meters)
    }

    /// Ends a page of features with the address of the next one.
    private static func page(_ json: inout JSONWriter, next: String?, of request: Request)
        throws(Problem) -> Response
    {
        json.endArray()
        let link = try next.map { text throws(Problem) in
            try request.address(setting: "cursor", to: text)
        }
        if let next, let link {
            json.key("next")
            json.string(next)
            json.key("links")
            json.value([["rel": "next", "type": "application/geo+json", "href": .string(link)]])
        }
        json.endObject()
        var response = Response.tagged(.geoJSON, json.bytes)
        if let link { response.headers.append(HeaderField("Link", "<\(link)>; rel=\"next\"")) }
        return response
    }
}

extension Problem {
    /// A cursor that this service did not give out.
    static var badCursor: Problem {
        .parameter("cursor", "must be the next of the page before, unchanged")
    }
}

extension NearbyCursor {
    /// Where a page goes on after its last object.
    init(_ last: NearbyObject) {
        self.init(position: last.position, id: last.id)
    }

    /// The form in addresses: units of 1e-7° east and north, then the id.
    var text: String { "\(position.lonE7).\(position.latE7).\(id)" }

    /// Reads the form in addresses; nil when it is none.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let lonE7 = Int32(parts[0]), let latE7 = Int32(parts[1]),
            abs(Int64(lonE7)) <= 1_800_000_000, abs(Int64(latE7)) <= 900_000_000,
            ObjectID.isValid(String(parts[2]))
        else { return nil }
        self.init(
            position: RoundedPosition(lonE7: lonE7, latE7: latE7), id: String(parts[2]))
    }
}
