/// The characters of count labels as sprites, white in thirds on a badge's fill.
struct LabelFont: Sendable {
    /// One character, drawn on a whole pixel and half a pixel further east.
    private struct Glyph: Sendable {
        /// Without and with the half pixel.
        let sprites: [Sprite]
        /// How far the next character is, in pixels.
        let advance: Double
        /// Where the ink begins and ends, in pixels from the origin.
        let inkLeft: Double
        let inkRight: Double
    }

    /// The characters of ``CountLabel/abbreviated(_:)``.
    static let characters = "0123456789.kMB"

    private let glyphs: [Character: Glyph]
    private let digitHeightPixels: Int

    /// Draws the characters so that digits are a whole, odd number of pixels high: their tops
    /// and feet are sharp, and they can stand in the middle of a pixel.
    ///
    /// - Throws: ``CanvasError`` when there is no memory.
    init(digitHeightPixels: Int) throws(CanvasError) {
        precondition(digitHeightPixels % 2 == 1, "\(digitHeightPixels) pixels have no middle")
        let probe = try TextLine("7", font: FontStyle(sizePixels: 100, isBold: true))
        let size = Double(digitHeightPixels) * 100 / max(1, probe.ink.height)
        let font = FontStyle(sizePixels: size, isBold: true)
        var made: [Character: Glyph] = [:]
        for character in LabelFont.characters {
            made[character] = try LabelFont.glyph(character, font: font)
        }
        glyphs = made
        self.digitHeightPixels = digitHeightPixels
    }

    /// Draws a label with the middle of its ink on the middle of a pixel, to a quarter pixel.
    func draw(
        _ label: String, into image: inout IndexedImage, column: Int, row: Int, slot: UInt8,
        overlays: [[UInt8]]
    ) {
        let parts = label.compactMap { glyphs[$0] }
        guard let first = parts.first, let last = parts.last else { return }
        let end = parts.dropLast().reduce(0) { $0 + $1.advance } + last.inkRight
        let start = 0.5 - (first.inkLeft + end) / 2
        var halves = Int((2 * start).rounded())
        let baseline = row + (digitHeightPixels + 1) / 2
        for part in parts {
            // An arithmetic shift rounds down, the last bit is the half pixel.
            let sprite = part.sprites[halves & 1]
            image.draw(
                sprite, column: column + halves >> 1, row: baseline, slot: slot, overlays: overlays)
            halves += Int((2 * part.advance).rounded())
        }
    }

    private static func glyph(
        _ character: Character, font: FontStyle
    ) throws(CanvasError) -> Glyph {
        let text = try TextLine(String(character), font: font)
        var sprites: [Sprite] = []
        for offset in [0, 0.5] {
            sprites.append(try sprite(text, offsetPixels: offset))
        }
        return Glyph(
            sprites: sprites, advance: (2 * text.logical.width).rounded() / 2,
            inkLeft: text.ink.left, inkRight: text.ink.left + text.ink.width)
    }

    /// A character whose origin is `offsetPixels` east of its anchor's west edge, on the line
    /// between the anchor's row and the one above it.
    private static func sprite(
        _ text: borrowing TextLine, offsetPixels: Double
    ) throws(CanvasError) -> Sprite {
        let originX = max(0, Int((-text.ink.left).rounded(.up)))
        let originY = max(0, Int((-text.ink.top).rounded(.up)))
        let width = originX + Int((text.ink.left + text.ink.width + offsetPixels).rounded(.up))
        let height = originY + Int((text.ink.top + text.ink.height).rounded(.up))
        let canvas = try Canvas(
            widthPixels: max(1, width), heightPixels: max(1, height), format: .coverage)
        canvas.draw(
            text, x: Double(originX) + offsetPixels, y: Double(originY), color: .black)
        let codes = try canvas.coverage().map { coverage -> UInt8 in
            switch Sprite.thirds(coverage) {
            case 0: MarkPalette.clear
            case 1: MarkPalette.fills[1]
            case 2: MarkPalette.fills[0]
            default: MarkPalette.whites[2]
            }
        }
        return Sprite(
            width: canvas.widthPixels, height: canvas.heightPixels, anchorX: originX,
            anchorY: originY, codes: codes)
    }
}
