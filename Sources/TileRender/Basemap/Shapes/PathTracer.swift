internal import GeoIndex

/// Puts the paths of a layer onto a canvas so that two neighbouring pictures agree in every pixel.
///
/// Anti-aliasing must be the same whatever else is in the picture. Three things see to that:
///
/// - An edge looks the same only if Cairo gets the same edge: it rounds where it cuts at the
///   picture's border. So nothing is cut there. Long lines are cut here, at multiples of 16 pixels
///   of the *global* grid, and the canvas has a margin of more than such a piece: a piece that touches
///   the window lies on the canvas as a whole. The corners of shapes that lie beyond the canvas
///   are pushed to its border; a piece between two of them stays on their side of the window.
/// - A run of segments that lies wholly on one side of the window is one piece.
/// - Cairo computes rows of pixels in which no edge ends in another, slightly different way than
///   rows in which one does, so pixels depend on edges far away in the same row. A comb in the
///   margin, a tooth in every row, makes all rows alike.
///
/// Coordinates below 2^39 in 1/256 pixels; sums of a few of them fit `Int`.
struct PathTracer: ~Copyable {
    private let layer: PathLayer
    private let frame: PathFrame

    init(layer: PathLayer, frame: PathFrame) {
        self.layer = layer
        self.frame = frame
    }

    // MARK: Areas

    /// Adds the outlines of the shapes that touch the window to the path, to be filled with the
    /// winding rule.
    ///
    func traceAreas(on canvas: borrowing Canvas) -> Traced {
        var traced = Traced.nothing
        for turn in frame.turns {
            for path in 0..<layer.count where !frame.isBeyond(layer.boxes[path], turn: turn) {
                if traced == .nothing { traced = .surroundings }
                if traceArea(path, turn: turn, on: canvas) { traced = .edges }
            }
        }
        return traced
    }

    /// What was added of areas.
    enum Traced {
        case nothing
        /// Only outlines around the canvas: all of it is inside or all is outside, no pixel of the
        /// window is on an edge, and no comb is needed.
        case surroundings
        case edges
    }

    /// Adds the comb of a path that is to be filled.
    static func combAreas(_ frame: PathFrame, on canvas: borrowing Canvas) {
        for row in 0..<frame.heightPixels {
            let y = Double(row)
            canvas.move(x: 1, y: y + 0.25)
            canvas.line(x: 2, y: y + 0.5)
            canvas.line(x: 1, y: y + 0.75)
            canvas.closePath()
        }
    }

    /// - Returns: Whether a corner or a cut lies within the canvas, as of every edge that
    ///   touches the window one does.
    private func traceArea(_ path: Int, turn: Int, on canvas: borrowing Canvas) -> Bool {
        var isWithin = false
        let first = layer.starts[path]
        let points = layer.pointCount(path)
        var x = frame.x(layer.xs[first], turn: turn)
        var y = frame.y(layer.ys[first])
        canvas.move(x: inCanvasX(x), y: inCanvasY(y))
        var segment = 0
        for run in layer.runStarts[path]..<layer.runStarts[path + 1] {
            let end = min(segment + PathLayer.runLength, points)
            if frame.isBeyond(layer.runBoxes[run], turn: turn) { segment = end - 1 }
            while segment < end {
                segment += 1
                let index = first + (segment == points ? 0 : segment)
                let nextX = frame.x(layer.xs[index], turn: turn)
                let nextY = frame.y(layer.ys[index])
                forEachCut(fromX: x, y: y, toX: nextX, y: nextY) { cutX, cutY in
                    if !isWithin { isWithin = isInCanvas(cutX, cutY) }
                    canvas.line(x: inCanvasX(cutX), y: inCanvasY(cutY))
                }
                if !isWithin { isWithin = isInCanvas(nextX, nextY) }
                canvas.line(x: inCanvasX(nextX), y: inCanvasY(nextY))
                x = nextX
                y = nextY
            }
        }
        canvas.closePath()
        return isWithin
    }

    private func isInCanvas(_ x: Int, _ y: Int) -> Bool {
        x > 0 && x < frame.right && y > 0 && y < frame.bottom
    }

    private func inCanvasX(_ x: Int) -> Double { Double(min(max(x, 0), frame.right)) / 256 }
    private func inCanvasY(_ y: Int) -> Double { Double(min(max(y, 0), frame.bottom)) / 256 }

    // MARK: Lines

    /// Adds the pieces of lines that touch the window to the path, to be stroked.
    ///
    /// Of closed shapes, sides along 180° and beyond the poles' edges are left out: there a shape
    /// was cut, and no coast is. A closed line ends where it begins, but is not joined there:
    /// whether all of it shows must make no difference.
    ///
    /// - Returns: Whether there were any.
    func traceLines(on canvas: borrowing Canvas) -> Bool {
        var isEmpty = true
        for turn in frame.turns {
            for path in 0..<layer.count where !frame.isBeyond(layer.boxes[path], turn: turn) {
                if traceLine(path, turn: turn, on: canvas) { isEmpty = false }
            }
        }
        return !isEmpty
    }

    /// Adds the comb of a path that is to be stroked.
    ///
    /// Round corners cost most where a line turns back, so theirs turns by a few degrees; it has
    /// two corners in a row, since the edges of a broad stroke end above and below its corners.
    static func combLines(
        _ frame: PathFrame, _ corners: StrokeStyle.Corners, on canvas: borrowing Canvas
    ) {
        if corners == .cut {
            canvas.move(x: 1, y: 0.3)
            for row in 0..<frame.heightPixels {
                let y = Double(row)
                canvas.line(x: 4, y: y + 0.8)
                canvas.line(x: 1, y: y + 1.3)
            }
        } else {
            canvas.move(x: 2, y: -0.25)
            for row in 0..<frame.heightPixels {
                let y = Double(row)
                canvas.line(x: 2.0625, y: y + 0.25)
                canvas.line(x: 2, y: y + 0.75)
            }
        }
    }

    /// - Returns: Whether a piece can show.
    private func traceLine(_ path: Int, turn: Int, on canvas: borrowing Canvas) -> Bool {
        var isEmpty = true
        let first = layer.starts[path]
        let points = layer.pointCount(path)
        let segments = layer.segmentCount(path)
        // Whether the pen is down at the end of the last piece.
        var isDown = false
        var run = layer.runStarts[path]
        var segment = 0
        while segment < segments {
            if segment % PathLayer.runLength == 0 {
                defer { run += 1 }
                if frame.isBeyond(layer.runBoxes[run], turn: turn) {
                    segment += PathLayer.runLength
                    isDown = false
                    continue
                }
            }
            let start = first + segment
            let end = segment + 1 == points ? first : start + 1
            segment += 1
            let x = frame.x(layer.xs[start], turn: turn)
            let y = frame.y(layer.ys[start])
            let nextX = frame.x(layer.xs[end], turn: turn)
            let nextY = frame.y(layer.ys[end])
            if layer.isClosed, isCut(from: start, to: end) {
                isDown = false
                continue
            }
            var lastX = x
            var lastY = y
            func piece(_ toX: Int, _ toY: Int) {
                let isOut = frame.isBeyond(
                    minX: min(lastX, toX), minY: min(lastY, toY), maxX: max(lastX, toX),
                    maxY: max(lastY, toY))
                if isOut {
                    isDown = false
                } else {
                    if !isDown { canvas.move(x: Double(lastX) / 256, y: Double(lastY) / 256) }
                    canvas.line(x: Double(toX) / 256, y: Double(toY) / 256)
                    isDown = true
                    isEmpty = false
                }
                lastX = toX
                lastY = toY
            }
            forEachCut(fromX: x, y: y, toX: nextX, y: nextY) { piece($0, $1) }
            piece(nextX, nextY)
        }
        return !isEmpty
    }

    /// Whether a side of a shape is where the world was cut open or ends.
    private func isCut(from start: Int, to end: Int) -> Bool {
        let x = frame.x(layer.xs[start], turn: 0) - frame.x(0, turn: 0)
        let nextX = frame.x(layer.xs[end], turn: 0) - frame.x(0, turn: 0)
        if x == nextX, x == 0 || x == frame.world { return true }
        let top = frame.y(0)
        let y = frame.y(layer.ys[start])
        let nextY = frame.y(layer.ys[end])
        return max(y, nextY) < top || min(y, nextY) > top + frame.world
    }

    // MARK: Cuts

    /// Calls `body` with the points at which a line is cut into pieces: where its longer axis
    /// crosses a multiple of 16 pixels, as far as that is on the canvas or near. The points depend
    /// on the line and on the global grid alone.
    private func forEachCut(
        fromX x: Int, y: Int, toX nextX: Int, y nextY: Int, _ body: (Int, Int) -> Void
    ) {
        let step = PathFrame.piecePixels << PathFrame.subpixelBits
        let width = abs(nextX - x)
        let height = abs(nextY - y)
        guard max(width, height) > step else { return }
        if frame.isBeyond(
            minX: min(x, nextX), minY: min(y, nextY), maxX: max(x, nextX), maxY: max(y, nextY))
        {
            return
        }
        if width >= height {
            forEachCut(from: x, to: nextX, limit: frame.right, offset: frame.gridOffsetX) { cut in
                body(cut, between(cut, x, nextX, y, nextY))
            }
        } else {
            forEachCut(from: y, to: nextY, limit: frame.bottom, offset: frame.gridOffsetY) { cut in
                body(between(cut, y, nextY, x, nextX), cut)
            }
        }
    }

    /// Multiples of the step strictly between two values and at most one step off the canvas,
    /// in the order from the first value to the second.
    private func forEachCut(
        from first: Int, to last: Int, limit: Int, offset: Int, _ body: (Int) -> Void
    ) {
        let step = PathFrame.piecePixels << PathFrame.subpixelBits
        let low = max(min(first, last) + 1, -step)
        let high = min(max(first, last) - 1, limit + step)
        // The first multiple of the step at or after `low`; `offset` is where one of them is.
        var cut = low + ((offset - low) % step + step) % step
        guard cut <= high else { return }
        if first < last {
            while cut <= high {
                body(cut)
                cut += step
            }
        } else {
            cut += (high - cut) / step * step
            while cut >= low {
                body(cut)
                cut -= step
            }
        }
    }

    /// Where a line from (`a`, `valueA`) to (`b`, `valueB`) is at `cut`.
    ///
    /// The offsets from the ends are the same whole numbers in every picture, so the rounded
    /// result is the same, too.
    private func between(_ cut: Int, _ a: Int, _ b: Int, _ valueA: Int, _ valueB: Int) -> Int {
        let share = Double(cut - a) * Double(valueB - valueA) / Double(b - a)
        return valueA + Int(share.rounded())
    }
}
