/// Haversines from one place to those near it, without trigonometry: a plane of whole units,
/// computed in floats.
///
/// With u and v the differences of latitude and longitude in radians, c and s cosine and sine of
/// the centre's latitude,
///
///     hav = sin²(u/2) + c·cos(φ+u)·sin²(v/2) ≈ u²/4 + c·(c − s·u − c·u²/2)·v²/4.
///
/// ``PlaneBox`` bounds the error. Longitudes are columns of ``WorldPoint``.
struct PlaneSeries {
    static let radiansPerColumn = 2 * Double.pi / 0x1p32

    let x: UInt32
    let latE7: Int32
    /// Of squared units of latitude; of squared columns, by powers of units of latitude.
    let lat2: Float
    let lon2: Float
    private let lon2lat: Float
    private let lon2lat2: Float

    init(_ centre: RoundedPosition, cosine: Double, sine: Double) {
        x = WorldPoint.column(ofLon: centre.lon)
        latE7 = centre.latE7
        let unit = SphericalGeodesy.radiansPerE7
        let square = PlaneSeries.radiansPerColumn * PlaneSeries.radiansPerColumn / 4 * cosine
        lat2 = Float(unit * unit / 4)
        lon2 = Float(square * cosine)
        lon2lat = Float(-square * sine * unit)
        lon2lat2 = Float(-square * cosine * unit * unit / 2)
    }

    /// Approximate haversines of eight places.
    @inline(__always)
    func haversines(_ xs: SIMD8<UInt32>, _ lats: SIMD8<Int32>) -> SIMD8<Float> {
        let east = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: xs &- x))
        let north = SIMD8<Float>(lats &- latE7)
        let series = lon2 + north * (lon2lat + north * lon2lat2)
        let cosines = series.replacing(with: 0, where: series .< 0)
        return north * north * lat2 + east * east * cosines
    }

    /// Writes the approximate haversines of many places.
    ///
    /// A loop of scalars, which the compiler makes one of vectors; vectors that are converted from
    /// whole numbers it takes apart.
    ///
    /// - Precondition: each has room for `count`.
    @inline(__always)
    func write(
        _ xs: UnsafePointer<UInt32>, _ lats: UnsafePointer<Int32>, _ count: Int,
        to room: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            unsafe room[index] = haversine(xs[index], lats[index])
        }
    }

    /// The approximate haversine of one place.
    @inline(__always)
    func haversine(_ x: UInt32, _ latE7: Int32) -> Float {
        // Columns are counted modulo 2^32: the difference is the shorter way round. Latitudes
        // differ by at most 1.8·10⁹ units.
        let east = Float(Int32(bitPattern: x &- self.x))
        let north = Float(latE7 &- self.latE7)
        let series = lon2 + north * (lon2lat + north * lon2lat2)
        let cosines = series < 0 ? 0 : series
        return north * north * lat2 + east * east * cosines
    }
}

/// A box round a centre that holds all places of at most a haversine, and how far a
/// ``PlaneSeries`` may be off in it.
///
/// Within a box of half height L and half width W the series and the haversine differ by at most
///
/// - L⁴/48 for the sine of u, for x²/4 − sin²(x/2) ≤ x⁴/48;
/// - c·C·W⁴/48 for that of v, where C = c + L bounds the cosine in the box;
/// - c·(L³/6 + L⁴/24)·W²/4 for the cosine's series;
/// - c·C·(2W + ε)·ε/4 for columns, which round longitudes down by less than ε = 2π/2³²;
/// - 2⁻²⁰ of L²/4 + c·C·W²/4 for floats: there are fewer than 16 roundings of 2⁻²⁴ on the way,
///   and none of its terms is greater than these.
///
/// ``error`` is their sum. Outside of the box the series may only be too great, or be wrong but
/// greater than L²/4: squares are not less than those of sines, and the cosine's series counts as 0
/// where it is negative.
struct PlaneBox {
    /// Above this share of the haversine the error leaves too much open.
    private static let greatestShare = 0.02

    /// The least and the greatest cosine of a latitude in the box.
    let lowest: Double
    let highest: Double
    let error: Double
    /// Half the height and the width of the box in units of ``WorldPoint``, rounded up.
    let rows: UInt32
    let columns: UInt32

    /// nil where the series would not be of use: for great distances, next to the poles, and for
    /// distances of the order of a column.
    init?(haversine: Double, cosine: Double) {
        guard haversine > 0, haversine < 1e-3 else { return nil }
        // asin y ≤ y + y³/4 for y ≤ 1/4; a twentieth more than the cap.
        func arc(_ square: Double) -> Double {
            let root = square.squareRoot()
            return 2.1 * (root + root * square / 4)
        }
        let height = arc(haversine)
        lowest = cosine - height
        guard lowest > 0, haversine < cosine * lowest / 16 else { return nil }
        let width = arc(haversine / (cosine * lowest))
        highest = cosine + height
        let column = PlaneSeries.radiansPerColumn
        let h2 = height * height
        let w2 = width * width
        error =
            h2 * h2 / 48 + cosine * highest * w2 * w2 / 48
            + cosine * (h2 * height / 6 + h2 * h2 / 24) * w2 / 4
            + cosine * highest * (2 * width + column) * column / 4
            + (h2 + cosine * highest * w2) / 4 * 0x1p-20
        guard error < PlaneBox.greatestShare * haversine else { return nil }
        // A unit of latitude is 1/cos as high on the Mercator plane; both are less than a radian.
        rows = UInt32(height / lowest / column) + 2
        columns = UInt32(width / column) + 2
    }
}
