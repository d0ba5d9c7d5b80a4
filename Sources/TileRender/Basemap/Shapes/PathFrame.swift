internal import GeoIndex

/// Where shapes of a grid fall on a picture: grid units become 1/256 pixels, rounded once on the
/// global pixel grid, and then only whole pixels are subtracted. So a point has the same place
/// within its pixel in every picture.
///
/// The picture is the window with a margin around it. See ``PathTracer`` for why.
struct PathFrame {
    /// Fractions of a pixel: as fine as Cairo's own coordinates.
    static let subpixelBits = 8
    /// The longest piece of a line, in pixels, along the axis on which it is longer.
    static let piecePixels = 16
    /// The widest reach: half of the widest line at scale 2, and a pixel for soft edges.
    static let maxReachPixels = Int(BasemapStyle.lineWidths.upperBound) * 2 + 1

    /// The margin around the window, in pixels: what strokes reach, and more than a piece.
    let marginPixels: Int
    /// The canvas's edges, in pixels.
    let widthPixels: Int
    let heightPixels: Int
    /// The canvas's far corner, in 1/256 pixels; its near corner is (0, 0).
    let right: Int
    let bottom: Int
    /// The part of the canvas in which a stroke's path can show, in 1/256 pixels.
    let visibleLeft: Int
    let visibleTop: Int
    let visibleRight: Int
    let visibleBottom: Int

    /// The size of the world in 1/256 pixels, up to 2^39.
    let world: Int
    /// A unit is 2^shift of 1/256 pixels; negative when units are finer.
    private let shift: Int
    private let originX: Int
    private let originY: Int

    /// - Parameter reachPixels: How far outside of its path a stroke can reach.
    init(window: PixelWindow, gridBits: Int, reachPixels: Int) {
        let one = 1 << PathFrame.subpixelBits
        let margin = PathFrame.marginPixels(reachPixels: reachPixels)
        marginPixels = margin
        widthPixels = window.width + 2 * margin
        heightPixels = window.height + 2 * margin
        right = widthPixels * one
        bottom = heightPixels * one
        visibleLeft = (margin - reachPixels) * one
        visibleTop = visibleLeft
        visibleRight = right - visibleLeft
        visibleBottom = bottom - visibleTop
        world = window.worldSizePixels * one
        shift = world.trailingZeroBitCount - gridBits
        originX = (window.originX - margin) * one
        originY = (window.originY - margin) * one
    }

    /// The margin that a reach needs: a piece and a half more, so that no piece that touches the
    /// window leaves the canvas.
    static func marginPixels(reachPixels: Int) -> Int { reachPixels + piecePixels + 10 }

    /// Whole worlds to add to a column, so that all that shows on the canvas is drawn.
    var turns: [Int] {
        // The canvas begins in -margin..<world and its end may lie worlds further east.
        let first = originX < 0 ? -1 : 0
        let last = (originX + right) / world
        return (first...max(first, last)).map { $0 * world }
    }

    /// A column of the grid, in 1/256 pixels from the canvas's west edge.
    func x(_ unit: Int32, turn: Int) -> Int { fixed(unit) + turn - originX }

    /// A row of the grid, in 1/256 pixels from the canvas's north edge.
    func y(_ unit: Int32) -> Int { fixed(unit) - originY }

    private func fixed(_ unit: Int32) -> Int {
        if shift >= 0 { return Int(unit) << shift }
        // Half a step is added before the shift, so that this rounds to the nearest.
        return (Int(unit) + (1 << (-shift - 1))) >> -shift
    }

    /// The column of one line of the global grid at which long lines are cut.
    var gridOffsetX: Int { -originX }

    /// The row of one line of the global grid at which long lines are cut.
    var gridOffsetY: Int { -originY }

    /// Whether a box lies wholly on one side of where paths can show.
    func isBeyond(minX: Int, minY: Int, maxX: Int, maxY: Int) -> Bool {
        maxX < visibleLeft || minX > visibleRight || maxY < visibleTop || minY > visibleBottom
    }

    /// Whether a box in grid units lies wholly on one side of where paths can show.
    func isBeyond(_ box: UnitBox, turn: Int) -> Bool {
        isBeyond(
            minX: x(box.minX, turn: turn), minY: y(box.minY), maxX: x(box.maxX, turn: turn),
            maxY: y(box.maxY))
    }
}
