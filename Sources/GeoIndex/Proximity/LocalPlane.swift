/// Haversines from one place to those near it, without trigonometry: a plane of whole units,
/// computed in floats, eight entries of a page at a time.
///
/// With u and v the differences of latitude and longitude in radians, c and s cosine and sine of
/// the centre's latitude,
///
///     hav = sin²(u/2) + c·cos(φ+u)·sin²(v/2) ≈ u²/4 + c·(c − s·u − c·u²/2)·v²/4.
///
/// Within a box of half height L and half width W round the centre the two differ by at most
///
/// - L⁴/48 for the sine of u, for x²/4 − sin²(x/2) ≤ x⁴/48;
/// - c·C·W⁴/48 for that of v, where C = c + L bounds the cosine in the box;
/// - c·(L³/6 + L⁴/24)·W²/4 for the cosine's series;
/// - c·C·(2W + ε)·ε/4 for columns, which round longitudes down by less than ε = 2π/2³²;
/// - 2⁻²⁰ of L²/4 + c·C·W²/4 for floats: there are fewer than 16 roundings of 2⁻²⁴ on the way,
///   and none of its terms is greater than these.
///
/// ``error`` is their sum. Outside of the box the plane may only be too great, or be wrong but
/// greater than L²/4: squares are not less than those of sines, and the cosine's series counts as 0
/// where it is negative.
struct LocalPlane {
    /// Above this share of the haversine the error leaves too much open.
    private static let greatestShare = 0.02
    private static let radiansPerColumn = 2 * Double.pi / 0x1p32

    private let x: UInt32
    private let lonE7: Int32
    private let latE7: Int32
    /// Of squared units of latitude; of squared columns, by powers of units of latitude.
    private let lat2: Float
    private let lon2: Float
    private let lon2lat: Float
    private let lon2lat2: Float
    /// The same for boxes: of squared units, with the least and the greatest cosine.
    private let latSquare: Double
    private let leastLonSquare: Double
    private let greatestLonSquare: Double
    private let outerBound: Double
    private let innerBound: Double
    /// Half the height and the width of the plane's box in units of ``WorldPoint``, rounded up.
    let rows: UInt32
    let columns: UInt32
    /// Bounds that an approximate haversine is compared with.
    let least: Float
    let greatest: Float
    /// The most by which an approximate haversine differs from the true one within the bound.
    let error: Float

    /// The plane for places of at most a haversine; nil where it would not be of use: for great
    /// distances, next to the poles, and for distances of the order of a column.
    init?(
        _ centre: RoundedPosition, haversine: Double, cosine: Double, sine: Double
    ) {
        guard haversine > 0, haversine < 1e-3 else { return nil }
        // asin y ≤ y + y³/4 for y ≤ 1/4; a tenth more than the cap.
        func arc(_ square: Double) -> Double {
            let root = square.squareRoot()
            return 2.1 * (root + root * square / 4)
        }
        let height = arc(haversine)
        let lowest = cosine - height
        guard lowest > 0, haversine < cosine * lowest / 16 else { return nil }
        let width = arc(haversine / (cosine * lowest))
        let highest = cosine + height
        let column = LocalPlane.radiansPerColumn
        let h2 = height * height
        let w2 = width * width
        let error =
            h2 * h2 / 48 + cosine * highest * w2 * w2 / 48
            + cosine * (h2 * height / 6 + h2 * h2 / 24) * w2 / 4
            + cosine * highest * (2 * width + column) * column / 4
            + (h2 + cosine * highest * w2) / 4 * 0x1p-20
        guard error < LocalPlane.greatestShare * haversine else { return nil }
        x = WorldPoint.column(ofLon: centre.lon)
        latE7 = centre.latE7
        let unit = SphericalGeodesy.radiansPerE7
        let square = column * column / 4 * cosine
        lat2 = Float(unit * unit / 4)
        lon2 = Float(square * cosine)
        lon2lat = Float(-square * sine * unit)
        lon2lat2 = Float(-square * cosine * unit * unit / 2)
        // A unit of latitude is 1/cos as high on the Mercator plane; both are less than a radian.
        rows = UInt32(height / lowest / column) + 2
        columns = UInt32(width / column) + 2
        lonE7 = centre.lonE7
        latSquare = unit * unit / 4
        leastLonSquare = latSquare * cosine * lowest
        greatestLonSquare = latSquare * cosine * highest
        outerBound = haversine + error
        innerBound = haversine * (1 - 1e-12)
        self.error = Float(error).nextUp
        // Rounded to the safe side.
        least = Float(haversine - error).nextDown
        greatest = Float(haversine + error).nextUp
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
        // Columns are counted modulo 2^32: the difference is the shorter way round. Latitudes
        // differ by at most 1.8·10⁹ units.
        let east = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: xs &- x))
        let north = SIMD8<Float>(lats &- latE7)
        return approximate(east, north)
    }

    /// The approximate haversine of one entry.
    @inline(__always)
    func haversine(_ x: UInt32, _ latE7: Int32) -> Float {
        let east = Float(Int32(bitPattern: x &- self.x))
        let north = Float(latE7 &- self.latE7)
        let cosines = max(0, lon2 + north * (lon2lat + north * lon2lat2))
        return north * north * lat2 + east * east * cosines
    }

    @inline(__always)
    private func approximate(_ east: SIMD8<Float>, _ north: SIMD8<Float>) -> SIMD8<Float> {
        let series = lon2 + north * (lon2lat + north * lon2lat2)
        let cosines = series.replacing(with: 0, where: series .< 0)
        return north * north * lat2 + east * east * cosines
    }

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
