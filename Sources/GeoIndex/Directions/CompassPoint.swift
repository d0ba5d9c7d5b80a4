/// One of the eight points of the compass.
public enum CompassPoint: Int, CaseIterable, Sendable {
    case north, northEast, east, southEast, south, southWest, west, northWest

    /// The point nearest to a bearing; halfway between two it is the one clockwise.
    ///
    /// - Parameter degrees: Clockwise from north, in [0, 360].
    public init(bearing degrees: Double) {
        let eighth = Int(((degrees + 22.5) / 45).rounded(.down))
        let all = CompassPoint.allCases
        self = all[((eighth % all.count) + all.count) % all.count]
    }
}
