import GeoIndex
import JSONText

/// Reads GeoJSON geometries strictly (RFC 7946, 3.1), at the precision that was written.
///
/// RFC 7946 says where a longitude is measured from and not how far it may go: some files go on past
/// 180° where a line crosses it. Up to ±360° is taken (``FeatureReader`` says how).
struct GeometryReader {
    /// What becomes of longitudes.
    enum Longitudes {
        /// They are what is stated; beyond ±180° they are refused.
        case stated
        /// So many degrees are taken from each, so that all of the shape lies within ±180°.
        case shifted(Double)
        /// Each is turned into ±180° by itself, so that a shape may be torn.
        case wrapped
        /// They and latitudes may be off the globe, and the shape says nothing of where it is.
        case unplaced
    }

    /// The farthest longitude, in degrees to both sides.
    static let farthestLon = 360.0

    private let longitudes: Longitudes

    init(_ longitudes: Longitudes) { self.longitudes = longitudes }

    /// The shape of a geometry object; nil when its coordinates are empty, which RFC 7946 calls
    /// the same as no geometry.
    func shape(of value: JSONValue) throws(GeoJSONError) -> Shape? {
        guard let geometry = value.objectValue else { throw .notAnObject(what: "the geometry") }
        guard let type = geometry["type"]?.stringValue else { throw .type(what: "the geometry") }
        try GeometryReader.checkBox(geometry)
        if type == "GeometryCollection" {
            guard let parts = geometry["geometries"]?.arrayValue else {
                throw .coordinates(type: type)
            }
            return try collection(parts) { (part) throws(GeoJSONError) in try shape(of: part) }
        }
        guard let coordinates = geometry["coordinates"]?.arrayValue else {
            switch type {
            case "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon":
                throw .coordinates(type: type)
            default: throw .type(what: "the geometry")
            }
        }
        switch type {
        case "Point":
            return coordinates.isEmpty ? nil : .point(try position(coordinates, type))
        case "LineString": return try line(coordinates, type)
        case "Polygon": return try polygon(coordinates, type)
        case "MultiPoint":
            return try collection(coordinates) { (part) throws(GeoJSONError) in
                .point(try position(try array(part, type), type))
            }
        case "MultiLineString":
            return try collection(coordinates) { (part) throws(GeoJSONError) in
                try line(try array(part, type), type)
            }
        case "MultiPolygon":
            return try collection(coordinates) { (part) throws(GeoJSONError) in
                try polygon(try array(part, type), type)
            }
        default: throw .type(what: "the geometry")
        }
    }

    /// Checks the bbox of an object that has one.
    static func checkBox(_ object: JSONObject) throws(GeoJSONError) {
        guard let box = object["bbox"] else { return }
        guard let numbers = box.arrayValue, numbers.count == 4 || numbers.count == 6,
            numbers.allSatisfy({ $0.doubleValue != nil })
        else { throw .bbox }
    }

    private func collection(
        _ parts: [JSONValue], _ read: (JSONValue) throws(GeoJSONError) -> Shape?
    ) throws(GeoJSONError) -> Shape? {
        var shapes: [Shape] = []
        for part in parts {
            if let shape = try read(part) { shapes.append(shape) }
        }
        return shapes.isEmpty ? nil : .collection(shapes)
    }

    private func line(_ values: [JSONValue], _ type: String) throws(GeoJSONError) -> Shape? {
        if values.isEmpty { return nil }
        guard values.count >= 2 else { throw .shortLine }
        return .line(try positions(values, type))
    }

    private func polygon(
        _ values: [JSONValue], _ type: String
    ) throws(GeoJSONError) -> Shape? {
        if values.isEmpty { return nil }
        var rings: [[LonLat]] = []
        for value in values {
            let stated = try array(value, type)
            let ring = try positions(stated, type)
            guard ring.count >= 4 else { throw .shortRing }
            // All that is stated counts, the height too.
            guard stated.first == stated.last else { throw .openRing }
            rings.append(ring)
        }
        return .polygon(rings)
    }

    private func array(
        _ value: JSONValue, _ type: String
    ) throws(GeoJSONError) -> [JSONValue] {
        guard let array = value.arrayValue else { throw .coordinates(type: type) }
        return array
    }

    private func positions(
        _ values: [JSONValue], _ type: String
    ) throws(GeoJSONError) -> [LonLat] {
        var positions: [LonLat] = []
        positions.reserveCapacity(values.count)
        for value in values { positions.append(try position(try array(value, type), type)) }
        return positions
    }

    private func position(
        _ numbers: [JSONValue], _ type: String
    ) throws(GeoJSONError) -> LonLat {
        guard numbers.count >= 2, let lon = numbers[0].doubleValue,
            let lat = numbers[1].doubleValue
        else { throw .coordinates(type: type) }
        for number in numbers.dropFirst(2) where number.doubleValue == nil {
            throw .coordinates(type: type)
        }
        do throws(CoordinateError) {
            switch longitudes {
            case .unplaced:
                guard abs(lon) <= GeometryReader.farthestLon, abs(lat) <= 180 else { break }
                return try LonLat(lon: 0, lat: 0)
            case .stated: return try LonLat(lon: lon, lat: lat)
            case .shifted(let degrees): return try LonLat(lon: lon - degrees, lat: lat)
            case .wrapped:
                guard abs(lon) <= GeometryReader.farthestLon else { break }
                return try LonLat(wrappingLon: lon, lat: lat)
            }
            throw CoordinateError.longitude(degrees: lon)
        } catch {
            throw .position(lon: lon, lat: lat)
        }
    }
}
