/// How the world map looks: every colour, width, size and threshold of it, and nothing else.
///
/// Widths and sizes are pixels at scale 1.
struct BasemapStyle: Sendable {
    /// A line: its colour, the zoom from which it is drawn, and its width by zoom.
    struct Line: Sendable {
        let color: Color
        let firstZoom: UInt8
        let widthPixels: ZoomCurve
    }

    /// A kind of name.
    struct Text: Sendable {
        let color: Color
        let isBold: Bool
        let isItalic: Bool
        let isUppercase: Bool
        let spacingPixels: Double
        /// The size of the letters by the rank of what is named: the first that reaches it.
        let sizesPixels: [(leastRank: UInt8, size: Double)]

        /// The size of the letters at a rank, in pixels.
        func size(rank: UInt8) -> Double {
            sizesPixels.first { rank >= $0.leastRank }?.size ?? 10
        }

        /// A name as it is drawn.
        func text(_ name: String) -> String { isUppercase ? name.uppercased() : name }
    }

    let sea: Color
    let land: Color
    let lake: Color
    let coast: Line
    let lakeshore: Line
    let border: Line
    let province: Line

    let city: Text
    let capital: Text
    let country: Text
    let water: Text
    /// Around letters, so that they can be read over lines.
    let halo: Color
    let haloWidthPixels: Double
    /// The spot that marks a town, and the filling of a capital's.
    let dot: Color
    let dotFilling: Color
    /// Names of towns grow as one zooms in: a factor by zoom, which less than doubles in a zoom.
    let townGrowth: ZoomCurve

    static let light = BasemapStyle(
        sea: Color(0xc6_dcea),
        land: Color(0xf6_f3ec),
        lake: Color(0xc6_dcea),
        coast: Line(color: Color(0x8f_b3cb), firstZoom: 2, widthPixels: [(2, 0.5), (6, 0.9)]),
        lakeshore: Line(color: Color(0x9c_bdd2), firstZoom: 5, widthPixels: [(5, 0.5), (9, 0.8)]),
        border: Line(color: Color(0xa7_97ac), firstZoom: 1, widthPixels: [(1, 0.6), (8, 1.5)]),
        province: Line(color: Color(0xdb_d2d2), firstZoom: 4, widthPixels: [(4, 0.5), (8, 1.0)]),
        city: Text(
            color: Color(0x3d_434c), isBold: false, isItalic: false, isUppercase: false,
            spacingPixels: 0,
            sizesPixels: [(222, 13), (199, 12.5), (176, 11.5), (0, 10.5)]),
        capital: Text(
            color: Color(0x2b_3038), isBold: true, isItalic: false, isUppercase: false,
            spacingPixels: 0, sizesPixels: [(222, 12.5), (199, 12), (0, 11.5)]),
        country: Text(
            color: Color(0x77_6a80), isBold: true, isItalic: false, isUppercase: true,
            spacingPixels: 0.8, sizesPixels: [(230, 12), (220, 11), (0, 10)]),
        water: Text(
            color: Color(0x5f_8cab), isBold: false, isItalic: true, isUppercase: false,
            spacingPixels: 0.5, sizesPixels: [(250, 13), (0, 11)]),
        halo: Color(0xfd_fcf9, alpha: 215),
        haloWidthPixels: 1.4,
        dot: Color(0x4a_505a),
        dotFilling: Color(0xff_ffff),
        townGrowth: [(6, 1), (12, 1.25)])

    /// The look of a kind of name.
    func text(_ kind: PlaceLabel.Kind) -> Text {
        switch kind {
        case .city: city
        case .capital: capital
        case .country: country
        case .ocean, .sea: water
        }
    }

    /// How far apart names keep, by zoom.
    static let clearancePixels: ZoomCurve = [(2, 6), (5, 9), (9, 7), (11, 4)]

    /// The least rank of a town that is named, by zoom; capitals count for more
    /// (``capitalBonus``), and are all named from ``allCapitalsZoom`` on.
    static let leastTownRank = [
        300, 300, 300, 232, 212, 193, 172, 157, 145, 134, 0,
    ]
    /// The last zoom at which countries and waters come before capitals.
    static let lastAreasFirstZoom: UInt8 = 3
    static let capitalBonus = 10
    static let allCapitalsZoom: UInt8 = 5
    /// The zoom after which no name appears that had no room before.
    static let lastNewZoom: UInt8 = 13
}

/// A number that changes with the zoom: straight between the stops, constant outside of them.
struct ZoomCurve: Sendable, ExpressibleByArrayLiteral {
    private let stops: [(zoom: Double, value: Double)]

    init(arrayLiteral elements: (Double, Double)...) {
        precondition(!elements.isEmpty, "a curve needs a stop")
        stops = elements.map { (zoom: $0.0, value: $0.1) }
    }

    /// The zoom brought into the range in which the number changes.
    func clamped(_ zoom: UInt8) -> UInt8 {
        let low = UInt8(stops[0].zoom)
        let high = UInt8(stops[stops.count - 1].zoom)
        return min(max(zoom, low), high)
    }

    subscript(zoom: UInt8) -> Double {
        let zoom = Double(zoom)
        guard let next = stops.firstIndex(where: { $0.zoom > zoom }) else {
            return stops[stops.count - 1].value
        }
        if next == 0 { return stops[0].value }
        let (low, high) = (stops[next - 1], stops[next])
        let share = (zoom - low.zoom) / (high.zoom - low.zoom)
        return low.value + share * (high.value - low.value)
    }
}
