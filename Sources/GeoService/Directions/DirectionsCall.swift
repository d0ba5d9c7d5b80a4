import GeoIndex

/// OSRM's services that are answered here.
enum DirectionsService: String, CaseIterable, Sendable {
    case route, table, trip, nearest

    /// Whether a path is one of theirs, so that its errors have OSRM's form.
    static func owns(_ path: String) -> Bool {
        allCases.contains { path.hasPrefix("/\($0.rawValue)/") }
    }

    /// How many coordinates a call may have.
    var coordinateCounts: ClosedRange<Int> {
        switch self {
        case .route, .trip: 2...100
        case .table: 1...100
        case .nearest: 1...1
        }
    }
}

/// One call, checked: what both the hints and a router answer.
struct DirectionsCall: Sendable {
    let service: DirectionsService
    let profile: TravelProfile
    let places: [RoundedPosition]
    let options: DirectionsOptions
    /// The query as it came, each value checked, without what only this service can know.
    let query: [(name: String, value: String)]

    /// Reads a request.
    ///
    /// - Throws: ``DirectionsError`` naming the part at fault.
    init(_ service: DirectionsService, _ request: Request) throws {
        self.service = service
        profile = try DirectionsCall.profile(request.pathValue("profile") ?? "")
        places = try CoordinateText.places(
            request.pathValue("coordinates") ?? "", count: service.coordinateCounts)
        let items = try request.queryItems()
        options = try DirectionsOptions(items, of: service, coordinates: places.count)
        query = items.filter { $0.name != "hints" }
    }

    /// A profile for calls that are about none.
    static let probeProfile = TravelProfile.car.rawValue

    /// Other names by which clients ask for a profile.
    private static let synonyms: [String: TravelProfile] = [
        "driving": .car, "walking": .foot, "cycling": .bike,
    ]

    private static func profile(_ name: String) throws(DirectionsError) -> TravelProfile {
        guard let profile = TravelProfile(rawValue: name) ?? synonyms[name] else {
            throw DirectionsError(
                .invalidValue,
                "the profile in the path must be foot, bike or car (walking, cycling and driving "
                    + "mean the same)")
        }
        return profile
    }
}
