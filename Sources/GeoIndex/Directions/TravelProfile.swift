/// How somebody travels, as far as a straight line depends on it.
public enum TravelProfile: String, CaseIterable, Sendable {
    /// On foot, 5 km/h.
    case foot
    /// By bicycle, 15 km/h.
    case bike
    /// By car, 50 km/h.
    case car

    /// The speed on the straight line, in metres a second.
    public var metersPerSecond: Double {
        switch self {
        case .foot: 5 / 3.6
        case .bike: 15 / 3.6
        case .car: 50 / 3.6
        }
    }

    /// How long a way takes, in seconds.
    public func seconds(for distance: Distance) -> Double { distance.meters / metersPerSecond }
}
