/// Finds room for the names of a map, from the lowest zoom down. Only ``LabelPlacement`` uses it.
struct LabelSolver: ~Copyable {
    private let map: WorldMap
    private let names: BasemapStyle.Names
    private var widths = TextWidths()

    /// The names that have room, by first zoom.
    private(set) var placed: [LabelPlacement.Placed] = []
    /// The farthest corner of a box from its place.
    private(set) var reachPixels = 0.0

    /// What does not change with the zoom, measured on first use.
    private struct Measured {
        let look: BasemapStyle.Look
        /// The width at size 1, in pixels, without the spacing of the letters.
        var widthEms: Double
        var spacingPixels: Double
        var lines: Int
    }

    private var measured: [Measured?]

    init(map: WorldMap, names: BasemapStyle.Names) {
        self.map = map
        self.names = names
        measured = [Measured?](repeating: nil, count: map.labels.count)
    }

    mutating func solve() throws(CanvasError) {
        // In the map's order, which is that of importance within each list.
        let indices = map.labels.indices
        var capitals = indices.filter { map.labels[$0].kind == .capital }
        var cities = indices.filter { map.labels[$0].kind == .city }
        let areas = indices.filter { map.labels[$0].kind.isArea }
        for zoom in 0...names.lastNewZoom {
            var room = LabelRoom(worldPixels: 256 << Int(zoom))
            for entry in placed where entry.zooms.contains(zoom) {
                room.take(try box(Int(entry.label), zoom: zoom, side: entry.side))
            }
            if zoom <= names.lastAreasFirstZoom {
                try placeAreas(areas, zoom: zoom, in: &room)
                try placeTowns(&capitals, zoom: zoom, in: &room)
            } else {
                try placeTowns(&capitals, zoom: zoom, in: &room)
                try placeAreas(areas, zoom: zoom, in: &room)
            }
            try placeTowns(&cities, zoom: zoom, in: &room)
        }
    }

    /// Gives room to towns that are due, for this zoom and all deeper ones; the others wait.
    private mutating func placeTowns(
        _ waiting: inout [Int], zoom: UInt8, in room: inout LabelRoom
    ) throws(CanvasError) {
        var left: [Int] = []
        for index in waiting {
            let label = map.labels[index]
            guard isDue(label, zoom: zoom),
                let side = try side(for: index, zoom, LabelLayout.Side.allCases, &room)
            else {
                left.append(index)
                continue
            }
            let zooms = zoom...max(zoom, label.zooms.upperBound)
            placed.append(.init(label: Int32(index), zooms: zooms, side: side))
        }
        waiting = left
    }

    /// Gives room to countries and waters for this zoom alone: deeper down they step
    /// aside for capitals.
    private mutating func placeAreas(
        _ areas: [Int], zoom: UInt8, in room: inout LabelRoom
    ) throws(CanvasError) {
        for index in areas where shows(map.labels[index], zoom: zoom) {
            // On small maps, aside is in another country.
            let isSmall = zoom <= names.lastAreasFirstZoom
            let sides: [LabelLayout.Side] = isSmall ? [.right] : [.right, .above, .below]
            guard let side = try side(for: index, zoom, sides, &room) else { continue }
            placed.append(.init(label: Int32(index), zooms: zoom...zoom, side: side))
        }
    }

    /// Whether a town may claim room at a zoom.
    private func isDue(_ label: PlaceLabel, zoom: UInt8) -> Bool {
        guard shows(label, zoom: zoom) else { return false }
        if label.kind == .capital, zoom >= names.allCapitalsZoom { return true }
        guard let least = names.leastTownRank(zoom) else { return false }
        return Int(label.rank) + (label.kind == .capital ? names.capitalBonus : 0) >= least
    }

    /// Whether map and style have a name at a zoom.
    private func shows(_ label: PlaceLabel, zoom: UInt8) -> Bool {
        label.zooms.contains(zoom) && names.look(label.kind)?.zooms.contains(zoom) == true
    }

    /// Takes room on the first side that has it.
    private mutating func side(
        for index: Int, _ zoom: UInt8, _ sides: [LabelLayout.Side], _ room: inout LabelRoom
    ) throws(CanvasError) -> LabelLayout.Side? {
        for side in sides {
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
        let text = try measure(index)
        let layout = LabelLayout(label.text, look: text.look, zoom: zoom, names: names)
        let box = layout.box(
            side: side, widthPixels: text.widthEms * layout.sizePixels + text.spacingPixels,
            lines: text.lines)
        reachPixels = max(reachPixels, -box.left, -box.top, box.right, box.bottom)
        let clearance = names.clearancePixels[zoom] / 2 + names.haloWidthPixels / 2
        let shift = map.labelGridBits - 8 - Int(zoom)
        let x = LabelPlacement.pixel(label.x, shift)
        let y = LabelPlacement.pixel(label.y, shift)
        return LabelRoom.Box(
            left: x + Int((box.left - clearance).rounded(.down)),
            top: y + Int((box.top - clearance).rounded(.down)),
            right: x + Int((box.right + clearance).rounded(.up)),
            bottom: y + Int((box.bottom + clearance).rounded(.up)))
    }

    private mutating func measure(_ index: Int) throws(CanvasError) -> Measured {
        if let known = measured[index] { return known }
        guard let look = names.look(map.labels[index].kind) else {
            preconditionFailure("\(map.labels[index].kind) has no look")
        }
        let text = look.text(map.labels[index].name)
        let font = FontStyle(sizePixels: 1, isBold: look.isBold, isItalic: look.isItalic)
        // Spacing is counted for all letters, though the widest line has fewer where there
        // are several.
        let result = Measured(
            look: look,
            widthEms: try widths.width(text, font: font),
            spacingPixels: Double(text.unicodeScalars.count) * look.spacingPixels,
            lines: LabelLayout.lines(of: text))
        measured[index] = result
        return result
    }
}
