import Glibc

/// All places within a distance of a centre: a cap of the sphere, edge in.
///
/// What lies in it is decided by the haversine alone. Boxes only propose.
struct GeoCap {
    let centre: RoundedPosition
    /// The haversine of the radius; places with a greater one lie outside. A search may lower it.
    var haversine: Double
    /// A box that holds the cap.
    private(set) var outer: PositionBox
    /// Two keys between which all places of `outer` lie on the Z-curve.
    private(set) var keys: ClosedRange<UInt64>
    /// The haversine that `outer` was made for.
    private var outerHaversine: Double
    private let origin: HaversineOrigin
    private var cosCentre: Double { origin.cosine }

    init(centre: RoundedPosition, radius: Distance) {
        self.init(
            centre: centre, haversine: SphericalGeodesy.haversine(of: radius))
    }

    init(centre: RoundedPosition, haversine: Double) {
        self.centre = centre
        self.haversine = haversine
        origin = HaversineOrigin(centre)
        outer = GeoCap.outerBox(centre, haversine: haversine, cosCentre: origin.cosine)
        keys = outer.keys
        outerHaversine = haversine
    }

    /// Lets the box follow a haversine that was lowered.
    mutating func tighten() {
        guard haversine < outerHaversine else { return }
        outer = GeoCap.outerBox(centre, haversine: haversine, cosCentre: cosCentre)
        keys = outer.keys
        outerHaversine = haversine
    }

    /// The plane that stands in for the sphere where the cap is small; nil where it is not.
    var plane: LocalPlane? {
        LocalPlane(centre, haversine: haversine, cosine: origin.cosine, sine: origin.sine)
    }

    /// Where a node's box lies; `cut` when in doubt.
    func relation(to summary: NodeSummary) -> AreaRelation {
        if haversine >= 1 { return .inside }
        let box = PositionBox(summary)
        if leastHaversine(to: box) > haversine { return .outside }
        guard let greatest = greatestHaversine(to: box) else { return .cut }
        return greatest <= haversine ? .inside : .cut
    }

    /// Not less than the haversine from the centre to any place in a box; nil for a box that goes
    /// farther round than a quarter of the globe, where it is not at a corner.
    ///
    /// Along a meridian the cosine of the distance is a sine wave of latitude, whose trough lies
    /// beyond the poles when the meridian is less than a quarter round: so the farthest place of a
    /// box is on its north or south edge, and there as far east or west as can be.
    private func greatestHaversine(to box: PositionBox) -> Double? {
        let west = apart(box.west)
        let east = apart(box.east)
        let width = Int64(box.east) - Int64(box.west)
        guard max(west, east) <= 900_000_000, width < 1_800_000_000 else { return nil }
        let farthest = west > east ? box.west : box.east
        return max(
            haversine(lonE7: farthest, latE7: box.south),
            haversine(lonE7: farthest, latE7: box.north)) * (1 + 1e-12)
    }

    private func apart(_ lonE7: Int32) -> Int64 {
        let units = abs(Int64(lonE7) - Int64(centre.lonE7))
        return min(units, RoundedPosition.turnE7 - units)
    }

    /// The haversine between the centre and a place.
    @inline(__always)
    func haversine(lonE7: Int32, latE7: Int32) -> Double {
        haversine(to: RoundedPosition(trustedLonE7: lonE7, latE7: latE7))
    }

    @inline(__always)
    func haversine(to position: RoundedPosition) -> Double {
        origin.haversine(to: position)
    }

    /// Whether a place lies in the cap.
    @inline(__always)
    func contains(lonE7: Int32, latE7: Int32) -> Bool {
        haversine(lonE7: lonE7, latE7: latE7) <= haversine
    }

    /// Not more than the haversine from the centre to any place in a box.
    ///
    /// hav = sin²(Δlat/2) + cos·cos·sin²(Δlon/2) grows with each of its parts, so the least of
    /// each bounds it from below.
    func leastHaversine(to box: PositionBox) -> Double {
        let latGap = max(
            0, Int64(box.south) - Int64(centre.latE7), Int64(centre.latE7) - Int64(box.north))
        let lonGap = box.longitudeGap(to: centre.lonE7)
        let sinLat = sin(Double(latGap) * SphericalGeodesy.halfRadiansPerE7)
        if lonGap == 0 { return sinLat * sinLat * GeoCap.lower }
        let sinLon = sin(Double(lonGap) * SphericalGeodesy.halfRadiansPerE7)
        let edge = max(abs(Int64(box.south)), abs(Int64(box.north)))
        let cosEdge = max(0, cos(Double(edge) * SphericalGeodesy.radiansPerE7))
        return (sinLat * sinLat + cosCentre * cosEdge * sinLon * sinLon) * GeoCap.lower
    }

    /// Takes a little off, more than the rounding of the functions above.
    private static let lower = 1 - 1e-12

    private static func outerBox(
        _ centre: RoundedPosition, haversine: Double, cosCentre: Double
    ) -> PositionBox {
        let angle = SphericalGeodesy.centralAngle(haversine: haversine)
        // One unit more than the angle, against rounding.
        let latUnits = angle / SphericalGeodesy.radiansPerE7 + 2
        let south = Double(centre.latE7) - latUnits
        let north = Double(centre.latE7) + latUnits
        guard south > -900_000_000, north < 900_000_000 else {
            return PositionBox(
                west: -1_800_000_000, south: Int32(max(south, -900_000_000).rounded(.down)),
                east: 1_800_000_000, north: Int32(min(north, 900_000_000).rounded(.up)))
        }
        // The meridians that touch the cap: sin Δlon = sin r / cos lat.
        let ratio = sin(angle) / cosCentre
        guard angle < .pi / 2, ratio < 1 else {
            return PositionBox(
                west: -1_800_000_000, south: Int32(south.rounded(.down)), east: 1_800_000_000,
                north: Int32(north.rounded(.up)))
        }
        let lonUnits = asin(ratio) / SphericalGeodesy.radiansPerE7 * (1 + 1e-9) + 2
        return PositionBox(
            centredLonE7: centre.lonE7, halfWidth: Int64(lonUnits.rounded(.up)),
            south: Int32(south.rounded(.down)), north: Int32(north.rounded(.up)))
    }
}

/// A box in units of 1e-7°, edges in; `west > east` runs over ±180°.
struct PositionBox {
    var west: Int32
    var south: Int32
    var east: Int32
    var north: Int32

    init(west: Int32, south: Int32, east: Int32, north: Int32) {
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    /// A box that reaches `halfWidth` units to either side of a meridian.
    init(centredLonE7 lonE7: Int32, halfWidth: Int64, south: Int32, north: Int32) {
        self.south = south
        self.north = north
        if halfWidth >= 1_800_000_000 {
            west = -1_800_000_000
            east = 1_800_000_000
        } else {
            west = PositionBox.wrapped(Int64(lonE7) - halfWidth)
            east = PositionBox.wrapped(Int64(lonE7) + halfWidth)
        }
    }

    /// The box of a query, its edges rounded to the grid that places are on.
    init(_ box: BoundingBox) {
        west = Int32((box.west * 1e7).rounded())
        south = Int32((box.south * 1e7).rounded())
        east = Int32((box.east * 1e7).rounded())
        north = Int32((box.north * 1e7).rounded())
    }

    /// The box of all entries below a node.
    init(_ summary: NodeSummary) {
        self.init(
            west: summary.west, south: summary.south, east: summary.east, north: summary.north)
    }

    private static func wrapped(_ units: Int64) -> Int32 {
        if units < -1_800_000_000 { return Int32(units + RoundedPosition.turnE7) }
        if units > 1_800_000_000 { return Int32(units - RoundedPosition.turnE7) }
        return Int32(units)
    }

    /// Two keys between which all places of the box lie on the Z-curve: those of its corners, or
    /// the whole curve for a box that touches ±180°.
    var keys: ClosedRange<UInt64> {
        guard west < east, west > -1_800_000_000, east < 1_800_000_000 else {
            return 0...UInt64.max
        }
        // One row more on each side, against rounding in the projection.
        let first = WorldPoint(RoundedPosition(lonE7: west, latE7: north))
        let last = WorldPoint(RoundedPosition(lonE7: east, latE7: south))
        let top = first.y > 0 ? first.y - 1 : 0
        let bottom = last.y < .max ? last.y + 1 : .max
        return MortonKey(WorldPoint(x: first.x, y: top))
            .bits...MortonKey(
                WorldPoint(x: last.x, y: bottom)
            ).bits
    }

    /// ±180° is one meridian: what touches it on one side touches it on the other.
    @inline(__always)
    func contains(lonE7: Int32, latE7: Int32) -> Bool {
        guard latE7 >= south && latE7 <= north else { return false }
        // The common box first; what is left is a box or a place on ±180°.
        if lonE7 >= west && lonE7 <= east { return true }
        if west <= east && abs(lonE7) != 1_800_000_000 { return false }
        if containsLongitude(lonE7) { return true }
        return abs(lonE7) == 1_800_000_000 && containsLongitude(-lonE7)
    }

    @inline(__always)
    private func containsLongitude(_ lonE7: Int32) -> Bool {
        west <= east ? lonE7 >= west && lonE7 <= east : lonE7 >= west || lonE7 <= east
    }

    /// Whether the box and a node's box, which does not run over ±180°, have a place in common.
    func meets(_ node: NodeSummary) -> Bool {
        guard node.south <= north && node.north >= south else { return false }
        // Nodes count longitude 180 as -180.
        if node.west == -1_800_000_000 && (east == 1_800_000_000 || west > east) { return true }
        return west <= east
            ? node.west <= east && node.east >= west : node.west <= east || node.east >= west
    }

    /// Whether all places of a node lie in the box.
    func holds(_ node: NodeSummary) -> Bool {
        guard node.south >= south && node.north <= north else { return false }
        return west <= east
            ? node.west >= west && node.east <= east : node.west >= west || node.east <= east
    }

    /// How far a meridian lies outside the box, 0 when it crosses it; the shorter way round.
    func longitudeGap(to lonE7: Int32) -> Int64 {
        if containsLongitude(lonE7) { return 0 }
        func apart(_ edge: Int32) -> Int64 {
            let units = abs(Int64(edge) - Int64(lonE7))
            return min(units, RoundedPosition.turnE7 - units)
        }
        return min(apart(west), apart(east))
    }
}
