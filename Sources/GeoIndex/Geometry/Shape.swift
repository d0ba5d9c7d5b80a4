/// A geometry on the globe, in the kinds of the simple features standard.
///
/// A shape is what somebody stated, not a checked figure: rings may cross themselves or be open.
/// Positions are valid by their type. Lines run straight on the plane of longitude and latitude
/// and do not jump over ±180°; what crosses that meridian comes cut in two (RFC 7946, 3.1.9).
public indirect enum Shape: Hashable, Sendable {
    /// One position.
    case point(LonLat)
    /// A line through positions.
    case line([LonLat])
    /// An area: the outer ring first, then the holes.
    case polygon([[LonLat]])
    /// Any number of shapes: a MultiPoint, MultiLineString, MultiPolygon or GeometryCollection.
    case collection([Shape])

    /// The first position that was stated; nil when there is none. O(parts).
    public var firstPosition: LonLat? {
        switch self {
        case .point(let position): position
        case .line(let positions): positions.first
        case .polygon(let rings): rings.lazy.compactMap(\.first).first
        case .collection(let shapes): shapes.lazy.compactMap(\.firstPosition).first
        }
    }
}
