import GeoIndex

/// Reads the places, lengths and areas that parameters name.
extension MapQuery {
    /// The area of `bbox`, of `center` and `radius`, or of `geohash`: one of them.
    func area() throws(Problem) -> Area {
        let names = ["bbox", "center", "geohash"].filter { text($0) != nil }
        guard names.count <= 1 else {
            throw .parameter(names[1], "and \(names[0]) exclude one another")
        }
        guard names.first == "center" || names.isEmpty else {
            guard text("radius") == nil else {
                throw .parameter("radius", "goes with center, not with \(names[0])")
            }
            guard try model() == .sphere else {
                throw .parameter("geodesic", "goes with center, not with \(names[0])")
            }
            if let box = try box("bbox") { return .box(box) }
            return .geohash(try MapQuery.geohash(text("geohash") ?? "", of: "geohash"))
        }
        guard let centre = try place("center") else {
            throw .parameter(
                "bbox", "is missing: send bbox=w,s,e,n, or center=lon,lat&radius=m, or geohash=")
        }
        guard let radius = try radius() else {
            throw .parameter("radius", "is missing: it is a number of metres, 0 or more")
        }
        return .circle(centre: centre, radius: radius, on: try model())
    }

    /// The place of `lon` and `lat`; longitudes wrap.
    func centre() throws(Problem) -> RoundedPosition {
        guard let lon = try number("lon") else {
            throw .parameter("lon", "is missing: it is a longitude in degrees")
        }
        guard let lat = try number("lat") else {
            throw .parameter("lat", "is missing: it is a latitude in degrees")
        }
        do {
            return RoundedPosition(try LonLat(wrappingLon: lon, lat: lat))
        } catch {
            switch error {
            case .longitude, .queriedLongitude: throw .parameter("lon", "is no longitude: \(error)")
            case .latitude: throw .parameter("lat", "is no latitude: \(error)")
            }
        }
    }

    /// `radius` in metres.
    func radius() throws(Problem) -> Distance? {
        guard let meters = try number("radius") else { return nil }
        guard meters >= 0 else {
            throw .parameter("radius", "must be a number of metres, 0 or more")
        }
        return .meters(meters)
    }

    /// What distances are measured on: the ellipsoid with `geodesic=true`.
    func model() throws(Problem) -> EarthModel {
        try flag("geodesic") ? .ellipsoid : .sphere
    }

    /// A geohash that a parameter names.
    static func geohash(_ text: String, of name: String) throws(Problem) -> Geohash {
        do {
            return try Geohash(text)
        } catch {
            throw .parameter(name, "is no geohash: \(error)")
        }
    }
}
