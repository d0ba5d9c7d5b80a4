import GeoIndex
import JSONText

extension WhereParser {
    /// Reads an operator about places; nil for one that belongs to another.
    func areaTest(
        _ name: String, _ value: JSONValue, _ all: JSONObject, at path: String
    ) throws(WhereError) -> WhereTest? {
        switch name {
        case "$within":
            guard let box = value["$box"] else {
                throw WhereError(.operand, path, "must be {\"$box\": [southwest, northeast]}")
            }
            return .inBox(try self.box(box, at: "\(path).$box"))
        // One client writes an unsorted circle as two operators of the field.
        case "$geoWithin" where all.contains("$centerSphere"):
            guard let centre = all["$centerSphere"] else { return nil }
            return try circle([centre, value], at: path)
        case "$centerSphere" where all.contains("$geoWithin"): return nil
        case "$geoWithin": return try geoWithin(value, at: path)
        case "$geoIntersects":
            guard let point = value["$point"] else {
                throw WhereError(.operand, path, "must be {\"$point\": GeoPoint}")
            }
            return .holds(try place(point, takesPairs: false, at: "\(path).$point"))
        case "$nearSphere": return try near(value, all, at: path)
        case let name where WhereParser.radians[name] != nil:
            guard all.contains("$nearSphere") else {
                throw WhereError(.malformed, path, "belongs to $nearSphere, which is missing")
            }
            return nil
        default: throw WhereParser.refusal(of: name, at: path)
        }
    }

    /// The greatest distance of a near query: how many radians one unit is.
    private static let radians: [String: Double] = [
        "$maxDistance": 1, "$maxDistanceInRadians": 1, "$maxDistanceInKilometers": 1 / 6_371,
        "$maxDistanceInMiles": 1 / 3_958.8,
    ]

    private func near(
        _ value: JSONValue, _ all: JSONObject, at path: String
    ) throws(WhereError) -> WhereTest {
        guard options.takesNear else {
            throw WhereError(
                .unsupported, path,
                "is an order, which a map has none of: ask /near/{layer} for the nearest, or "
                    + "$geoWithin with $centerSphere for a circle")
        }
        let centre = try place(value, takesPairs: false, at: path)
        var least: Double?
        for member in all {
            guard let unit = WhereParser.radians[member.key] else { continue }
            guard let number = member.value.doubleValue, number >= 0 else {
                throw WhereError(
                    .operand, path, "has a \(member.key) that is no number of 0 or more")
            }
            least = min(least ?? .infinity, number * unit)
        }
        return .inCircle(centre: centre, haversine: WhereParser.haversine(radians: least ?? .pi))
    }

    private func geoWithin(_ value: JSONValue, at path: String) throws(WhereError) -> WhereTest {
        if let polygon = value["$polygon"] {
            return .inRing(try ring(polygon, at: "\(path).$polygon"))
        }
        if let circle = value["$centerSphere"] {
            return try self.circle(circle, at: "\(path).$centerSphere")
        }
        if let box = value["$box"] { return .inBox(try self.box(box, at: "\(path).$box")) }
        throw WhereError(.operand, path, "must be an object with $polygon or $centerSphere")
    }

    private func circle(_ value: JSONValue, at path: String) throws(WhereError) -> WhereTest {
        guard let parts = value.arrayValue, parts.count == 2, let radius = parts[1].doubleValue,
            radius >= 0
        else {
            throw WhereError(.operand, path, "must be [GeoPoint or [lon, lat], radius in radians]")
        }
        return .inCircle(
            centre: try place(parts[0], takesPairs: true, at: path),
            haversine: WhereParser.haversine(radians: radius))
    }

    /// What a place's haversine is compared with, so that one exactly so far away is in.
    private static func haversine(radians: Double) -> Double {
        SphericalGeodesy.haversine(of: .meters(radians * SphericalGeodesy.earthRadiusMeters))
    }

    private func box(_ value: JSONValue, at path: String) throws(WhereError) -> WhereBox {
        guard let corners = value.arrayValue, corners.count == 2 else {
            throw WhereError(.operand, path, "must be two GeoPoints, southwest and northeast")
        }
        let box = WhereBox(
            southWest: try place(corners[0], takesPairs: true, at: "\(path)[0]"),
            northEast: try place(corners[1], takesPairs: true, at: "\(path)[1]"))
        guard box.southWest.latE7 <= box.northEast.latE7 else {
            throw WhereError(.operand, path, "has its south north of its north")
        }
        return box
    }

    private func ring(_ value: JSONValue, at path: String) throws(WhereError) -> WhereRing {
        if value["__type"] == "Polygon" {
            // Pairs are longitude first here, the reverse of a stored polygon, as clients send it.
            return try ring(value["coordinates"] ?? .null, at: path)
        }
        guard let corners = value.arrayValue,
            (3...WhereRing.vertexLimit).contains(corners.count)
        else {
            throw WhereError(
                .operand, path,
                "must be a list of 3 to \(WhereRing.vertexLimit) GeoPoints or [lon, lat] pairs")
        }
        var places: [RoundedPosition] = []
        for (index, corner) in corners.enumerated() {
            places.append(try place(corner, takesPairs: true, at: "\(path)[\(index)]"))
        }
        guard Set(places).count >= 3 else {
            throw WhereError(.operand, path, "must have at least 3 different corners")
        }
        return WhereRing(places)
    }

    /// A GeoPoint, or where it is allowed a pair of longitude and latitude.
    private func place(
        _ value: JSONValue, takesPairs: Bool, at path: String
    ) throws(WhereError) -> RoundedPosition {
        let pair = takesPairs ? value.arrayValue : nil
        let lon = pair?.first ?? value["longitude"]
        let lat = pair?.last ?? value["latitude"]
        guard let lon = lon?.doubleValue, let lat = lat?.doubleValue, pair?.count ?? 2 == 2 else {
            throw WhereError(
                .operand, path,
                takesPairs ? "must be a GeoPoint or a pair [lon, lat]" : "must be a GeoPoint")
        }
        do {
            return RoundedPosition(try LonLat(lon: lon, lat: lat))
        } catch {
            throw WhereError(.operand, path, "is not on the globe: \(error)")
        }
    }
}
