import GeoIndex

/// An object whose place the map's index does not tell, or not as the caller sees it.
private struct PlacedApart {
    let id: String
    let position: RoundedPosition
    var haversine = 0.0
}

extension QueryRun {
    /// Areas that hold all places that pass one of the tests, and perhaps some more.
    static func areas(_ tests: [WhereTest]) -> [Area] {
        tests.map { test in
            switch test {
            case .inBox(let box):
                let (west, east) = (Int64(box.southWest.lonE7), Int64(box.northEast.lonE7))
                return area(
                    west, Int64(box.southWest.latE7), west <= east ? east : east + worldE7,
                    Int64(box.northEast.latE7))
            case .inRing(let ring):
                let bounds = ring.bounds
                return area(bounds.west, bounds.south, bounds.east, bounds.north)
            case .equals(.place(let place)):
                return area(
                    Int64(place.lonE7), Int64(place.latE7), Int64(place.lonE7),
                    Int64(place.latE7))
            case .inCircle(let centre, let haversine):
                guard haversine < 1 else { return .box(.world) }
                let angle = SphericalGeodesy.centralAngle(haversine: max(0, haversine))
                // A metre more than any rounding.
                let meters = angle * SphericalGeodesy.earthRadiusMeters * (1 + 1e-9) + 1
                return .circle(centre: centre, radius: .meters(meters))
            default: return .box(.world)
            }
        }
    }

    private static let worldE7: Int64 = 3_600_000_000

    /// A box a little larger than its edges in 1e-7°, of which the east may lie beyond 180°.
    private static func area(
        _ west: Int64, _ south: Int64, _ east: Int64, _ north: Int64
    ) -> Area {
        let box = try? BoundingBox(
            west: Double(west - 2) / 1e7, south: max(-90, Double(south - 2) / 1e7),
            east: Double(east + 2) / 1e7, north: min(90, Double(north + 2) / 1e7))
        return .box(box ?? .world)
    }

    /// Reads the objects that lie in one of the areas of tests.
    func readAreas(
        _ snapshot: IndexSnapshot, _ tests: [WhereTest], _ className: String, _ number: Int64,
        _ body: (ObjectRow) throws -> Bool
    ) throws {
        // However few objects are left of them, all in the areas are looked up.
        if connection.connection.hasAllowance {
            for area in QueryRun.areas(tests) {
                try connection.connection.take(rows: snapshot.count(in: area))
            }
        }
        var ids = Set(
            try placedApart(className, number) { place in
                try tests.contains { try $0.holds(.place(place)) }
            }.map(\.id))
        for area in QueryRun.areas(tests) {
            for object in snapshot.objects(in: area, limit: snapshot.count) {
                ids.insert(object.id)
            }
        }
        // In the order of the ids, which is that of the table's index.
        _ = try read(
            ids: ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, number, body)
    }

    /// Reads objects from the nearest on, until enough are found: more and more at a time, as many
    /// as are wanted at first.
    ///
    /// When `isFull` says so, all that are nearer than the last one have been read.
    func readNearest(
        _ snapshot: IndexSnapshot, _ near: Where.Near, _ className: String, _ number: Int64,
        wanted: Int, isFull: () -> Bool, _ body: (ObjectRow) throws -> Bool
    ) throws {
        var apart = try placedApart(className, number) { _ in true }
        for index in apart.indices {
            apart[index].haversine = SphericalGeodesy.haversine(
                from: near.centre, to: apart[index].position)
        }
        apart.sort { $0.haversine < $1.haversine }
        let known = Set(apart.map(\.id))
        var rest = apart.prefix { $0.haversine <= near.haversine }
        let radius = QueryRun.radius(near)
        var chunk = min(max(1, wanted), QueryRun.greatestChunk)
        var last: NearbyCursor?
        while true {
            let found = snapshot.nearest(
                to: near.centre, limit: chunk, radius: radius, after: last)
            var ids = found.map(\.id).filter { !known.contains($0) }
            let isLast = found.count < chunk
            let reach =
                isLast
                ? Double.infinity
                : found.last.map {
                    SphericalGeodesy.haversine(from: near.centre, to: $0.position)
                } ?? .infinity
            let others = rest.prefix { $0.haversine <= reach }
            rest = rest.dropFirst(others.count)
            ids += others.map(\.id)
            guard try read(ids: ids, number, body) else { return }
            if isLast || isFull() { return }
            last = found.last.map { NearbyCursor(position: $0.position, id: $0.id) }
            chunk = min(2 * chunk, QueryRun.greatestChunk)
        }
    }

    /// How many of the nearest are read at most at a time.
    private static let greatestChunk = 2_048

    /// A radius that rounding does not make too short; nil is the whole globe.
    private static func radius(_ near: Where.Near) -> Distance? {
        let circle = areas([.inCircle(centre: near.centre, haversine: near.haversine)])
        if case .circle(_, let radius, _)? = circle.first { return radius }
        return nil
    }

    /// The objects beside the map's index that the caller may read: those of few readers, and for
    /// who sees everything, those whose place is coarse or whose time may be over.
    private func placedApart(
        _ className: String, _ number: Int64, _ passes: (RoundedPosition) throws -> Bool
    ) throws -> [PlacedApart] {
        let scope = access.scope(className)
        guard access.seesEverything || !scope.readers.names.isEmpty else { return [] }
        let least = access.leastAccuracy(className)
        var owned = access.seesEverything ? [:] : access.owned(className)
        let readers =
            access.seesEverything
            ? ""
            : """
             AND readers IN (SELECT number FROM reader_principals
                WHERE principal IN (SELECT value FROM json_each(?3)))
            """
        return try connection.queries.with(
            """
            SELECT id, lon, lat, accuracy FROM objects INDEXED BY objects_placed_apart
            WHERE class = ?4 AND lon IS NOT NULL
                AND (readers <> 1 OR accuracy IS NOT NULL OR expires IS NOT NULL)\
            \(readers)\(scope.condition)
            """
        ) { rows in
            scope.bind(to: rows)
            rows.bind(number, at: ObjectScope.firstFreeParameter)
            var found: [PlacedApart] = []
            while try rows.step() {
                guard var position = try? LonLat(lon: rows.double(1), lat: rows.double(2)) else {
                    throw StoreError.corrupt
                }
                let id = rows.text(0)
                if let exact = owned.removeValue(forKey: id) {
                    if try passes(exact) { found.append(PlacedApart(id: id, position: exact)) }
                    continue
                }
                if !access.seesEverything {
                    let own = rows.optionalDouble(3).map {
                        LocationAccuracy(meters: $0) ?? .coarsest
                    }
                    position = LocationAccuracy.coarser(own, least)?.shown(position) ?? position
                }
                let place = RoundedPosition(position)
                if try passes(place) {
                    found.append(PlacedApart(id: id, position: place))
                }
            }
            // Those that everybody may read, elsewhere.
            for (id, exact) in owned where try passes(exact) {
                found.append(PlacedApart(id: id, position: exact))
            }
            return found
        }
    }
}
