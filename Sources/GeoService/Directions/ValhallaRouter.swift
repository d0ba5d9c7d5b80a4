import GeoIndex
import JSONText

/// Hands calls to Valhalla, whose answers are brought into OSRM's form.
///
/// Routes come from `/route` with `format=osrm`; tables from `/sources_to_targets`, which knows no
/// snapped places; the nearest from `/locate`. Valhalla fixes both ends of what it optimises, so a
/// trip's order is found here, from its table, whose two directions are averaged; the way itself
/// is its own.
struct ValhallaRouter {
    let connection: RouterConnection

    /// Blocks.
    ///
    /// - Throws: ``HTTPCallError`` when the router did not answer as one.
    func outcome(of call: DirectionsCall) throws(HTTPCallError) -> RoutingServer.Outcome {
        do {
            let object: JSONObject =
                switch call.service {
                case .route: try route(call)
                case .table: try table(call)
                case .trip: try trip(call)
                case .nearest: try nearest(call)
                }
            return .answer(object, .valhalla)
        } catch let error as Refusal {
            return .refusal(code: error.code, message: error.message)
        } catch let error as HTTPCallError {
            throw error
        } catch {
            throw HTTPCallError(description: "the router's answer is none of Valhalla's")
        }
    }

    /// What Valhalla says is wrong with a call.
    struct Refusal: Error {
        let code: String
        let message: String
    }

    // MARK: - Routes

    private func route(_ call: DirectionsCall) throws -> JSONObject {
        if call.options.mergesLegs {
            throw Refusal(
                code: "NotImplemented", message: "waypoints must name all coordinates")
        }
        var members: [(String, JSONValue)] = []
        let alternatives = call.query.first { $0.name == "alternatives" }?.value ?? "false"
        if call.places.count == 2, alternatives != "false", alternatives != "0" {
            members.append(("alternates", .integer(Int64(alternatives) ?? 1)))
        }
        return try route(Array(call.places.indices), of: call, members)
    }

    private func route(
        _ order: [Int], of call: DirectionsCall, _ more: [(String, JSONValue)] = []
    ) throws -> JSONObject {
        let json = try ask(
            "/route", of: call,
            [
                ("locations", ValhallaRouter.locations(order.map { call.places[$0] })),
                ("format", "osrm"), ("shape_format", "polyline6"), ("units", "kilometers"),
            ] + more)
        guard var object = json.objectValue, let routes = object["routes"]?.arrayValue,
            object["waypoints"]?.arrayValue?.count == order.count
        else { throw ValhallaRouter.foreign }
        object["routes"] = .array(try routes.map { try shaped($0, call.options) })
        if call.options.skipsWaypoints { object["waypoints"] = nil }
        return object
    }

    /// A route with the lines and steps that were asked for.
    private func shaped(_ route: JSONValue, _ options: DirectionsOptions) throws -> JSONValue {
        guard var object = route.objectValue, let legs = object["legs"]?.arrayValue else {
            throw ValhallaRouter.foreign
        }
        if options.overview == .none {
            object.removeValue(forKey: "geometry")
        } else {
            object["geometry"] = try line(object["geometry"], options)
        }
        object["legs"] = .array(
            try legs.map { leg in
                guard var leg = leg.objectValue else { throw ValhallaRouter.foreign }
                let steps = options.steps ? leg["steps"]?.arrayValue ?? [] : []
                leg["steps"] = .array(
                    try steps.map { step in
                        guard var step = step.objectValue else { throw ValhallaRouter.foreign }
                        step["geometry"] = try line(step["geometry"], options)
                        return .object(step)
                    })
                return .object(leg)
            })
        return .object(object)
    }

    /// The most places of one line: half the globe at five metres each.
    private static let lineLimit = 4_000_000

    /// A line of six decimals in the form that was asked for.
    private func line(_ text: JSONValue?, _ options: DirectionsOptions) throws -> JSONValue {
        guard let text = text?.stringValue,
            let path = try? Polyline.decode(
                text.utf8, precision: .six, limit: ValhallaRouter.lineLimit)
        else { throw ValhallaRouter.foreign }
        switch options.geometries {
        case .polyline6: return .string(text)
        case .polyline: return .string(Polyline.encode(path, precision: .five))
        case .geojson:
            let places = path.vertices.map { JSONValue.array([.number($0.lon), .number($0.lat)]) }
            return .object(
                JSONObject([("type", "LineString"), ("coordinates", .array(places))]))
        }
    }

    // MARK: - Tables and trips

    /// Seconds and metres between places; nil where there is no way.
    private struct Matrix {
        var seconds: [[Double?]] = []
        var meters: [[Double?]] = []
    }

    private func matrix(
        _ sources: [Int], _ destinations: [Int], of call: DirectionsCall
    ) throws -> Matrix {
        let json = try ask(
            "/sources_to_targets", of: call,
            [
                ("sources", ValhallaRouter.locations(sources.map { call.places[$0] })),
                ("targets", ValhallaRouter.locations(destinations.map { call.places[$0] })),
                ("verbose", false), ("units", "kilometers"),
            ])
        guard let cells = json["sources_to_targets"] else { throw ValhallaRouter.foreign }
        var matrix = Matrix()
        if let rows = cells.arrayValue {
            // The wordy form, which older versions always give.
            for row in rows.map({ $0.arrayValue ?? [] }) {
                matrix.seconds.append(row.map { $0["time"]?.doubleValue })
                matrix.meters.append(row.map { ($0["distance"]?.doubleValue).map { $0 * 1_000 } })
            }
        } else {
            matrix.seconds = ValhallaRouter.rows(cells["durations"])
            matrix.meters = ValhallaRouter.rows(cells["distances"]).map { row in
                row.map { cell in cell.map { $0 * 1_000 } }
            }
        }
        for rows in [matrix.seconds, matrix.meters] {
            let isWhole =
                rows.count == sources.count
                && rows.allSatisfy { $0.count == destinations.count }
            guard isWhole else { throw ValhallaRouter.foreign }
        }
        return matrix
    }

    private static func rows(_ value: JSONValue?) -> [[Double?]] {
        (value?.arrayValue ?? []).map { ($0.arrayValue ?? []).map(\.doubleValue) }
    }

    private func table(_ call: DirectionsCall) throws -> JSONObject {
        let options = call.options
        let matrix = try matrix(options.sources, options.destinations, of: call)
        var object: JSONObject = ["code": "Ok"]
        if options.cells.contains(.duration) {
            object["durations"] = ValhallaRouter.array(matrix.seconds, options.scaleFactor)
        }
        if options.cells.contains(.distance) {
            object["distances"] = ValhallaRouter.array(matrix.meters, 1)
        }
        guard !options.skipsWaypoints else { return object }
        for (name, indices) in [
            ("sources", options.sources), ("destinations", options.destinations),
        ] {
            object[name] = .array(
                indices.map {
                    ValhallaRouter.waypoint(call.places[$0].lon, call.places[$0].lat, meters: 0)
                })
        }
        return object
    }

    private static func array(_ rows: [[Double?]], _ factor: Double) -> JSONValue {
        .array(rows.map { row in .array(row.map { $0.map { .number($0 * factor) } ?? .null }) })
    }

    private func trip(_ call: DirectionsCall) throws -> JSONObject {
        let all = Array(call.places.indices)
        let seconds = try matrix(all, all, of: call).seconds
        guard !seconds.contains(where: { $0.contains(nil) }) else {
            throw Refusal(code: "NoTrips", message: "there is no way between some of the stops")
        }
        let costs = StopDistances(count: all.count) { row, column in
            ((seconds[row][column] ?? 0) + (seconds[column][row] ?? 0)) / 2
        }
        let order = TripOrder.order(costs, call.options)
        let visits = call.options.isRoundTrip ? order + order.prefix(1) : order
        var object = try route(visits, of: call)
        object["trips"] = object["routes"]
        object["routes"] = nil
        guard let snapped = object["waypoints"]?.arrayValue else { return object }
        var waypoints = [JSONValue](repeating: .null, count: order.count)
        for (place, stop) in order.enumerated() {
            guard var waypoint = snapped[place].objectValue else { throw ValhallaRouter.foreign }
            waypoint["trips_index"] = 0
            waypoint["waypoint_index"] = .integer(Int64(place))
            waypoints[stop] = .object(waypoint)
        }
        object["waypoints"] = .array(waypoints)
        return object
    }

    // MARK: - Nearest

    private func nearest(_ call: DirectionsCall) throws -> JSONObject {
        let json = try ask(
            "/locate", of: call,
            [("locations", ValhallaRouter.locations(call.places)), ("verbose", false)])
        guard let found = json.arrayValue?.first else { throw ValhallaRouter.foreign }
        var places: [RoundedPosition] = []
        for edge in found["edges"]?.arrayValue ?? [] {
            guard let lon = edge["correlated_lon"]?.doubleValue,
                let lat = edge["correlated_lat"]?.doubleValue,
                let place = try? LonLat(lon: lon, lat: lat)
            else { throw ValhallaRouter.foreign }
            let rounded = RoundedPosition(place)
            // Both directions of a road are one place.
            if !places.contains(rounded) { places.append(rounded) }
        }
        guard !places.isEmpty else {
            throw Refusal(code: "NoSegment", message: "there is no road near coordinate 0")
        }
        let near = places.map {
            (place: $0, meters: SphericalGeodesy.distance(from: call.places[0], to: $0).meters)
        }.sorted { $0.meters < $1.meters }.prefix(call.options.number)
        let waypoints = near.map {
            ValhallaRouter.waypoint($0.place.lon, $0.place.lat, meters: $0.meters)
        }
        return ["code": "Ok", "waypoints": .array(waypoints)]
    }

    // MARK: - Parts

    private static let foreign = HTTPCallError(
        description: "the router's answer is none of Valhalla's")

    private func ask(
        _ path: String, of call: DirectionsCall, _ members: [(String, JSONValue)]
    ) throws -> JSONValue {
        let costing: JSONValue =
            switch call.profile {
            case .foot: "pedestrian"
            case .bike: "bicycle"
            case .car: "auto"
            }
        let body = JSONObject([("costing", costing)] + members)
        let answer = try connection.ask(
            path, profile: call.profile.rawValue, body: .object(body))
        if answer.status == 200 { return answer.json }
        throw ValhallaRouter.refusal(answer.json)
    }

    /// What an error of Valhalla's is called in OSRM.
    private static func refusal(_ json: JSONValue) -> any Error {
        if let code = json["code"]?.stringValue {
            // OSRM has one code for all that is too far or too much.
            return Refusal(
                code: code.hasSuffix("Exceeded") ? "TooBig" : code,
                message: json["message"]?.stringValue ?? "no reason given")
        }
        guard let number = json["error_code"]?.integerValue,
            let message = json["error"]?.stringValue
        else { return foreign }
        let code =
            switch number {
            case 170, 171: "NoSegment"
            case 441, 442: "NoRoute"
            case 150, 154: "TooBig"
            default: "InvalidValue"
            }
        return Refusal(code: code, message: message)
    }

    private static func locations(_ places: [RoundedPosition]) -> JSONValue {
        .array(
            places.map { place in
                .object(JSONObject([("lat", .number(place.lat)), ("lon", .number(place.lon))]))
            })
    }

    private static func waypoint(_ lon: Double, _ lat: Double, meters: Double) -> JSONValue {
        .object(
            JSONObject([
                ("location", .array([.number(lon), .number(lat)])), ("name", ""),
                ("distance", .number(meters)),
            ]))
    }
}
