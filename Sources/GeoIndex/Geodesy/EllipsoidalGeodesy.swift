import CPROJ

/// Geodesics on the WGS 84 ellipsoid, by PROJ's routines: the yardstick for the sphere.
///
/// Source: C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87, 2013.
public enum EllipsoidalGeodesy {
    /// The shortest distance between two positions, exact to about 15 nanometres.
    public static func distance(from start: RoundedPosition, to end: RoundedPosition) -> Distance {
        var meters = 0.0
        unsafe withUnsafePointer(to: wgs84) { ellipsoid in
            // PROJ's geodesics take the latitude first.
            unsafe geod_inverse(
                ellipsoid, start.lat, start.lon, end.lat, end.lon, &meters, nil, nil)
        }
        return .meters(meters)
    }

    /// The initial bearing of the geodesic, in degrees clockwise from north, in [0, 360).
    ///
    /// Equal places give 0.
    public static func initialBearing(
        from start: RoundedPosition, to end: RoundedPosition
    ) -> Double {
        var meters = 0.0
        var degrees = 0.0
        unsafe withUnsafePointer(to: wgs84) { ellipsoid in
            unsafe geod_inverse(
                ellipsoid, start.lat, start.lon, end.lat, end.lon, &meters, &degrees, nil)
        }
        if meters == 0 { return 0 }
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned >= 360 ? 0 : turned
    }

    /// Bounds of the ratio of a distance on the ellipsoid to that on the sphere.
    ///
    /// Taking a geodetic latitude for a spherical one maps the ellipsoid onto the sphere. A short
    /// way along a meridian becomes longer by R/M, one along a parallel by R/N, where the radii of
    /// curvature M and N lie between a(1 − e²), at the equator, and a/√(1 − e²), at the poles. So
    /// the length of every way changes by a factor between the two, and with it that of the
    /// shortest: 6 335 439.327 m and 6 399 593.626 m over 6 371 008.8 m, rounded outwards.
    static let leastRatio = 0.994416
    /// See ``leastRatio``.
    static let greatestRatio = 1.004488

    private static let wgs84: geod_geodesic = {
        var ellipsoid = geod_geodesic()
        unsafe geod_init(&ellipsoid, 6_378_137, 1 / 298.257223563)
        return ellipsoid
    }()
}
