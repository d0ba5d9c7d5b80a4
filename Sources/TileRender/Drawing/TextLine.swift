internal import CCairo

/// A font as asked for; characters it lacks come from other fonts of the system.
package struct FontStyle: Hashable, Sendable {
    /// The family, as in "Noto Sans", or several in the order in which they are asked.
    package var family: String
    /// The size of the em square, in pixels.
    package var sizePixels: Double
    /// Bold or regular.
    package var isBold: Bool
    /// Slanted or upright.
    package var isItalic: Bool
    /// Extra room between letters, in pixels.
    package var spacingPixels: Double

    /// Noto Sans, and Droid for all Han characters: else some of a word would come from the font
    /// that has the Hangul.
    package static let sans = "Noto Sans, Droid Sans Fallback"

    /// A font of some size, regular and upright unless said otherwise.
    package init(
        family: String = FontStyle.sans, sizePixels: Double, isBold: Bool = false,
        isItalic: Bool = false, spacingPixels: Double = 0
    ) {
        self.family = family
        self.sizePixels = sizePixels
        self.isBold = isBold
        self.isItalic = isItalic
        self.spacingPixels = spacingPixels
    }
}

/// A piece of text, shaped once and measured: the one owner of Pango's layout.
///
/// Offsets are pixels from the text's origin: the left end of the baseline of its first line, y
/// southwards. Glyphs are outlines without hinting, so that moving a text by whole pixels does
/// not change it. Texts belong to the thread that made them.
@safe package struct TextLine: ~Copyable {
    /// A box relative to the text's origin, in pixels.
    package struct Box: Hashable, Sendable {
        /// The west edge.
        package let left: Double
        /// The north edge; negative is above the baseline.
        package let top: Double
        /// The distance from west edge to east edge.
        package let width: Double
        /// The distance from north edge to south edge.
        package let height: Double
    }

    /// What is inked.
    package let ink: Box
    /// The room that the text takes in a line: advances, ascent and descent.
    package let logical: Box

    /// Whether some glyphs are pictures and not outlines: colour emoji.
    package let hasPictures: Bool

    let layout: OpaquePointer
    /// From the layout's top to the first baseline, in pixels.
    let baselinePixels: Double

    /// Shapes and measures a text. Line feeds start new lines, which are centred.
    ///
    /// - Throws: ``CanvasError/drawing(status:)`` when there is no memory.
    /// - Complexity: tens of microseconds for a name.
    package init(_ text: String, font: FontStyle) throws(CanvasError) {
        var made: OpaquePointer?
        var baseline = 0.0
        var ink = PangoRectangle()
        var logical = PangoRectangle()
        FontLock.held {
            guard let layout = unsafe TextLine.shaped(text, font) else { return }
            baseline = TextLine.pixels(unsafe pango_layout_get_baseline(layout))
            unsafe pango_layout_get_extents(layout, &ink, &logical)
            unsafe made = layout
        }
        guard let layout = unsafe made else {
            throw .drawing(status: CAIRO_STATUS_NO_MEMORY.rawValue)
        }
        hasPictures = TextLine.hasPictures(text)
        self.ink = TextLine.box(ink, baselinePixels: baseline)
        self.logical = TextLine.box(logical, baselinePixels: baseline)
        baselinePixels = baseline
        unsafe self.layout = layout
    }

    /// A layout of its own for a text; nil when there is no memory.
    private static func shaped(_ text: String, _ font: FontStyle) -> OpaquePointer? {
        // The map is this thread's own, made on first use and kept by Pango.
        guard let map = unsafe pango_cairo_font_map_get_default(),
            let context = unsafe pango_font_map_create_context(map)
        else { return nil }
        defer { unsafe geo_context_release(context) }
        unsafe setOptions(of: context)
        guard let layout = unsafe pango_layout_new(context) else { return nil }
        unsafe apply(font, to: layout)
        unsafe pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
        unsafe pango_layout_set_text(layout, text, Int32(clamping: text.utf8.count))
        return unsafe layout
    }

    deinit {
        let layout = unsafe layout
        FontLock.held { unsafe geo_layout_release(layout) }
    }

    /// How many glyphs no font of the system has: they are drawn as boxes.
    package var missingGlyphs: Int { Int(unsafe pango_layout_get_unknown_glyphs_count(layout)) }

    /// How many glyphs the text is drawn with: fewer or more than it has characters where these
    /// join or part.
    package var glyphCount: Int {
        var count = 0
        for line in 0..<(unsafe pango_layout_get_line_count(layout)) {
            guard let line = unsafe pango_layout_get_line_readonly(layout, line) else { continue }
            var run = unsafe line.pointee.runs
            while let here = unsafe run {
                let item = unsafe here.pointee.data?.assumingMemoryBound(to: PangoGlyphItem.self)
                if let glyphs = unsafe item?.pointee.glyphs {
                    count += Int(unsafe glyphs.pointee.num_glyphs)
                }
                unsafe run = here.pointee.next
            }
        }
        return count
    }

    /// Whether the text begins at its right end.
    package var isRightToLeft: Bool {
        unsafe pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
    }

    /// Whether a text asks for pictures: by characters that are emoji by themselves, or by the
    /// selector that makes them so. Source: Unicode Technical Standard 51.
    private static func hasPictures(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            $0 == "\u{fe0f}" || ($0.value > 0x2300 && $0.properties.isEmojiPresentation)
        }
    }

    /// Outlines in their true places: no hinting, no rounding of advances, grey edges.
    private static func setOptions(of context: OpaquePointer) {
        let options = unsafe cairo_font_options_create()
        unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        unsafe pango_cairo_context_set_font_options(context, options)
        unsafe cairo_font_options_destroy(options)
        unsafe pango_context_set_round_glyph_positions(context, 0)
    }

    private static func apply(_ font: FontStyle, to layout: OpaquePointer) {
        let description = unsafe pango_font_description_new()
        unsafe pango_font_description_set_family(description, font.family)
        unsafe pango_font_description_set_absolute_size(
            description, font.sizePixels * Double(PANGO_SCALE))
        unsafe pango_font_description_set_weight(
            description, font.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        unsafe pango_font_description_set_style(
            description, font.isItalic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
        unsafe pango_layout_set_font_description(layout, description)
        unsafe pango_font_description_free(description)
        guard font.spacingPixels != 0 else { return }
        let spacing = Int32((font.spacingPixels * Double(PANGO_SCALE)).rounded())
        let attributes = unsafe pango_attr_list_new()
        unsafe pango_attr_list_insert(attributes, pango_attr_letter_spacing_new(spacing))
        unsafe pango_layout_set_attributes(layout, attributes)
        unsafe pango_attr_list_unref(attributes)
    }

    private static func pixels(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }

    private static func box(_ rectangle: PangoRectangle, baselinePixels: Double) -> Box {
        Box(
            left: pixels(rectangle.x), top: pixels(rectangle.y) - baselinePixels,
            width: pixels(rectangle.width), height: pixels(rectangle.height))
    }
}

extension Canvas {
    /// Draws a text with its origin (left end of the baseline) at (`x`, `y`), over a halo if
    /// one is given: a line of `haloWidthPixels` on each side of the outlines.
    ///
    /// Glyphs that are pictures and not outlines (colour emoji) are left out: see
    /// ``drawWithPictures(_:x:y:color:)``.
    package func draw(
        _ text: borrowing TextLine, x: Double, y: Double, color: Color,
        halo: Color = .clear, haloWidthPixels: Double = 0
    ) {
        beginPath()
        move(x: x, y: y - text.baselinePixels)
        let (context, layout) = unsafe (context, text.layout)
        FontLock.held { unsafe pango_cairo_layout_path(context, layout) }
        if halo.alpha > 0, haloWidthPixels > 0 {
            // A halo is soft to the eye: a coarse one takes a third of the time.
            setTolerance(pixels: 0.4)
            stroke(halo, StrokeStyle(widthPixels: 2 * haloWidthPixels), keepingPath: true)
            setTolerance(pixels: 0.1)
        }
        fill(color)
    }

    /// Draws a text with its origin at (`x`, `y`), glyphs that are pictures too, on a colour
    /// canvas.
    package func drawWithPictures(
        _ text: borrowing TextLine, x: Double, y: Double, color: Color
    ) {
        setSource(color)
        beginPath()
        move(x: x, y: y - text.baselinePixels)
        let (context, layout) = unsafe (context, text.layout)
        FontLock.held { unsafe pango_cairo_show_layout(context, layout) }
    }
}
