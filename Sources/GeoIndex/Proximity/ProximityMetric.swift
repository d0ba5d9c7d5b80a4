import Glibc

/// How distances from one place are measured and ordered. The haversine on the sphere proposes,
/// a metric decides.
protocol ProximityMetric {
    var centre: RoundedPosition { get }
    /// A number that grows with the distance to a place, and is equal for equal distances.
    func measure(haversine: Double, lonE7: Int32, latE7: Int32) -> Double
    /// The greatest measure of a distance.
    func measure(of distance: Distance) -> Double
    /// The distance of a measure.
    func distance(ofMeasure measure: Double) -> Distance
    /// Places of at most this measure have at most this haversine.
    func haversine(reaching measure: Double) -> Double
    /// By which factor the haversine of one place may exceed another's and it still be nearer.
    static var haversineFactor: Double { get }
    /// Places that are no farther than all that have this haversine have at most this one.
    func haversine(reachingAllWithin haversine: Double) -> Double
}

extension ProximityMetric {
    func measure(of position: RoundedPosition) -> Double {
        measure(
            haversine: SphericalGeodesy.haversine(from: centre, to: position),
            lonE7: position.lonE7, latE7: position.latE7)
    }
}

/// Great circles: the measure is the haversine itself.
struct SphereMetric: ProximityMetric {
    let centre: RoundedPosition

    static let haversineFactor = 1.0

    init(_ centre: RoundedPosition) { self.centre = centre }

    @inline(__always)
    func measure(haversine: Double, lonE7: Int32, latE7: Int32) -> Double { haversine }

    func measure(of distance: Distance) -> Double { SphericalGeodesy.haversine(of: distance) }

    func distance(ofMeasure measure: Double) -> Distance {
        .meters(
            SphericalGeodesy.earthRadiusMeters * SphericalGeodesy.centralAngle(haversine: measure))
    }

    func haversine(reaching measure: Double) -> Double { min(measure, 1) }

    func haversine(reachingAllWithin haversine: Double) -> Double { haversine }
}

/// Geodesics on WGS 84: the measure is their length in metres. The bounds of its ratio to the
/// great circle's tell how far the sphere has to be searched.
struct EllipsoidMetric: ProximityMetric {
    let centre: RoundedPosition
    /// sin kx ≤ k · sin x for k ≥ 1; a little more than that, against the micrometre by which
    /// either distance may be off, where they are a metre or more.
    static let haversineFactor =
        EllipsoidalGeodesy.greatestRatio * EllipsoidalGeodesy.greatestRatio
        / (EllipsoidalGeodesy.leastRatio * EllipsoidalGeodesy.leastRatio) * 1.0001

    init(_ centre: RoundedPosition) { self.centre = centre }

    func measure(haversine: Double, lonE7: Int32, latE7: Int32) -> Double {
        EllipsoidalGeodesy.distance(
            from: centre, to: RoundedPosition(trustedLonE7: lonE7, latE7: latE7)
        ).meters
    }

    func measure(of distance: Distance) -> Double { distance.meters }

    func distance(ofMeasure measure: Double) -> Distance { .meters(measure) }

    func haversine(reaching measure: Double) -> Double {
        // A micrometre more, against the rounding of either.
        SphericalGeodesy.haversine(
            of: .meters(measure / EllipsoidalGeodesy.leastRatio + 1e-6))
    }

    func haversine(reachingAllWithin haversine: Double) -> Double {
        let meters =
            SphericalGeodesy.earthRadiusMeters
            * SphericalGeodesy.centralAngle(haversine: haversine)
        return self.haversine(reaching: meters * EllipsoidalGeodesy.greatestRatio + 1e-6)
    }
}
