import GeoIndex
import JSONText

/// Answers without any roads: great circles, at the speed of the profile.
struct HintAnswers {
    /// Why there are only hints.
    enum Reason {
        /// There is no router.
        case noRouter
        /// There is one, but it did not answer.
        case routerIsDown
    }

    /// The value of `engine` in an answer of hints.
    static let engine = "great-circle"

    let call: DirectionsCall
    let reason: Reason

    private var options: DirectionsOptions { call.options }

    /// The body of the answer.
    ///
    /// - Throws: ``DirectionsError`` for what hints cannot do.
    func json() throws(DirectionsError) -> [UInt8] {
        if options.mergesLegs {
            throw DirectionsError(
                .notImplemented, "waypoints must name all coordinates: this is done by a router")
        }
        var json = JSONWriter()
        json.beginObject()
        json.key("code")
        json.string("Ok")
        json.key("engine")
        json.string(HintAnswers.engine)
        json.key("message")
        json.string(message)
        switch call.service {
        case .route: writeRoute(&json)
        case .table: writeTable(&json)
        case .trip: writeTrip(&json)
        case .nearest: writeWaypoints("waypoints", [0], &json)
        }
        json.endObject()
        return json.bytes
    }

    private var message: String {
        switch reason {
        case .noRouter: "These are straight-line hints along great circles, not ways on roads."
        case .routerIsDown:
            "The router did not answer: these are straight-line hints along great circles, not "
                + "ways on roads."
        }
    }

    private func writeRoute(_ json: inout JSONWriter) {
        json.key("routes")
        json.beginArray()
        writer(of: Array(call.places.indices)).write(&json)
        json.endArray()
        if !options.skipsWaypoints {
            writeWaypoints("waypoints", Array(call.places.indices), &json)
        }
    }

    private func writer(of order: [Int]) -> RouteWriter {
        let legs = zip(order, order.dropFirst()).map {
            GreatCircle(from: call.places[$0.0], to: call.places[$0.1])
        }
        return RouteWriter(legs: legs, profile: call.profile, options: options)
    }

    private func writeTable(_ json: inout JSONWriter) {
        for cell in DirectionsOptions.TableCell.allCases where options.cells.contains(cell) {
            json.key(cell.rawValue + "s")
            json.beginArray()
            for source in options.sources {
                json.beginArray()
                for destination in options.destinations {
                    let distance = SphericalGeodesy.distance(
                        from: call.places[source], to: call.places[destination])
                    json.number(
                        cell == .distance
                            ? distance.meters
                            : call.profile.seconds(for: distance) * options.scaleFactor)
                }
                json.endArray()
            }
            json.endArray()
        }
        guard !options.skipsWaypoints else { return }
        writeWaypoints("sources", options.sources, &json)
        writeWaypoints("destinations", options.destinations, &json)
    }

    private func writeTrip(_ json: inout JSONWriter) {
        let order = TripOrder.order(StopDistances(call.places), options)
        let visits = options.isRoundTrip ? order + order.prefix(1) : order
        json.key("trips")
        json.beginArray()
        writer(of: visits).write(&json)
        json.endArray()
        guard !options.skipsWaypoints else { return }
        var turn = [Int](repeating: 0, count: order.count)
        for (place, stop) in order.enumerated() { turn[stop] = place }
        writeWaypoints("waypoints", Array(call.places.indices), &json) { stop, json in
            json.key("trips_index")
            json.integer(0)
            json.key("waypoint_index")
            json.integer(Int64(turn[stop]))
        }
    }

    private func writeWaypoints(
        _ name: String, _ indices: [Int], _ json: inout JSONWriter,
        more: (Int, inout JSONWriter) -> Void = { _, _ in }
    ) {
        json.key(name)
        json.beginArray()
        for index in indices {
            let place = call.places[index]
            json.beginObject()
            if options.generatesHints {
                json.key("hint")
                json.string(HintAnswers.hint(of: place))
            }
            json.key("location")
            RouteWriter.write(lon: place.lon, lat: place.lat, &json)
            json.key("name")
            json.string("")
            // Nothing is snapped to a road.
            json.key("distance")
            json.integer(0)
            more(index, &json)
            json.endObject()
        }
        json.endArray()
    }

    /// A text that clients may send back; it means nothing, as a place without roads needs no hint.
    private static func hint(of place: RoundedPosition) -> String {
        [place.lonE7, place.latE7].map { unit in
            let digits = String(UInt32(bitPattern: unit), radix: 16)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }.joined()
    }
}

/// What a trip's options fix of its order.
enum TripOrder {
    static func order(_ distances: StopDistances, _ options: DirectionsOptions) -> [Int] {
        let last = options.endsLast ? distances.count - 1 : nil
        let ends: TripSolver.Ends =
            switch (options.isRoundTrip, options.startsFirst, last) {
            case (true, true, let last?): .roundTripBetween(first: 0, last: last)
            case (true, _, let last): .roundTrip(last: last)
            case (false, let startsFirst, let last):
                .oneWay(first: startsFirst ? 0 : nil, last: last)
            }
        return TripSolver(distances: distances).order(ends: ends)
    }
}
