/// Why a pair of numbers is not a position on the globe.
public enum CoordinateError: Error, Equatable, Sendable {
    /// The longitude is not a number in [-180, 180].
    case longitude(degrees: Double)
    /// The latitude is not a number in [-90, 90].
    case latitude(degrees: Double)
    /// The longitude of a query is not a number in ``LonLat/queriedLongitudes``.
    case queriedLongitude(degrees: Double)
}

extension CoordinateError: CustomStringConvertible {
    /// A sentence that names the coordinate and says what would be right.
    public var description: String {
        switch self {
        case .longitude(let degrees):
            "longitude \(degrees) is not a number from -180 to 180"
        case .latitude(let degrees):
            "latitude \(degrees) is not a number from -90 to 90"
        case .queriedLongitude(let degrees):
            "longitude \(degrees) is not a number from \(LonLat.queriedLongitudesText)"
        }
    }
}

/// A position on the globe in WGS 84 degrees, longitude first.
///
///     let berlin = try LonLat(lon: 13.405, lat: 52.52)
public struct LonLat: Hashable, Sendable {
    /// Decimal degrees east, in [-180, 180].
    public let lon: Double
    /// Decimal degrees north, in [-90, 90].
    public let lat: Double

    /// Creates a position from *stored* data, where nothing is wrapped or clamped.
    ///
    /// - Throws: ``CoordinateError`` when a coordinate is out of range, NaN or infinite.
    public init(lon: Double, lat: Double) throws(CoordinateError) {
        guard (-180...180).contains(lon) else { throw .longitude(degrees: lon) }
        guard (-90...90).contains(lat) else { throw .latitude(degrees: lat) }
        self.lon = lon
        self.lat = lat
    }

    /// The longitudes that a query may name: those of a hundred turns to either side. What lies
    /// farther is a mistake, and soon too coarse for a place: the doubles of 10^9 degrees are a
    /// metre apart.
    public static let queriedLongitudes: ClosedRange<Double> = -36_000...36_000

    /// The range in words, for messages.
    static let queriedLongitudesText =
        "\(Int(queriedLongitudes.lowerBound)) to \(Int(queriedLongitudes.upperBound))"

    /// Creates a position from a *query*, where longitudes wrap: map clients send 181 or -190
    /// when the world repeats.
    ///
    /// - Throws: ``CoordinateError`` when a number is out of range, NaN or infinite.
    public init(wrappingLon lon: Double, lat: Double) throws(CoordinateError) {
        guard LonLat.queriedLongitudes.contains(lon) else {
            throw .queriedLongitude(degrees: lon)
        }
        try self.init(lon: LonLat.wrapped(degreesEast: lon), lat: lat)
    }

    /// A longitude brought into [-180, 180) unless it lies in [-180, 180] already.
    public static func wrapped(degreesEast lon: Double) -> Double {
        if (-180...180).contains(lon) { return lon }
        let turned = (lon + 180).truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        // A tiny negative remainder rounds up to a full turn: that is the meridian itself.
        return positive >= 360 ? -180 : positive - 180
    }
}
