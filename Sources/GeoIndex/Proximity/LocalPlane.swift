/// The plane round a cap's centre: what of the index lies in the cap, where a ``PlaneSeries`` can
/// tell, and what is left to the haversine.
struct LocalPlane {
    private let series: PlaneSeries
    private let lonE7: Int32
    private let latE7: Int32
    /// Of squared units, with the least and the greatest cosine of the plane's box.
    private let latSquare: Double
    private let leastLonSquare: Double
    private let greatestLonSquare: Double
    private let outerBound: Double
    private let innerBound: Double
    /// Bounds that an approximate haversine is compared with.
    let least: Float
    let greatest: Float

    /// The plane for places of at most a haversine; nil where it would not be of use.
    init?(
        _ centre: RoundedPosition, haversine: Double, cosine: Double, sine: Double
    ) {
        guard let box = PlaneBox(haversine: haversine, cosine: cosine) else { return nil }
        series = PlaneSeries(centre, cosine: cosine, sine: sine)
        lonE7 = centre.lonE7
        latE7 = centre.latE7
        let unit = SphericalGeodesy.radiansPerE7
        latSquare = unit * unit / 4
        leastLonSquare = latSquare * cosine * box.lowest
        greatestLonSquare = latSquare * cosine * box.highest
        outerBound = haversine + box.error
        innerBound = haversine * (1 - 1e-12)
        // Rounded to the safe side.
        least = Float(haversine - box.error).nextDown
        greatest = Float(haversine + box.error).nextUp
    }

    /// Approximate haversines of eight entries of a page.
    ///
    /// - Precondition: the page has entries `index..<index + 8`.
    @inline(__always)
    func haversines(_ page: LeafPage, at index: Int) -> SIMD8<Float> {
        // The entries are there, so their columns are.
        let xs = unsafe page.xs.bytes.unsafeLoadUnaligned(
            fromByteOffset: index &* 4, as: SIMD8<UInt32>.self)
        let lats = unsafe page.latE7.bytes.unsafeLoadUnaligned(
            fromByteOffset: index &* 4, as: SIMD8<Int32>.self)
        return series.haversines(xs, lats)
    }

    /// The approximate haversine of one entry.
    @inline(__always)
    func haversine(_ x: UInt32, _ latE7: Int32) -> Float { series.haversine(x, latE7) }

    // MARK: - Boxes

    /// Where a box lies to the cap of the haversine that the plane was made for.
    ///
    /// The nearest place of a box is bounded from below by the least difference of latitude and of
    /// longitude and the least cosine in the plane's box, the farthest from above by the greatest
    /// of each, for squares are not less than those of sines.
    @inline(__always)
    func relation(to summary: NodeSummary) -> AreaRelation {
        if nearest(summary) > outerBound { return .outside }
        let width = Int64(summary.east) &- Int64(summary.west)
        // The cap is less than 60° wide. Of a box that is less than 90° wide the farthest meridian is
        // an edge, or both are more than 45° away.
        if width > LocalPlane.quarter { return .cut }
        let farNorth = Double(
            max(
                abs(Int64(latE7) &- Int64(summary.south)),
                abs(Int64(summary.north) &- Int64(latE7))))
        let farEast = Double(
            max(
                LocalPlane.shorter(LocalPlane.turned(Int64(lonE7) &- Int64(summary.west))),
                LocalPlane.shorter(LocalPlane.turned(Int64(summary.east) &- Int64(lonE7)))))
        let far =
            farNorth * farNorth * latSquare + farEast * farEast * greatestLonSquare
        return far <= innerBound ? .inside : .cut
    }

    /// Not more than the haversine of any place of a box within the bound, but for the error.
    @inline(__always)
    func nearest(_ summary: NodeSummary) -> Double {
        let latitude = Int64(latE7)
        // Differences of 32-bit numbers.
        let north = Double(
            max(0, Int64(summary.south) &- latitude, latitude &- Int64(summary.north)))
        let west = LocalPlane.turned(Int64(lonE7) &- Int64(summary.west))
        let east = LocalPlane.turned(Int64(summary.east) &- Int64(lonE7))
        // The centre's meridian crosses the box when it lies east of its west edge and west of its
        // east edge, which are then as far apart as the box is wide.
        let isCrossed = west &+ east == Int64(summary.east) &- Int64(summary.west)
        let gap =
            isCrossed
            ? 0 : Double(min(LocalPlane.shorter(west), LocalPlane.shorter(east)))
        return north * north * latSquare + gap * gap * leastLonSquare
    }

    private static let turn: Int64 = 3_600_000_000
    private static let quarter: Int64 = 900_000_000

    /// A difference of longitudes counted eastwards, from 0 to a turn.
    @inline(__always)
    private static func turned(_ units: Int64) -> Int64 { units < 0 ? units &+ turn : units }

    @inline(__always)
    private static func shorter(_ units: Int64) -> Int64 { min(units, turn &- units) }
}
