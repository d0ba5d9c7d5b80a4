/// Why four numbers are not a box.
public enum BoundingBoxError: Error, Equatable, Sendable {
    /// A longitude is not a number in ``LonLat/queriedLongitudes``.
    case longitude(degrees: Double)
    /// A latitude is not a number in [-90, 90].
    case latitude(degrees: Double)
    /// South lies north of north.
    case upsideDown(south: Double, north: Double)
}

extension BoundingBoxError: CustomStringConvertible {
    /// A sentence that says what would be right.
    public var description: String {
        switch self {
        case .longitude(let degrees):
            "longitude \(degrees) is not a number from \(LonLat.queriedLongitudesText)"
        case .latitude(let degrees):
            "latitude \(degrees) is not a number from -90 to 90"
        case .upsideDown(let south, let north):
            "south \(south) is greater than north \(north): the order is west,south,east,north"
        }
    }
}

/// A box on the globe in degrees. `west > east` means that it crosses the antimeridian.
public struct BoundingBox: Hashable, Sendable {
    /// Degrees east of the left edge, in [-180, 180].
    public let west: Double
    /// Degrees north of the lower edge, in [-90, 90].
    public let south: Double
    /// Degrees east of the right edge, in [-180, 180].
    public let east: Double
    /// Degrees north of the upper edge, in [-90, 90].
    public let north: Double

    /// The whole globe.
    public static let world = BoundingBox(trustedWest: -180, south: -90, east: 180, north: 90)

    /// Creates a box from a query. Longitudes wrap; a box 360° wide or more is the whole belt,
    /// its edges rounded to 1e-7° as they are when places are compared with them.
    ///
    ///     try BoundingBox(west: 170, south: -20, east: 190, north: 0)  // 170 … -170
    ///
    /// - Throws: ``BoundingBoxError``.
    public init(west: Double, south: Double, east: Double, north: Double) throws(BoundingBoxError) {
        guard LonLat.queriedLongitudes.contains(west) else { throw .longitude(degrees: west) }
        guard LonLat.queriedLongitudes.contains(east) else { throw .longitude(degrees: east) }
        guard (-90...90).contains(south) else { throw .latitude(degrees: south) }
        guard (-90...90).contains(north) else { throw .latitude(degrees: north) }
        guard south <= north else { throw .upsideDown(south: south, north: north) }
        let isWholeBelt = (east * 1e7).rounded() - (west * 1e7).rounded() >= 3_600_000_000
        self.west = isWholeBelt ? -180 : LonLat.wrapped(degreesEast: west)
        self.east = isWholeBelt ? 180 : LonLat.wrapped(degreesEast: east)
        self.south = south
        self.north = north
    }

    /// A box whose edges are in range by construction.
    init(trustedWest west: Double, south: Double, east: Double, north: Double) {
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    /// Whether the box goes over ±180°.
    public var crossesAntimeridian: Bool { west > east }

    /// Whether the box goes all the way round.
    public var isWholeBelt: Bool { west == -180 && east == 180 }
}
