internal import CCairo

/// How the ends and corners of a line look, and its dashes.
package struct StrokeStyle: Hashable, Sendable {
    /// How pieces of a line meet.
    package enum Corners: Sendable {
        /// Round, and round ends.
        case round
        /// Pointed, unless very acute; ends are cut off. A point reaches up to ten times half
        /// the width.
        case sharp
        /// Cut off, and so are ends: the fastest, for thin lines.
        case cut
    }

    /// The width of the line, in pixels.
    package var widthPixels: Double
    /// How pieces of the line meet, and how it ends.
    package var corners: Corners
    /// Lengths in pixels, on and off in turn; empty is a solid line.
    package var dashesPixels: [Double]

    /// A line of some width, round and solid unless said otherwise.
    package init(widthPixels: Double, corners: Corners = .round, dashesPixels: [Double] = []) {
        self.widthPixels = widthPixels
        self.corners = corners
        self.dashesPixels = dashesPixels
    }
}

extension Canvas {
    /// Forgets the path so far.
    package func beginPath() { unsafe cairo_new_path(context) }

    /// Starts a new piece of the path.
    package func move(x: Double, y: Double) { unsafe cairo_move_to(context, x, y) }

    /// Adds a straight line from the last point.
    package func line(x: Double, y: Double) { unsafe cairo_line_to(context, x, y) }

    /// Adds a Bézier curve from the last point to (`x`, `y`).
    package func curve(
        x1: Double, y1: Double, x2: Double, y2: Double, x: Double, y: Double
    ) { unsafe cairo_curve_to(context, x1, y1, x2, y2, x, y) }

    /// Adds an arc clockwise, joined by a line to the last point if there is one.
    package func arc(
        centerX: Double, centerY: Double, radius: Double, from start: Double, to end: Double
    ) { unsafe cairo_arc(context, centerX, centerY, radius, start, end) }

    /// Adds a whole circle as a piece of its own.
    package func circle(centerX: Double, centerY: Double, radius: Double) {
        unsafe cairo_new_sub_path(context)
        arc(centerX: centerX, centerY: centerY, radius: radius, from: 0, to: 2 * .pi)
        closePath()
    }

    /// Adds a closed rectangle as a piece of its own.
    package func rectangle(x: Double, y: Double, width: Double, height: Double) {
        unsafe cairo_rectangle(context, x, y, width, height)
    }

    /// Joins the last point to the start of its piece.
    package func closePath() { unsafe cairo_close_path(context) }

    /// Fills the whole picture, or the whole clip.
    package func paint(_ color: Color) {
        setSource(color)
        unsafe cairo_paint(context)
    }

    /// Fills the path, and ends it unless `keepingPath`. Overlapping pieces count by the even-odd
    /// rule if told, else by the winding rule.
    package func fill(_ color: Color, evenOdd: Bool = false, keepingPath: Bool = false) {
        setSource(color)
        setRule(evenOdd: evenOdd)
        if keepingPath {
            unsafe cairo_fill_preserve(context)
        } else {
            unsafe cairo_fill(context)
        }
    }

    /// Draws along the path, and ends it unless `keepingPath`.
    package func stroke(_ color: Color, _ style: StrokeStyle, keepingPath: Bool = false) {
        setSource(color)
        unsafe cairo_set_line_width(context, style.widthPixels)
        let join =
            switch style.corners {
            case .round: CAIRO_LINE_JOIN_ROUND
            case .sharp: CAIRO_LINE_JOIN_MITER
            case .cut: CAIRO_LINE_JOIN_BEVEL
            }
        unsafe cairo_set_line_join(context, join)
        unsafe cairo_set_line_cap(
            context, style.corners == .round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT)
        unsafe cairo_set_dash(context, style.dashesPixels, Int32(style.dashesPixels.count), 0)
        if keepingPath {
            unsafe cairo_stroke_preserve(context)
        } else {
            unsafe cairo_stroke(context)
        }
    }

    /// Lets curves and round corners be off by so many pixels; 0.1 unless set. Coarser is faster.
    package func setTolerance(pixels: Double) { unsafe cairo_set_tolerance(context, pixels) }

    func setSource(_ color: Color) {
        unsafe cairo_set_source_rgba(
            context, Double(color.red) / 255, Double(color.green) / 255,
            Double(color.blue) / 255, Double(color.alpha) / 255)
    }

    private func setRule(evenOdd: Bool) {
        unsafe cairo_set_fill_rule(
            context, evenOdd ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING)
    }
}
