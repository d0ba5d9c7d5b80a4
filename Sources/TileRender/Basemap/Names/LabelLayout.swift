/// Where the parts of a name go, relative to its place: the same rules for finding room and for
/// drawing. Pixels at scale 1, y southwards.
struct LabelLayout {
    /// The side of a town's spot on which its name stands. The name of an area is written across
    /// its middle (`right`) or a line above or below it.
    enum Side: UInt8, CaseIterable, Sendable {
        case right, left, above, below
    }

    /// A rectangle around a place.
    struct Box: Equatable {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double
    }

    /// Noto Sans: from the baseline to the top of "Å" and to the bottom of "g", and from line
    /// to line, in ems.
    static let ascentEms = 0.95
    static let descentEms = 0.25
    static let lineEms = 1.362
    /// Half the height of a small letter: a name beside a spot is centred there, in ems.
    static let middleEms = 0.34

    let isCentered: Bool
    /// The size of the letters.
    let sizePixels: Double
    /// The spot's radius; 0 when there is none.
    let dotRadiusPixels: Double

    init(_ name: MapName, look: BasemapStyle.Look, zoom: UInt8, names: BasemapStyle.Names) {
        let isTown = name.points == .city || name.points == .capital
        isCentered = look.dot == nil
        sizePixels = look.size(rank: name.rank) * (isTown ? names.townGrowth[zoom] : 1)
        dotRadiusPixels = look.dotRadius(rank: name.rank)
    }

    /// The number of lines of a text.
    static func lines(of text: String) -> Int { 1 + text.utf8.count { $0 == UInt8(ascii: "\n") } }

    /// The left end of the first baseline.
    func origin(side: Side, widthPixels: Double, lines: Int) -> (x: Double, y: Double) {
        let middle = LabelLayout.middleEms * sizePixels
        if isCentered {
            let block = Double(lines - 1) * LabelLayout.lineEms * sizePixels
            let aside = side == .above ? -2.4 : side == .below ? 2.4 : 0
            return (-widthPixels / 2, middle - block / 2 + aside * sizePixels)
        }
        let gap = dotRadiusPixels + 2.5
        switch side {
        case .right: return (gap, middle)
        case .left: return (-gap - widthPixels, middle)
        case .above: return (-widthPixels / 2, -gap - 0.1 * sizePixels)
        case .below: return (-widthPixels / 2, gap + 0.72 * sizePixels)
        }
    }

    /// The room that the name takes with its spot. A town's contains the place itself.
    func box(side: Side, widthPixels: Double, lines: Int) -> Box {
        let origin = origin(side: side, widthPixels: widthPixels, lines: lines)
        let below = Double(lines - 1) * LabelLayout.lineEms + LabelLayout.descentEms
        if isCentered {
            return Box(
                left: origin.x, top: origin.y - LabelLayout.ascentEms * sizePixels,
                right: origin.x + widthPixels, bottom: origin.y + below * sizePixels)
        }
        return Box(
            left: min(-dotRadiusPixels, origin.x),
            top: min(-dotRadiusPixels, origin.y - LabelLayout.ascentEms * sizePixels),
            right: max(dotRadiusPixels, origin.x + widthPixels),
            bottom: max(dotRadiusPixels, origin.y + below * sizePixels))
    }
}
