import GeoIndex

/// What a call asks for in its query. Every parameter of OSRM's is known; those that mean
/// something on roads only are checked, and handed to a router.
struct DirectionsOptions: Sendable {
    /// How a line is written.
    enum Geometries: String, CaseIterable, Sendable { case polyline, polyline6, geojson }
    /// How finely the whole line is drawn.
    enum Overview: String, CaseIterable, Sendable { case simplified, full, none = "false" }
    /// What each piece of a leg's line is told with.
    enum Annotation: String, CaseIterable, Sendable {
        case nodes, distance, duration, datasources, weight, speed
    }
    /// What a table holds.
    enum TableCell: String, CaseIterable, Sendable { case duration, distance }

    var geometries = Geometries.polyline
    var overview = Overview.simplified
    var steps = false
    var annotations: Set<Annotation> = []
    var generatesHints = true
    var skipsWaypoints = false
    /// Rows and columns of a table.
    var sources: [Int]
    var destinations: [Int]
    var cells: Set<TableCell> = [.duration]
    /// What durations of a table are multiplied with.
    var scaleFactor = 1.0
    var isRoundTrip = true
    var startsFirst = false
    var endsLast = false
    /// How many nearest places are asked for.
    var number = 1
    /// Whether `waypoints` merges legs, which hints cannot.
    var mergesLegs = false

    static let nearestNumbers = 1...100

    private static let everywhere = [
        "bearings", "radiuses", "generate_hints", "hints", "approaches", "exclude", "snapping",
        "skip_waypoints",
    ]

    /// The parameters of a service.
    static func names(of service: DirectionsService) -> [String] {
        let line = ["steps", "annotations", "geometries", "overview"]
        return everywhere
            + {
                switch service {
                case .route: line + ["alternatives", "continue_straight", "waypoints"]
                case .trip: line + ["roundtrip", "source", "destination"]
                case .table:
                    [
                        "sources", "destinations", "annotations", "fallback_speed",
                        "fallback_coordinate", "scale_factor",
                    ]
                case .nearest: ["number"]
                }
            }()
    }

    /// Reads the parameters of a call.
    ///
    /// - Throws: ``DirectionsError`` naming the parameter.
    init(
        _ items: [(name: String, value: String)], of service: DirectionsService, coordinates: Int
    ) throws(DirectionsError) {
        sources = Array(0..<coordinates)
        destinations = sources
        let names = DirectionsOptions.names(of: service)
        for (name, value) in items {
            guard names.contains(name) else {
                throw DirectionsError(
                    .invalidQuery,
                    "\(name) is not a parameter of \(service.rawValue); it takes "
                        + names.sorted().joined(separator: ", "))
            }
            let option = OptionText(name: name, value: value, coordinates: coordinates)
            switch service {
            case .table: try readTable(option)
            case .route, .trip, .nearest: try read(option)
            }
        }
    }

    private mutating func read(_ option: OptionText) throws(DirectionsError) {
        switch option.name {
        case "steps": steps = try option.flag()
        case "geometries": geometries = try option.choice(of: Geometries.self)
        case "overview": overview = try option.choice(of: Overview.self)
        case "annotations":
            annotations =
                option.value == "true"
                ? Set(Annotation.allCases)
                : option.value == "false" ? [] : try option.choices(of: Annotation.self)
        case "alternatives":
            if !["true", "false"].contains(option.value) { _ = try option.whole(in: 0...100) }
        case "continue_straight": try option.check(["default", "true", "false"])
        case "waypoints":
            let kept = try option.indices()
            guard kept.first == 0, kept.last == option.coordinates - 1, kept == kept.sorted() else {
                throw .parameter("waypoints", "must ascend from 0 to the last coordinate")
            }
            mergesLegs = kept.count < option.coordinates
        case "roundtrip": isRoundTrip = try option.flag()
        case "source":
            try option.check(["any", "first"])
            startsFirst = option.value == "first"
        case "destination":
            try option.check(["any", "last"])
            endsLast = option.value == "last"
        case "number": number = try option.whole(in: DirectionsOptions.nearestNumbers)
        default: try readCommon(option)
        }
    }

    private mutating func readTable(_ option: OptionText) throws(DirectionsError) {
        switch option.name {
        case "sources": sources = try option.indicesOrAll()
        case "destinations": destinations = try option.indicesOrAll()
        case "annotations": cells = try option.choices(of: TableCell.self)
        case "fallback_speed": _ = try option.positive()
        case "fallback_coordinate": try option.check(["input", "snapped"])
        case "scale_factor": scaleFactor = try option.positive()
        default: try readCommon(option)
        }
    }

    private mutating func readCommon(_ option: OptionText) throws(DirectionsError) {
        switch option.name {
        case "generate_hints": generatesHints = try option.flag()
        case "skip_waypoints": skipsWaypoints = try option.flag()
        case "snapping": try option.check(["default", "any"])
        case "exclude":
            try option.checkAll(
                between: ",", "must be names of road classes, separated by commas"
            ) { OptionText.isName($0) }
        case "hints":
            try option.checkEach("must be a hint of an earlier answer, or nothing") { text in
                text.utf8.count <= 1_024 && text.utf8.allSatisfy(OptionText.isHint)
            }
        case "approaches":
            try option.checkEach("must be curb, opposite, unrestricted or nothing") {
                ["", "curb", "opposite", "unrestricted"].contains($0)
            }
        case "radiuses":
            try option.checkEach("must be unlimited, a number of metres from 0 on or nothing") {
                $0.isEmpty || $0 == "unlimited" || (CoordinateText.decimal($0) ?? -1) >= 0
            }
        case "bearings":
            try option.checkEach(
                "must be a bearing from 0 to 360, a comma and a deviation from 0 to 180, in whole "
                    + "degrees, or nothing", OptionText.isBearing)
        default:
            // The list of names and these cases are compared by a test.
            throw .parameter(option.name, "is not read")
        }
    }
}
