import GeoIndex
import JSONText

/// Reads the area of a request's body: a GeoJSON Polygon or MultiPolygon, or a Feature of one.
enum RegionReader {
    /// Reads a body.
    ///
    /// - Throws: ``Problem`` (400) that says what is wrong and where.
    static func region(of body: [UInt8]) throws(Problem) -> Region {
        let value: JSONValue
        do {
            value = try JSONParser.parse(body)
        } catch {
            throw .parameter("body", "must be a GeoJSON Polygon or MultiPolygon: \(error)")
        }
        var geometry = value
        if value["type"]?.stringValue == "Feature" {
            guard let inner = value["geometry"] else {
                throw .parameter("geometry", "is missing: it is a Polygon or MultiPolygon")
            }
            geometry = inner
        }
        let polygons: [JSONValue]
        let coordinates = geometry["coordinates"]
        switch geometry["type"]?.stringValue {
        case "Polygon": polygons = [coordinates ?? .null]
        case "MultiPolygon": polygons = try array(coordinates)
        default:
            throw .parameter("type", "must be Polygon, MultiPolygon, or Feature with one of them")
        }
        do {
            return try Region(polygons: try rings(polygons))
        } catch let error as RegionError {
            throw .parameter("coordinates", "are no area: \(error)")
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.internalServerError, "the area could not be read")
        }
    }

    private static func rings(_ polygons: [JSONValue]) throws -> [[[RegionCorner]]] {
        try polygons.map { polygon in
            try array(polygon).map { ring in
                try array(ring).map { position in
                    let numbers = try array(position)
                    guard numbers.count >= 2, let lon = numbers[0].doubleValue,
                        let lat = numbers[1].doubleValue
                    else { throw broken }
                    return try RegionCorner(lon: lon, lat: lat)
                }
            }
        }
    }

    private static func array(_ value: JSONValue?) throws(Problem) -> [JSONValue] {
        guard let array = value?.arrayValue else { throw broken }
        return array
    }

    private static var broken: Problem {
        .parameter(
            "coordinates",
            "must be arrays of rings of positions [longitude, latitude], one level deeper for a "
                + "MultiPolygon")
    }
}
