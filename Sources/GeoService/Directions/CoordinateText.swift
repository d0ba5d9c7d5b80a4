import GeoIndex

/// The coordinates in the path of a call: `lon,lat;lon,lat` in degrees, `polyline(…)` or
/// `polyline6(…)`; `.json` may follow.
enum CoordinateText {
    /// Reads the places of a path.
    ///
    /// - Throws: ``DirectionsError`` saying which coordinate is wrong, counted from 0 as OSRM does.
    static func places(
        _ text: String, count: ClosedRange<Int>
    ) throws(DirectionsError) -> [RoundedPosition] {
        let body = text.hasSuffix(".json") ? text.dropLast(5) : text[...]
        for (name, precision) in [("polyline(", Polyline.Precision.five), ("polyline6(", .six)]
        where body.hasPrefix(name) {
            guard body.hasSuffix(")") else {
                throw DirectionsError(.invalidUrl, "\(name)…) in the path has no closing bracket")
            }
            return try decoded(body.dropFirst(name.count).dropLast(), precision, count)
        }
        let parts = body.split(separator: ";", omittingEmptySubsequences: false)
        try check(parts.count, in: count)
        var places: [RoundedPosition] = []
        for (index, part) in parts.enumerated() { places.append(try place(part, index)) }
        return places
    }

    private static func place(
        _ text: Substring, _ index: Int
    ) throws(DirectionsError) -> RoundedPosition {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let lon = decimal(parts[0]), let lat = decimal(parts[1]) else {
            throw DirectionsError(
                .invalidUrl,
                "coordinate \(index) must be two numbers lon,lat in degrees, and coordinates are "
                    + "separated by semicolons")
        }
        return try position(lon, lat, index)
    }

    private static func position(
        _ lon: Double, _ lat: Double, _ index: Int
    ) throws(DirectionsError) -> RoundedPosition {
        do {
            return RoundedPosition(try LonLat(wrappingLon: lon, lat: lat))
        } catch {
            throw DirectionsError(.invalidValue, "coordinate \(index) is no place: \(error)")
        }
    }

    private static func decoded(
        _ text: Substring, _ precision: Polyline.Precision, _ count: ClosedRange<Int>
    ) throws(DirectionsError) -> [RoundedPosition] {
        let vertices: [RoutePath.Vertex]
        do {
            vertices = try Polyline.decode(
                text.utf8, precision: precision, limit: count.upperBound
            ).vertices
        } catch {
            switch error {
            case .tooMany(let limit): throw tooMany("more than \(limit)", limit)
            case .character(let offset):
                throw DirectionsError(
                    .invalidUrl,
                    "the polyline in the path has a character that is none of a polyline's at "
                        + "offset \(offset)")
            case .incomplete:
                throw DirectionsError(
                    .invalidUrl, "the polyline in the path ends within a coordinate")
            case .tooLarge(let offset):
                throw DirectionsError(
                    .invalidUrl,
                    "the polyline in the path has a number beyond all degrees at offset \(offset)")
            }
        }
        try check(vertices.count, in: count)
        var places: [RoundedPosition] = []
        for (index, vertex) in vertices.enumerated() {
            places.append(try position(vertex.lon, vertex.lat, index))
        }
        return places
    }

    private static func check(_ found: Int, in count: ClosedRange<Int>) throws(DirectionsError) {
        if found > count.upperBound { throw tooMany("\(found)", count.upperBound) }
        if found < count.lowerBound {
            throw DirectionsError(
                .invalidOptions,
                "the path has \(found) coordinates; at least \(count.lowerBound) are needed")
        }
    }

    private static func tooMany(_ found: String, _ limit: Int) -> DirectionsError {
        DirectionsError(
            .tooBig, "the path has \(found) coordinates; at most \(limit) are taken")
    }

    /// A number in decimal digits; not the hexadecimal that Swift reads too.
    static func decimal(_ text: Substring) -> Double? {
        let isDecimal = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x2b, 0x2d, 0x2e, 0x45, 0x65: true
            default: false
            }
        }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
