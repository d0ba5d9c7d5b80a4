import GeoIndex
import JSONText

/// Writes great circles that follow one another as a route of OSRM's.
///
/// Each leg has `bearing` and `instruction` beside OSRM's members, and each manoeuvre an
/// `instruction`.
struct RouteWriter {
    /// How far a line may stray from its great circle.
    private static let fullTolerance = Distance.meters(50)
    private static let simplifiedTolerance = Distance.kilometers(1)

    let legs: [GreatCircle]
    let profile: TravelProfile
    let options: DirectionsOptions

    func write(_ json: inout JSONWriter) {
        let meters = legs.reduce(0) { $0 + $1.distance.meters }
        json.beginObject()
        if options.overview != .none {
            let tolerance =
                options.overview == .full
                ? RouteWriter.fullTolerance : RouteWriter.simplifiedTolerance
            var path = RoutePath()
            for leg in legs { path.append(RoutePath(leg, tolerance: tolerance)) }
            json.key("geometry")
            write(path, &json)
        }
        json.key("legs")
        json.beginArray()
        for number in legs.indices { writeLeg(number, &json) }
        json.endArray()
        writeCosts(.meters(meters), &json)
        json.key("weight_name")
        json.string("duration")
        json.endObject()
    }

    private func writeLeg(_ number: Int, _ json: inout JSONWriter) {
        let leg = legs[number]
        // Only what is drawn or annotated needs the line.
        let needsPath = options.steps || !options.annotations.isEmpty
        let path =
            needsPath ? RoutePath(leg, tolerance: RouteWriter.fullTolerance) : RoutePath()
        json.beginObject()
        json.key("steps")
        json.beginArray()
        if options.steps {
            writeDeparture(number, path, &json)
            writeArrival(number, path, &json)
        }
        json.endArray()
        writeCosts(leg.distance, &json)
        json.key("summary")
        json.string("")
        json.key("bearing")
        json.number(leg.initialBearing)
        json.key("instruction")
        json.string(Instruction.head(along: leg))
        if !options.annotations.isEmpty { writeAnnotation(path, &json) }
        json.endObject()
    }

    private func writeCosts(_ distance: Distance, _ json: inout JSONWriter) {
        json.key("distance")
        json.number(distance.meters)
        json.key("duration")
        json.number(profile.seconds(for: distance))
        json.key("weight")
        json.number(profile.seconds(for: distance))
    }

    // MARK: - Steps

    private func writeDeparture(_ number: Int, _ path: RoutePath, _ json: inout JSONWriter) {
        let leg = legs[number]
        let bearing = RouteWriter.whole(leg.initialBearing)
        writeStep(leg.distance, path, leg.start, &json) { json in
            json.key("type")
            json.string("depart")
            json.key("bearing_before")
            json.integer(0)
            json.key("bearing_after")
            json.integer(bearing)
            json.key("instruction")
            json.string(Instruction.head(along: leg))
        } intersection: { json in
            json.key("bearings")
            json.value([.integer(bearing)])
            json.key("out")
            json.integer(0)
        }
    }

    private func writeArrival(_ number: Int, _ path: RoutePath, _ json: inout JSONWriter) {
        let leg = legs[number]
        let bearing = RouteWriter.whole(leg.finalBearing)
        // A line has two places, even where it goes nowhere.
        let end = RoutePath(path.vertices.suffix(1) + path.vertices.suffix(1))
        writeStep(.meters(0), end, leg.end, &json) { json in
            json.key("type")
            json.string("arrive")
            json.key("bearing_before")
            json.integer(bearing)
            json.key("bearing_after")
            json.integer(0)
            json.key("instruction")
            json.string(Instruction.arrive(atEndOf: number, of: legs.count))
        } intersection: { json in
            json.key("bearings")
            json.value([.integer((bearing + 180) % 360)])
            json.key("in")
            json.integer(0)
        }
    }

    private func writeStep(
        _ distance: Distance, _ path: RoutePath, _ place: RoundedPosition,
        _ json: inout JSONWriter, maneuver: (inout JSONWriter) -> Void,
        intersection: (inout JSONWriter) -> Void
    ) {
        json.beginObject()
        writeCosts(distance, &json)
        json.key("geometry")
        write(path, &json)
        json.key("name")
        json.string("")
        json.key("mode")
        json.string(mode)
        json.key("driving_side")
        json.string("right")
        json.key("maneuver")
        json.beginObject()
        json.key("location")
        RouteWriter.write(lon: place.lon, lat: place.lat, &json)
        maneuver(&json)
        json.endObject()
        json.key("intersections")
        json.beginArray()
        json.beginObject()
        json.key("location")
        RouteWriter.write(lon: place.lon, lat: place.lat, &json)
        json.key("entry")
        json.value([.bool(true)])
        intersection(&json)
        json.endObject()
        json.endArray()
        json.endObject()
    }

    private var mode: String {
        switch profile {
        case .foot: "walking"
        case .bike: "cycling"
        case .car: "driving"
        }
    }

    /// A bearing in whole degrees, in 0...359.
    private static func whole(_ degrees: Double) -> Int64 {
        // In [0, 360), so the conversion cannot trap.
        Int64(degrees.rounded()) % 360
    }

    // MARK: - Lines

    /// What OSRM tells of each piece of a leg's full line, but nodes and sources, which are those
    /// of a road network.
    private func writeAnnotation(_ path: RoutePath, _ json: inout JSONWriter) {
        let pieces = zip(path.vertices, path.vertices.dropFirst()).map {
            SphericalGeodesy.distance(from: $0.0.position, to: $0.1.position)
        }
        json.key("annotation")
        json.beginObject()
        for annotation in DirectionsOptions.Annotation.allCases
        where options.annotations.contains(annotation) {
            let value: (Distance) -> Double
            switch annotation {
            case .nodes, .datasources: continue
            case .distance: value = { $0.meters }
            case .duration, .weight: value = { profile.seconds(for: $0) }
            case .speed: value = { _ in profile.metersPerSecond }
            }
            json.key(annotation.rawValue)
            json.beginArray()
            for piece in pieces { json.number(value(piece)) }
            json.endArray()
        }
        json.endObject()
    }

    private func write(_ path: RoutePath, _ json: inout JSONWriter) {
        RouteWriter.write(path, as: options.geometries, &json)
    }

    static func write(
        _ path: RoutePath, as geometries: DirectionsOptions.Geometries, _ json: inout JSONWriter
    ) {
        switch geometries {
        case .polyline: json.string(Polyline.encode(path, precision: .five))
        case .polyline6: json.string(Polyline.encode(path, precision: .six))
        case .geojson:
            json.beginObject()
            json.key("type")
            json.string("LineString")
            json.key("coordinates")
            json.beginArray()
            for vertex in path.vertices { write(lon: vertex.lon, lat: vertex.lat, &json) }
            json.endArray()
            json.endObject()
        }
    }

    static func write(lon: Double, lat: Double, _ json: inout JSONWriter) {
        json.beginArray()
        json.number(lon)
        json.number(lat)
        json.endArray()
    }
}
