import Glibc

/// A point on the Web Mercator square as two whole numbers of 32 bits, (0, 0) in the north-west.
///
/// One unit is about 1 cm at the equator. `x` wraps: longitude 180 is longitude -180.
/// Latitudes beyond ±85.0511°, which Web Mercator cannot show, fall on the first or last row.
/// Source: EPSG:3857 on the unit square of the XYZ tile scheme.
public struct WorldPoint: Hashable, Sendable {
    /// Columns eastwards from 180° W.
    public let x: UInt32
    /// Rows southwards from 85.0511° N.
    public let y: UInt32

    /// The latitude, in degrees, at which the Web Mercator plane is a square.
    public static let latitudeLimit = 85.0511287798066

    /// Creates a point from its column and row.
    @inlinable
    public init(x: UInt32, y: UInt32) {
        self.x = x
        self.y = y
    }

    /// Projects a position: `x = floor((lon + 180) / 360 · 2³²) mod 2³²`, `y` likewise from the
    /// north on the Mercator plane.
    public init(_ position: RoundedPosition) {
        x = WorldPoint.column(ofLon: position.lon)
        y = MercatorRows.shared.row(ofLat: position.lat)
    }

    /// The column of a longitude in [-180, 180].
    public static func column(ofLon lon: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64(((lon + 180) / 360 * 0x1p32).rounded(.down)))
    }

    /// The row of a latitude in [-90, 90].
    public static func row(ofLat lat: Double) -> UInt32 {
        let row = exactRow(ofLat: lat).rounded(.down)
        return UInt32(min(max(row, 0), 0x1p32 - 1))
    }

    /// A latitude's place on the plane, in rows and parts of a row from the north.
    static func exactRow(ofLat lat: Double) -> Double {
        let clamped = min(max(lat, -latitudeLimit), latitudeLimit)
        let sine = sin(clamped * .pi / 180)
        let fraction = 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi)
        return fraction * 0x1p32
    }

    /// The longitude of the west edge of column `x`, in degrees.
    public var lon: Double { Double(x) / 0x1p32 * 360 - 180 }

    /// The latitude of the north edge of row `y`, in degrees.
    public var lat: Double { WorldPoint.lat(ofRow: Double(y)) }

    /// The latitude of a row, in degrees; rows need not be whole.
    public static func lat(ofRow row: Double) -> Double {
        atan(sinh(.pi * (1 - 2 * row / 0x1p32))) * 180 / .pi
    }
}

extension WorldPoint {
    /// The longitude of the middle of column `x`, in degrees.
    public var middleLon: Double { (Double(x) + 0.5) / 0x1p32 * 360 - 180 }

    /// The latitude of the middle of row `y`, in degrees.
    public var middleLat: Double { WorldPoint.lat(ofRow: Double(y) + 0.5) }
}
