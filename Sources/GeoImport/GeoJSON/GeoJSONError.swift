import GeoIndex

/// Why a JSON value is not a GeoJSON feature or geometry (RFC 7946).
package enum GeoJSONError: Error, Hashable, Sendable {
    /// A feature or geometry is not an object.
    case notAnObject(what: String)
    /// The type is none of those that may stand there.
    case type(what: String)
    /// The id is neither text nor a number.
    case id
    /// The properties are neither an object nor null.
    case properties
    /// The properties are more than a feature may have.
    case tooManyProperties(count: Int, limit: Int)
    /// A feature has no member of that name.
    case missing(member: String)
    /// The bbox is not an array of four or six numbers.
    case bbox
    /// Coordinates are not nested as the type of the geometry asks.
    case coordinates(type: String)
    /// A line has one position only.
    case shortLine
    /// A ring has fewer than four positions.
    case shortRing
    /// A ring does not end where it begins.
    case openRing
    /// A position is where the file's reference system does not reach.
    case outsideCRS(code: String)
    /// A position is not on the globe.
    case position(lon: Double, lat: Double)
}

extension GeoJSONError: CustomStringConvertible {
    /// A sentence that says what would be right.
    package var description: String {
        switch self {
        case .notAnObject(let what): "\(what) is not an object"
        case .type(let what): "\(what) has no type that GeoJSON knows there"
        case .id: "the feature's id is neither a string nor a number"
        case .properties: "the feature's properties are neither an object nor null"
        case .tooManyProperties(let count, let limit):
            "the feature has \(count) properties, but at most \(limit) can be taken"
        case .missing(let member): "the feature has no member \"\(member)\""
        case .bbox: "the bbox is not an array of four or six numbers"
        case .coordinates(let type): "the coordinates are not those of a \(type)"
        case .shortLine: "a line has fewer than two positions"
        case .shortRing: "a polygon's ring has fewer than four positions"
        case .openRing: "a polygon's ring does not end where it begins"
        case .outsideCRS(let code): "the coordinates lie where \(code) does not reach"
        case .position(let lon, let lat):
            RejectionReason.outOfRange(column: "coordinates", lon: lon, lat: lat).description
        }
    }
}
