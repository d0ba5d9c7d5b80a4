import Glibc

/// The shortest way from one position to another on the sphere.
///
///     let circle = GreatCircle(from: berlin, to: tokyo)
///     circle.distance           // 8 918 km
///     circle.initialBearing     // 41°, clockwise from north
///     circle.position(at: 0.5)  // over the Kara Sea's coast
///
/// Antipodes have no shortest way of their own: theirs leads over the north pole, and from there
/// along the start's own meridian.
public struct GreatCircle: Sendable {
    /// Where it begins.
    public let start: RoundedPosition
    /// Where it ends.
    public let end: RoundedPosition
    /// Its length on the sphere of ``SphericalGeodesy/earthRadiusMeters``.
    public let distance: Distance
    /// Its direction at the start, in degrees clockwise from north, in [0, 360); 0 for equal
    /// places. At a pole, north is where the start's longitude says.
    public let initialBearing: Double

    private let from: UnitVector
    /// The direction at the start, as a unit vector at a right angle to `from`.
    private let tangent: UnitVector

    /// The way between two positions.
    public init(from start: RoundedPosition, to end: RoundedPosition) {
        self.start = start
        self.end = end
        distance = SphericalGeodesy.distance(from: start, to: end)
        // The same place may have two longitudes.
        initialBearing = distance.meters > 0 ? GreatCircle.bearing(from: start, to: end) : 0
        from = UnitVector(start)
        tangent = UnitVector(from: start, bearing: initialBearing)
    }

    /// The direction in which one arrives, in degrees clockwise from north, in [0, 360); 0 for
    /// equal places.
    public var finalBearing: Double {
        guard distance.meters > 0 else { return 0 }
        // Antipodes arrive from their common pole.
        let back =
            GreatCircle.areAntipodes(start, end) ? 0 : GreatCircle.bearing(from: end, to: start)
        let turned = back + 180
        return turned >= 360 ? turned - 360 : turned
    }

    /// The position after a share of the way; 0 is the start and 1 the end, both exactly.
    ///
    /// On the grid of 1e-7°, within a centimetre of the circle; near antipodes within a metre.
    public func position(at fraction: Double) -> RoundedPosition {
        if !(fraction > 0) { return start }
        if fraction >= 1 { return end }
        let angle = distance.meters / SphericalGeodesy.earthRadiusMeters * fraction
        return UnitVector(from, cos(angle), tangent, sin(angle)).position
    }

    /// The initial bearing, which antipodes have too.
    private static func bearing(from start: RoundedPosition, to end: RoundedPosition) -> Double {
        guard areAntipodes(start, end) else {
            return SphericalGeodesy.initialBearing(from: start, to: end)
        }
        return start.latE7 == 900_000_000 ? 180 : 0
    }

    private static func areAntipodes(_ one: RoundedPosition, _ other: RoundedPosition) -> Bool {
        guard Int64(one.latE7) + Int64(other.latE7) == 0 else { return false }
        if abs(one.latE7) == 900_000_000 { return true }
        return abs(Int64(one.lonE7) - Int64(other.lonE7)) * 2 == RoundedPosition.turnE7
    }
}

/// A direction from the centre of the globe: x through 0°/0°, y through 90° east, z through the
/// north pole.
private struct UnitVector: Sendable {
    let x: Double
    let y: Double
    let z: Double

    init(_ position: RoundedPosition) {
        let lat = Double(position.latE7) * SphericalGeodesy.radiansPerE7
        let lon = Double(position.lonE7) * SphericalGeodesy.radiansPerE7
        x = cos(lat) * cos(lon)
        y = cos(lat) * sin(lon)
        z = sin(lat)
    }

    /// The direction of a bearing on the ground at a position.
    init(from position: RoundedPosition, bearing degrees: Double) {
        let lat = Double(position.latE7) * SphericalGeodesy.radiansPerE7
        let lon = Double(position.lonE7) * SphericalGeodesy.radiansPerE7
        let north = cos(degrees * .pi / 180)
        let east = sin(degrees * .pi / 180)
        x = -north * sin(lat) * cos(lon) - east * sin(lon)
        y = -north * sin(lat) * sin(lon) + east * cos(lon)
        z = north * cos(lat)
    }

    /// `a·first + b·second`.
    init(_ first: UnitVector, _ a: Double, _ second: UnitVector, _ b: Double) {
        x = a * first.x + b * second.x
        y = a * first.y + b * second.y
        z = a * first.z + b * second.z
    }

    /// The nearest position of the grid. The sines of both angles are in it, so that neither loses
    /// digits near a pole.
    var position: RoundedPosition {
        let lat = atan2(z, (x * x + y * y).squareRoot()) / SphericalGeodesy.radiansPerE7
        let lon = atan2(y, x) / SphericalGeodesy.radiansPerE7
        // Both lie on the globe but for rounding in the last place.
        return RoundedPosition(
            lonE7: Int32(max(-1_800_000_000, min(1_800_000_000, lon.rounded()))),
            latE7: Int32(max(-900_000_000, min(900_000_000, lat.rounded()))))
    }
}
