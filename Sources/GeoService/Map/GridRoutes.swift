import GeoIndex
import JSONText

/// Objects counted on grids, and the cells of geohashes.
struct GridRoutes: Sendable {
    /// How many buckets one answer has at most, and unless it is asked for fewer.
    static let limits = 1...100_000
    static let defaultLimit = 10_000

    let catalog: LayerCatalog
    let objects: ObjectReader
    let viewers: Viewers

    func register(in router: inout Router) {
        // A filter looks at every object: on a worker thread.
        viewers.add(.get, "/aggregate/{layer}", to: &router) { request, viewer in
            objects.run(request) { try aggregate(request, viewer).seen(by: viewer) }
        }
        viewers.add(.get, "/geohash/{hash}", to: &router) { request, viewer in
            .reply(try cell(request, viewer))
        }
    }

    private func aggregate(_ request: Request, _ viewer: Viewer) throws -> Response {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, viewer, own: ["grid", "precision", "bbox", "limit"], now: now)
        let grid = try GridRoutes.grid(query)
        let box = try query.box("bbox")
        let limit =
            try query.integer("limit", in: GridRoutes.limits) ?? GridRoutes.defaultLimit
        let buckets: [GridBucket]
        do {
            buckets = try objects.ask(layer, query) { snapshot, filter in
                try snapshot.buckets(of: grid, in: box, limit: limit, filter: filter)
            }
        } catch is TooManyBuckets {
            throw Problem.parameter(
                "limit",
                "is \(limit), but there are more buckets: ask for a lower precision, a smaller "
                    + "bbox or a greater limit (at most \(GridRoutes.limits.upperBound))")
        }
        var json = JSONWriter()
        json.beginObject()
        json.key("buckets")
        json.beginArray()
        for bucket in buckets {
            json.beginObject()
            json.key("key")
            json.string(bucket.key)
            json.key("count")
            json.integer(Int64(bucket.count))
            json.key("centroid")
            json.position(bucket.centroid)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .tagged(.json, json.bytes)
    }

    private static func grid(_ query: MapQuery) throws(Problem) -> AggregateGrid {
        let name = try query.required("grid", "is geohash or geotile")
        switch name {
        case "geohash":
            return .geohash(precision: try precision(query, in: 1...Geohash.maxPrecision, name))
        case "geotile":
            let zoom = try precision(query, in: 0...Int(TileID.maxZoom), name)
            return .geotile(zoom: UInt8(zoom))
        default: throw .parameter("grid", "must be geohash or geotile")
        }
    }

    private static func precision(
        _ query: MapQuery, in range: ClosedRange<Int>, _ grid: String
    ) throws(Problem) -> Int {
        guard let precision = try query.integer("precision", in: range) else {
            throw .parameter(
                "precision",
                "is missing: with grid=\(grid) it is a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        return precision
    }

    private func cell(_ request: Request, _ viewer: Viewer) throws -> Response {
        _ = try MapQuery(request, viewer, own: [], isFiltered: false, now: catalog.now())
        let hash = try MapQuery.geohash(request.pathValue("hash") ?? "", of: "hash")
        var json = JSONWriter()
        json.beginObject()
        json.key("geohash")
        json.string(hash.text)
        json.key("bbox")
        json.value(hash.bounds.json)
        json.key("centre")
        json.position(hash.centre)
        json.key("neighbours")
        json.beginObject()
        for direction in Geohash.Direction.allCases {
            json.key(direction.rawValue)
            if let neighbour = hash.neighbour(direction) {
                json.string(neighbour.text)
            } else {
                json.null()
            }
        }
        json.endObject()
        json.endObject()
        return .tagged(.json, json.bytes)
    }
}

extension JSONWriter {
    /// `[lon, lat]`.
    fileprivate mutating func position(_ position: RoundedPosition) {
        beginArray()
        number(position.lon)
        number(position.lat)
        endArray()
    }
}
