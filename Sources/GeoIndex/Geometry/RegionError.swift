/// Why rings are not an area on the globe. Parts and rings are counted from 1.
public enum RegionError: Error, Equatable, Sendable {
    /// There is no ring at all.
    case empty
    /// A longitude is not a number in ``LonLat/queriedLongitudes``, or a latitude is beyond ±90.
    case position(lon: Double, lat: Double)
    /// A ring has fewer than four positions.
    case short(polygon: Int, ring: Int)
    /// A ring's last position is not its first.
    case open(polygon: Int, ring: Int)
    /// A ring goes round a pole.
    case aroundPole(polygon: Int, ring: Int)
    /// A ring is more than 360° wide.
    case wide(polygon: Int, ring: Int)
    /// There are more positions than one region may have.
    case positions(count: Int, limit: Int)
    /// The rings break a rule of the simple features standard at a place.
    case invalid(reason: String, lon: Double, lat: Double)
    /// There was no memory for the geometry.
    case memory
}

extension RegionError: CustomStringConvertible {
    /// A sentence that says what is wrong, where, and what would be right.
    public var description: String {
        switch self {
        case .empty: "there are no rings: a polygon has at least its outer ring"
        case .position(let lon, let lat):
            "(\(lon), \(lat)) is no position: it is a longitude from \(LonLat.queriedLongitudesText), "
                + "then a latitude from -90 to 90"
        case .short(let polygon, let ring):
            "ring \(ring) of polygon \(polygon) has fewer than four positions"
        case .open(let polygon, let ring):
            "ring \(ring) of polygon \(polygon) is open: its last position must be its first"
        case .aroundPole(let polygon, let ring):
            "ring \(ring) of polygon \(polygon) goes round a pole: cut it at ±180° and close it "
                + "along the pole (RFC 7946, 3.1.9)"
        case .wide(let polygon, let ring):
            "ring \(ring) of polygon \(polygon) is more than 360° wide"
        case .positions(let count, let limit):
            "there are \(count) positions; at most \(limit) are taken"
        case .invalid(let reason, let lon, let lat):
            "the rings are not valid: \(reason) at or near (\(lon), \(lat))"
        case .memory: "there is no memory for the geometry"
        }
    }
}
