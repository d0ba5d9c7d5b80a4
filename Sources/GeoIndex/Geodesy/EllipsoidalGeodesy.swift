import CPROJ

/// Geodesics on the WGS 84 ellipsoid, by PROJ's routines: the yardstick for the sphere.
///
/// Source: C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87, 2013.
public enum EllipsoidalGeodesy {
    /// The shortest distance between two positions, exact to about 15 nanometres.
    public static func distance(from start: RoundedPosition, to end: RoundedPosition) -> Distance {
        var ellipsoid = geod_geodesic()
        unsafe geod_init(&ellipsoid, 6_378_137, 1 / 298.257223563)
        var meters = 0.0
        // PROJ's geodesics take the latitude first.
        unsafe geod_inverse(
            &ellipsoid, start.lat, start.lon, end.lat, end.lon, &meters, nil, nil)
        return .meters(meters)
    }
}
