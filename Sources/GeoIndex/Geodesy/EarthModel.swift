/// The figure of the Earth on which distances are measured.
public enum EarthModel: Sendable, Hashable {
    /// The sphere of ``SphericalGeodesy/earthRadiusMeters``.
    case sphere
    /// The WGS 84 ellipsoid.
    case ellipsoid
}
