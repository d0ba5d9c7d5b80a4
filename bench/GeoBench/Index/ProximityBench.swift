import GeoIndex

extension Bench {
    /// `index.nearest`: the 10 nearest objects, with ids as texts and distances, and
    /// `index.nearest-keys`: with ids as keys.
    func nearest(_ snapshot: IndexSnapshot) throws {
        guard wants("index.nearest") || wants("index.nearest-keys") else { return }
        let sample = sample(8, of: input.centres.count)
        for index in sample {
            let centre = input.centres[index]
            let expected = ProximityTwin.nearest(10, to: centre, of: input)
            let found = snapshot.nearest(to: centre, limit: 10).map(\.id)
            try check(found == expected, "nearest to \(centre): \(found), not \(expected)")
            let keys = snapshot.nearestKeys(to: centre, limit: 10).map(\.object)
            try check(
                keys == expected.compactMap { ObjectKey(packing: $0) },
                "keys of the nearest to \(centre)")
        }
        try ask(
            "index.nearest", count: input.centres.count,
            checked: "\(sample.count) questions against all objects"
        ) {
            snapshot.nearest(to: input.centres[$0], limit: 10)
        } sum: {
            $0.last?.distance.meters ?? 0
        }
        try ask(
            "index.nearest-keys", count: input.centres.count,
            checked: "\(sample.count) questions against all objects", note: "ids as keys"
        ) {
            snapshot.nearestKeys(to: input.centres[$0], limit: 10)
        } sum: {
            $0.last?.distance.meters ?? 0
        }
    }

    /// `index.radius`: how many objects lie in 500 m, and `index.radius-ids`: which.
    func circles(_ snapshot: IndexSnapshot) throws {
        guard wants("index.radius") || wants("index.radius-ids") else { return }
        let areas = input.circles.map { Area.circle(centre: $0, radius: BenchInput.radius) }
        let sample = sample(8, of: areas.count)
        for index in sample {
            let expected = ProximityTwin.inside(input.circles[index], of: input)
            let found = snapshot.objects(in: areas[index], limit: input.count)
            try check(
                snapshot.count(in: areas[index]) == expected.count
                    && Set(found.map(\.id)) == expected && found.count == expected.count
                    && Set(snapshot.objectKeys(in: areas[index]))
                        == Set(expected.compactMap { ObjectKey(packing: $0) }),
                "\(found.count) objects in a circle of \(expected.count)")
        }
        let checked = "\(sample.count) circles against all objects"
        try ask("index.radius", count: areas.count, checked: checked) {
            snapshot.count(in: areas[$0])
        } sum: {
            Double($0)
        }
        try ask(
            "index.radius-ids", count: areas.count, checked: checked,
            note: "ids as keys, in the order of the index"
        ) {
            snapshot.objectKeys(in: areas[$0])
        } sum: {
            Double($0.count)
        }
    }
}

/// Proximity by looking at every object.
enum ProximityTwin {
    static func nearest(_ limit: Int, to centre: RoundedPosition, of input: BenchInput)
        -> [String]
    {
        var best: [(haversine: Double, id: String)] = []
        for (index, placement) in input.placements.enumerated() {
            let haversine = SphericalGeodesy.haversine(from: centre, to: placement.position)
            if best.count == limit && haversine > best[limit - 1].haversine { continue }
            best.append((haversine, input.ids[index]))
            best.sort { ($0.haversine, $0.id) < ($1.haversine, $1.id) }
            best.removeLast(max(0, best.count - limit))
        }
        return best.map(\.id)
    }

    static func inside(_ centre: RoundedPosition, of input: BenchInput) -> Set<String> {
        let reach = SphericalGeodesy.haversine(of: BenchInput.radius)
        var ids = Set<String>()
        for (index, placement) in input.placements.enumerated()
        where SphericalGeodesy.haversine(from: centre, to: placement.position) <= reach {
            ids.insert(input.ids[index])
        }
        return ids
    }
}
