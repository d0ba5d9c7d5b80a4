internal import GeoIndex

/// Finds room for the names of a detailed source, the same in every window that shows them.
///
/// There are too many to place them once for the whole world as ``LabelPlacement`` does. A name
/// has room if it comes before all names that its box touches; those that touch it are out, and
/// what is left is judged once more. So a name depends on names up to ``rounds`` boxes away and on
/// none beyond, and a window that looks that far around itself decides as every other does.
struct FeatureNames {
    /// How often names are judged. More rounds find more room, and look farther around.
    static let rounds = 2
    /// How far from its place a name may reach, in pixels at scale 1; what reaches farther, even
    /// in two lines, is left out.
    static let reachPixels = 80
    /// Of places that share a cell of this edge only the most important is looked at: 2^4 pixels.
    private static let cellBits = 4
    /// How far around a window one must look, in pixels at scale 1.
    static let marginPixels = reachPixels * (2 * rounds + 1) + 1 << cellBits

    private let window: PixelWindow
    private let names: BasemapStyle.Names
    private let widths: NameWidths

    /// What the names and shapes in a window's picture depend on.
    static func window(_ window: PixelWindow) -> FeatureWindow {
        FeatureWindow(window, marginPixels: marginPixels * window.scale)
    }

    init(_ window: PixelWindow, names: BasemapStyle.Names, widths: NameWidths) {
        self.window = window
        self.names = names
        self.widths = widths
    }

    /// A name that wants room. Pixels at scale 1, counted on through 180°.
    private struct Candidate {
        let name: MapName
        let side: LabelLayout.Side
        let x: Int
        let y: Int
        var box: PixelBox
    }

    /// The names of points that have room beside those of the world map, the most important last.
    ///
    /// - Complexity: O(points · log points), and for each cell of 16 pixels the names in reach.
    func placed(
        _ points: [FeaturePoint], map: WorldMap, placement: LabelPlacement
    ) throws(CanvasError) -> [PlacedName] {
        var candidates = try candidates(points)
        if candidates.isEmpty { return [] }
        var taken = PixelBoxes()
        for box in try worldBoxes(map, placement) { taken.insert(box) }
        candidates.removeAll { taken.touches($0.box) }
        let scale = window.scale
        return winners(candidates.map(\.box)).reversed().map { index in
            let found = candidates[index]
            return PlacedName(
                name: found.name, side: found.side, x: found.x * scale - window.originX,
                y: found.y * scale - window.originY)
        }
    }

    /// The boxes that win a round, in their order.
    private func winners(_ boxes: [PixelBox]) -> [Int] {
        var waiting = Array(boxes.indices)
        var winners: [Int] = []
        for _ in 0..<FeatureNames.rounds {
            var earlier = PixelBoxes()
            var won = PixelBoxes()
            for index in waiting {
                // Also those that are out themselves: whether they are may depend on what is far.
                if !earlier.touches(boxes[index]) {
                    winners.append(index)
                    won.insert(boxes[index])
                }
                earlier.insert(boxes[index])
            }
            waiting.removeAll { won.touches(boxes[$0]) }
        }
        return winners.sorted()
    }

    // MARK: Boxes

    /// The names that may show, the most important first.
    private func candidates(_ points: [FeaturePoint]) throws(CanvasError) -> [Candidate] {
        let shift = UInt32(24) - UInt32(window.zoom)
        let world = PixelWindow.tileSizePixels << Int(window.zoom)
        let scale = window.scale
        let left = Int((Double(window.originX) / Double(scale)).rounded(.down))
        let west = left - FeatureNames.marginPixels
        let width = window.width / scale + 2 * FeatureNames.marginPixels + 2
        let sorted = Set(points).filter {
            names.look($0.points)?.zooms.contains(window.zoom) == true
        }.sorted(by: comesFirst)
        var cells = Set<PixelBoxes.Cell>()
        var found: [Candidate] = []
        for point in sorted {
            let y = Int(point.place.y >> shift)
            // The first column at or after the west edge that shows the place; others follow
            // where the window is wider than the world.
            var x = west + (Int(point.place.x >> shift) - west) & (world - 1)
            while x < west + width {
                let cell = PixelBoxes.Cell(
                    column: x >> FeatureNames.cellBits, row: y >> FeatureNames.cellBits)
                if cells.insert(cell).inserted, let candidate = try candidate(point, x: x, y: y) {
                    found.append(candidate)
                }
                x += world
            }
        }
        return found
    }

    /// The order of importance: that of the style's classes, then rank, then place.
    private func comesFirst(_ left: FeaturePoint, _ right: FeaturePoint) -> Bool {
        let order = (names.order(left.points), names.order(right.points))
        if order.0 != order.1 { return order.0 < order.1 }
        if left.rank != right.rank { return left.rank > right.rank }
        return (left.place.y, left.place.x, left.name) < (right.place.y, right.place.x, right.name)
    }

    /// A name in one line, else in two, else none.
    private func candidate(
        _ point: FeaturePoint, x: Int, y: Int
    ) throws(CanvasError) -> Candidate? {
        for text in [point.name, FeatureNames.inTwoLines(point.name)] {
            guard let text, !text.isEmpty else { continue }
            let name = MapName(points: point.points, rank: point.rank, text: text)
            let side: LabelLayout.Side = point.points.isArea ? .right : .below
            guard let box = try box(name, side: side) else { continue }
            let reach = FeatureNames.reachPixels
            guard box.left >= -reach, box.top >= -reach, box.right <= reach, box.bottom <= reach
            else { continue }
            return Candidate(name: name, side: side, x: x, y: y, box: box.moved(x: x, y: y))
        }
        return nil
    }

    /// The text parted at the space that is nearest to its middle.
    static func inTwoLines(_ text: String) -> String? {
        let letters = Array(text)
        let middle = letters.count / 2
        let spaces = letters.indices.filter { letters[$0] == " " }
        guard let space = spaces.min(by: { abs($0 - middle) < abs($1 - middle) }) else {
            return nil
        }
        return String(letters[..<space]) + "\n" + String(letters[(space + 1)...])
    }

    /// The room of a name around its place, clearance included.
    private func box(_ name: MapName, side: LabelLayout.Side) throws(CanvasError) -> PixelBox? {
        guard let look = names.look(name.points) else { return nil }
        let layout = LabelLayout(name, look: look, zoom: window.zoom, names: names)
        let text = look.text(name.text)
        let font = FontStyle(
            sizePixels: layout.sizePixels, isBold: look.isBold, isItalic: look.isItalic,
            spacingPixels: look.spacingPixels)
        let box = layout.box(
            side: side, widthPixels: try widths.width(text, font: font),
            lines: LabelLayout.lines(of: text))
        let clearance = names.clearancePixels[window.zoom] / 2 + names.haloWidthPixels / 2
        return PixelBox(
            left: Int((box.left - clearance).rounded(.down)),
            top: Int((box.top - clearance).rounded(.down)),
            right: Int((box.right + clearance).rounded(.up)),
            bottom: Int((box.bottom + clearance).rounded(.up)))
    }

    /// The boxes of the world map's names in the window and around it.
    private func worldBoxes(
        _ map: WorldMap, _ placement: LabelPlacement
    ) throws(CanvasError) -> [PixelBox] {
        var found: [(LabelPlacement.Placed, Int, Int)] = []
        let margin = FeatureNames.marginPixels * window.scale
        placement.forEach(in: window, map: map, marginPixels: margin) { found.append(($0, $1, $2)) }
        var boxes: [PixelBox] = []
        for (placed, x, y) in found {
            let name = map.labels[Int(placed.label)].text
            guard let box = try box(name, side: placed.side) else { continue }
            // Places are whole pixels at scale 1.
            boxes.append(
                box.moved(
                    x: (x + window.originX) / window.scale, y: (y + window.originY) / window.scale))
        }
        return boxes
    }
}
