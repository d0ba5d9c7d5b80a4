/// Widths of texts without shaping each: the sum of the advances of their characters, every one of
/// which is measured once. Tens of thousands of names are measured to find which have room.
struct TextWidths: ~Copyable {
    private var ems: [FontStyle: [Unicode.Scalar: Double]] = [:]
    /// How many characters of a font are kept: no more than the names of a country's maps use.
    private static let limit = 20_000

    /// The width of the widest line of a text, in pixels; kerning makes it a little narrower.
    mutating func width(_ text: String, font: FontStyle) throws(CanvasError) -> Double {
        var key = font
        // Advances of unhinted glyphs grow with the size, so one table serves all sizes.
        key.sizePixels = 100
        key.spacingPixels = 0
        var table = ems[key] ?? [:]
        if table.count > TextWidths.limit { table = [:] }
        var widest = 0.0
        var width = 0.0
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                width = 0
                continue
            }
            let advance: Double
            if let known = table[scalar] {
                advance = known
            } else {
                advance = try TextLine(String(scalar), font: key).logical.width / 100
                table[scalar] = advance
                ems[key] = table
            }
            width += advance * font.sizePixels + font.spacingPixels
            widest = max(widest, width)
        }
        return widest
    }
}
