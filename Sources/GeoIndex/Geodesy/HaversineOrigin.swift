import Glibc

/// A place from which many haversines are computed: hav(θ) = sin²(θ/2) of the central angle θ.
///
/// With u and v the differences of latitude and longitude and φ the latitude of the place,
///
///     hav = sin²(u/2) + cos φ · cos(φ + u) · sin²(v/2),
///     cos(φ + u) = cos φ · (1 − 2·sin²(u/2)) − 2 · sin φ · sin(u/2) · cos(u/2).
///
/// Within ``greatestHalf`` the sines of the halves are those of their series, of which all that is
/// left out is less than a quarter of a unit in the last place: x⁹/9! < 2⁻⁶⁶·x for x ≤ 2⁻⁶.
struct HaversineOrigin {
    /// Half a difference up to which the series are used, in radians: about 100 km.
    private static let greatestHalf = 0x1p-6

    let position: RoundedPosition
    let cosine: Double
    let sine: Double

    init(_ position: RoundedPosition) {
        let lat = Double(position.latE7) * SphericalGeodesy.radiansPerE7
        self.init(position, cosine: cos(lat), sine: sin(lat))
    }

    /// - Parameters:
    ///   - cosine: That of the position's latitude.
    ///   - sine: Likewise.
    init(_ position: RoundedPosition, cosine: Double, sine: Double) {
        self.position = position
        self.cosine = cosine
        self.sine = sine
    }

    /// hav(θ) to another place. Equal places give exactly 0, and a pair gives the same value on
    /// either side of the antimeridian, for differences are taken in whole units.
    @inline(__always)
    func haversine(to end: RoundedPosition) -> Double {
        let latHalf =
            Double(Int64(end.latE7) &- Int64(position.latE7)) * SphericalGeodesy.halfRadiansPerE7
        // Differences of numbers of 32 bits.
        let units = Int64(end.lonE7) &- Int64(position.lonE7)
        let east = units < 0 ? 0 &- units : units
        let lonHalf =
            Double(min(east, 3_600_000_000 &- east)) * SphericalGeodesy.halfRadiansPerE7
        guard abs(latHalf) <= HaversineOrigin.greatestHalf,
            lonHalf <= HaversineOrigin.greatestHalf
        else { return farHaversine(latHalf, lonHalf, end) }
        let sinLat = HaversineOrigin.sine(latHalf)
        let sinLon = HaversineOrigin.sine(lonHalf)
        let square = sinLat * sinLat
        // √(1 − s) of the sine's square s: the next term of the series is 5·s⁴/128 < 2⁻⁵².
        let cosLat = 1 - square * (0.5 + square * (0.125 + square * 0.0625))
        let cosEnd = cosine * (1 - 2 * square) - 2 * sine * sinLat * cosLat
        return square + cosine * max(0, cosEnd) * sinLon * sinLon
    }

    private func farHaversine(
        _ latHalf: Double, _ lonHalf: Double, _ end: RoundedPosition
    ) -> Double {
        let sinLat = sin(latHalf)
        let sinLon = sin(lonHalf)
        let cosines = cosine * cos(Double(end.latE7) * SphericalGeodesy.radiansPerE7)
        return min(1, sinLat * sinLat + cosines * sinLon * sinLon)
    }

    /// The sine of a small angle.
    @inline(__always)
    private static func sine(_ angle: Double) -> Double {
        let square = angle * angle
        return angle * (1 - square * (1 / 6.0 - square * (1 / 120.0 - square / 5_040)))
    }
}
