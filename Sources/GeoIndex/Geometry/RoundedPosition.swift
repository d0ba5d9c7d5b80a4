/// A position in whole units of 1e-7 degree (about 1 cm), longitude first.
///
/// Distance, order and containment are decided on this grid, in stored data and in queries alike,
/// so that no rounding of a client's numbers can show (OpenStreetMap stores the same grid).
public struct RoundedPosition: Hashable, Sendable {
    /// Units of 1e-7 degree east, in ±1 800 000 000.
    public let lonE7: Int32
    /// Units of 1e-7 degree north, in ±900 000 000.
    public let latE7: Int32

    /// A whole turn of longitude, in units.
    static let turnE7: Int64 = 3_600_000_000

    /// The grid position nearest to `position`; halves round away from zero.
    public init(_ position: LonLat) {
        // In range by LonLat's own promise, so the conversions cannot trap.
        lonE7 = Int32((position.lon * 1e7).rounded())
        latE7 = Int32((position.lat * 1e7).rounded())
    }

    /// Creates a grid position from its units.
    ///
    /// - Precondition: both lie on the globe.
    public init(lonE7: Int32, latE7: Int32) {
        precondition(abs(Int64(lonE7)) <= 1_800_000_000, "lonE7 \(lonE7) is not on the globe")
        precondition(abs(Int64(latE7)) <= 900_000_000, "latE7 \(latE7) is not on the globe")
        self.lonE7 = lonE7
        self.latE7 = latE7
    }

    /// Units read back from an index page, which holds nothing that is not on the globe.
    @inlinable
    init(trustedLonE7 lonE7: Int32, latE7: Int32) {
        self.lonE7 = lonE7
        self.latE7 = latE7
    }

    /// Decimal degrees east: the double nearest to the exact decimal.
    @inlinable public var lon: Double { Double(lonE7) / 1e7 }
    /// Decimal degrees north.
    @inlinable public var lat: Double { Double(latE7) / 1e7 }
}
