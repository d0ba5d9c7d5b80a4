import GeoIndex
import JSONText

extension CoordinateTransform {
    /// A GeoJSON geometry with all its positions in WGS 84; what is no geometry stays as it is, to
    /// be refused by who reads it.
    ///
    /// - Throws: ``GeoJSONError/outsideCRS(code:)`` for a position that the system does not reach.
    func applied(to geometry: JSONValue) throws(GeoJSONError) -> JSONValue {
        guard var object = geometry.objectValue else { return geometry }
        // The box is in the old coordinates, and nobody needs it.
        object["bbox"] = nil
        if let coordinates = object["coordinates"] {
            object["coordinates"] = try positions(coordinates)
        }
        if let parts = object["geometries"]?.arrayValue {
            var turned: [JSONValue] = []
            turned.reserveCapacity(parts.count)
            for part in parts { turned.append(try applied(to: part)) }
            object["geometries"] = .array(turned)
        }
        return .object(object)
    }

    /// The depth is that of the JSON text, which its parser has limited.
    private func positions(_ value: JSONValue) throws(GeoJSONError) -> JSONValue {
        guard var items = value.arrayValue else { return value }
        if items.count >= 2, let east = items[0].doubleValue, let north = items[1].doubleValue {
            guard let place = degrees(east: east, north: north) else {
                throw .outsideCRS(code: crs.text)
            }
            items[0] = .number(place.lon)
            items[1] = .number(place.lat)
            return .array(items)
        }
        var turned: [JSONValue] = []
        turned.reserveCapacity(items.count)
        for item in items { turned.append(try positions(item)) }
        return .array(turned)
    }
}
