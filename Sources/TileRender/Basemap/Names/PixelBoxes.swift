/// A rectangle of pixels; the right and the bottom edge are outside.
struct PixelBox {
    let left: Int
    let top: Int
    let right: Int
    let bottom: Int

    /// The box at another place.
    func moved(x: Int, y: Int) -> PixelBox {
        PixelBox(left: left + x, top: top + y, right: right + x, bottom: bottom + y)
    }

    func overlaps(_ other: PixelBox) -> Bool {
        left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
}

/// Boxes on a plane, found by the cells that they touch.
struct PixelBoxes {
    /// A square of the plane.
    struct Cell: Hashable {
        let column: Int
        let row: Int
    }

    /// The edge of a cell: 2^6 pixels.
    private static let cellBits = 6

    private var boxes: [Cell: [PixelBox]] = [:]

    mutating func insert(_ box: PixelBox) {
        PixelBoxes.forEachCell(of: box) { boxes[$0, default: []].append(box) }
    }

    /// Whether a box overlaps one of these.
    func touches(_ box: PixelBox) -> Bool {
        var touches = false
        PixelBoxes.forEachCell(of: box) { cell in
            if !touches, let others = boxes[cell], others.contains(where: box.overlaps) {
                touches = true
            }
        }
        return touches
    }

    private static func forEachCell(of box: PixelBox, _ body: (Cell) -> Void) {
        for row in box.top >> cellBits...(box.bottom - 1) >> cellBits {
            for column in box.left >> cellBits...(box.right - 1) >> cellBits {
                body(Cell(column: column, row: row))
            }
        }
    }
}
