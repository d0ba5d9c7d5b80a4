import GeoIndex

/// What a voice would say, in English.
enum Instruction {
    /// At the beginning of a leg: "Head north-east for 1.2 km".
    static func head(along leg: GreatCircle) -> String {
        guard leg.distance.meters > 0 else { return "Stay where you are" }
        let point = CompassPoint(bearing: leg.initialBearing)
        return "Head \(word(for: point)) for \(text(of: leg.distance))"
    }

    /// At the end of a leg.
    ///
    /// - Parameters:
    ///   - number: That of the leg, from 0 on.
    ///   - count: How many legs there are.
    static func arrive(atEndOf number: Int, of count: Int) -> String {
        number + 1 == count
            ? "You have arrived at your destination"
            : "You have arrived at stop \(number + 1) of \(count)"
    }

    /// `850 m` below a kilometre, `1.2 km` below 100 km, then `931 km`.
    static func text(of distance: Distance) -> String {
        let meters = distance.meters.rounded()
        if meters < 1_000 { return "\(Int(meters)) m" }
        let tenths = (distance.meters / 100).rounded()
        guard tenths < 1_000 else { return "\(Int(distance.kilometers.rounded())) km" }
        // Below 1000, so the conversion cannot trap; nor can that of half the globe's girth.
        let whole = Int(tenths)
        return "\(whole / 10).\(whole % 10) km"
    }

    static func word(for point: CompassPoint) -> String {
        switch point {
        case .north: "north"
        case .northEast: "north-east"
        case .east: "east"
        case .southEast: "south-east"
        case .south: "south"
        case .southWest: "south-west"
        case .west: "west"
        case .northWest: "north-west"
        }
    }
}
