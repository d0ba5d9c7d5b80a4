import Glibc

/// Great circles on the sphere of radius ``earthRadiusMeters``.
///
/// Distances are within 0.6 % of those on the WGS 84 ellipsoid (``EllipsoidalGeodesy``).
/// Source: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68(2), 1984; the
/// complementary form near the antipode keeps the result exact there too.
public enum SphericalGeodesy {
    /// The mean radius (2a + b) / 3 of the WGS 84 ellipsoid, in metres.
    public static let earthRadiusMeters = 6_371_008.8

    /// The great-circle distance between two positions.
    public static func distance(from start: RoundedPosition, to end: RoundedPosition) -> Distance {
        .meters(earthRadiusMeters * centralAngle(haversine: haversine(from: start, to: end)))
    }

    /// hav(θ) = sin²(θ/2) of the central angle between two positions; grows with the distance.
    ///
    /// Differences are taken in whole units, so that equal places give exactly 0 and a pair gives
    /// the same value on either side of the antimeridian.
    public static func haversine(from start: RoundedPosition, to end: RoundedPosition) -> Double {
        HaversineOrigin(start).haversine(to: end)
    }

    /// The central angle, in radians, whose haversine is given.
    public static func centralAngle(haversine: Double) -> Double {
        if haversine < greatestSeries {
            // 2·asin √h; the next term of the series is 63·h⁵/2816 < 2⁻⁶⁵.
            let series =
                1 / 6.0
                + haversine * (3 / 40.0 + haversine * (5 / 112.0 + haversine * (35 / 1_152.0)))
            let root = haversine.squareRoot()
            return 2 * (root + root * haversine * series)
        }
        return 2 * atan2(haversine.squareRoot(), (1 - haversine).squareRoot())
    }

    /// The haversine of a distance: what ``haversine(from:to:)`` is compared with.
    ///
    /// The greatest number whose distance, computed as ``distance(from:to:)`` does it, is not more
    /// than the given one, so that a circle through a place holds it. Half the circumference or
    /// more gives 1, which every pair of positions satisfies.
    public static func haversine(of distance: Distance) -> Double {
        let half = distance.meters / earthRadiusMeters / 2
        guard half < .pi / 2 else { return 1 }
        let sine = sin(half)
        let near = sine * sine
        // The way there and back is off by a few units in the last place: walk down from above.
        var haversine = min(1, near + 16 * near.ulp)
        while haversine > near - 16 * near.ulp && haversine > 0
            && earthRadiusMeters * centralAngle(haversine: haversine) > distance.meters
        {
            haversine = haversine.nextDown
        }
        return haversine
    }

    /// The initial bearing of the great circle, in degrees clockwise from north, in [0, 360).
    ///
    /// Equal places give 0.
    public static func initialBearing(from start: RoundedPosition, to end: RoundedPosition)
        -> Double
    {
        let startLat = Double(start.latE7) * radiansPerE7
        let endLat = Double(end.latE7) * radiansPerE7
        let lonDelta = Double(Int64(end.lonE7) - Int64(start.lonE7)) * radiansPerE7
        let east = sin(lonDelta) * cos(endLat)
        let north = cos(startLat) * sin(endLat) - sin(startLat) * cos(endLat) * cos(lonDelta)
        if east == 0 && north == 0 { return 0 }
        let degrees = atan2(east, north) * 180 / .pi
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned >= 360 ? 0 : turned
    }

    /// Haversines below it are those of up to 200 km.
    private static let greatestSeries = 0x1p-12
    static let radiansPerE7 = Double.pi / 180e7
    static let halfRadiansPerE7 = Double.pi / 360e7
}
