/// Finds room for the names of a map, from the lowest zoom down. Only ``LabelPlacement`` uses it.
struct LabelSolver: ~Copyable {
    private let map: WorldMap
    private let style: BasemapStyle
    private var widths = TextWidths()

    /// The names that have room, by first zoom.
    private(set) var placed: [LabelPlacement.Placed] = []
    /// The farthest corner of a box from its place.
    private(set) var reachPixels = 0.0

    /// For each name, its width in pixels at size 1 and its lines; measured on first use.
    private var emWidths: [Double]

    init(map: WorldMap, style: BasemapStyle) {
        self.map = map
        self.style = style
        emWidths = [Double](repeating: -1, count: map.labels.count)
    }

    mutating func solve() throws(CanvasError) {
        var waiting = Array(map.labels.indices)
        for zoom in 0...BasemapStyle.lastNewZoom {
            var room = LabelRoom(worldPixels: 256 << Int(zoom))
            for entry in placed {
                let label = map.labels[Int(entry.label)]
                guard label.zooms.contains(zoom) else { continue }
                room.take(try box(Int(entry.label), zoom: zoom, side: entry.side))
            }
            var left: [Int] = []
            for index in waiting {
                let label = map.labels[index]
                if label.zooms.upperBound < zoom { continue }
                guard isDue(label, zoom: zoom), let side = try side(for: index, zoom, &room)
                else {
                    left.append(index)
                    continue
                }
                placed.append(
                    LabelPlacement.Placed(label: Int32(index), firstZoom: zoom, side: side))
            }
            waiting = left
        }
    }

    /// Whether a name may claim room at a zoom.
    private func isDue(_ label: PlaceLabel, zoom: UInt8) -> Bool {
        guard label.zooms.contains(zoom) else { return false }
        let table = BasemapStyle.leastTownRank
        let least = Int(table[min(Int(zoom), table.count - 1)])
        return switch label.kind {
        case .city: Int(label.rank) >= least
        case .capital:
            zoom >= BasemapStyle.allCapitalsZoom
                || Int(label.rank) + BasemapStyle.capitalBonus >= least
        case .country, .ocean, .sea: true
        }
    }

    /// Takes room on the first side that has it.
    private mutating func side(
        for index: Int, _ zoom: UInt8, _ room: inout LabelRoom
    ) throws(CanvasError) -> LabelLayout.Side? {
        let isCentered = LabelLayout(map.labels[index], zoom: zoom, style: style).isCentered
        for side in isCentered ? [.right] : LabelLayout.Side.allCases {
            let box = try box(index, zoom: zoom, side: side)
            if room.isFree(box) {
                room.take(box)
                return side
            }
        }
        return nil
    }

    /// The box of a name on the world of a zoom, with half of the clearance around it.
    private mutating func box(
        _ index: Int, zoom: UInt8, side: LabelLayout.Side
    ) throws(CanvasError) -> LabelRoom.Box {
        let label = map.labels[index]
        let layout = LabelLayout(label, zoom: zoom, style: style)
        let text = layout.text(label)
        let letters = Double(text.unicodeScalars.count)
        if emWidths[index] < 0 {
            let font = FontStyle(
                sizePixels: 1, isBold: layout.style.isBold, isItalic: layout.style.isItalic)
            emWidths[index] = try widths.width(text, font: font)
        }
        // Spacing is counted for all letters, though the widest line has fewer where there
        // are several.
        let width = emWidths[index] * layout.sizePixels + letters * layout.style.spacingPixels
        let lines = 1 + text.utf8.count { $0 == UInt8(ascii: "\n") }
        let box = layout.box(side: side, widthPixels: width, lines: lines)
        reachPixels = max(reachPixels, -box.left, -box.top, box.right, box.bottom)
        let clearance = BasemapStyle.clearancePixels[zoom] / 2 + style.haloWidthPixels / 2
        let shift = map.labelGridBits - 8 - Int(zoom)
        let x = LabelPlacement.pixel(label.x, shift)
        let y = LabelPlacement.pixel(label.y, shift)
        return LabelRoom.Box(
            left: x + Int((box.left - clearance).rounded(.down)),
            top: y + Int((box.top - clearance).rounded(.down)),
            right: x + Int((box.right + clearance).rounded(.up)),
            bottom: y + Int((box.bottom + clearance).rounded(.up)))
    }
}
