/// A name drawn once: whole, with its spot and halo, at a whole pixel. Pictures copy what they
/// need of it, so they cannot disagree.
struct LabelSprite: Sendable {
    /// Where the sprite's north-west corner is, relative to the pixel of the place.
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    /// `0xAARRGGBB`, premultiplied.
    let pixels: [UInt32]

    /// Draws a name.
    ///
    /// - Precondition: its class has a look.
    init(
        _ name: MapName, side: LabelLayout.Side, zoom: UInt8, scale: Int,
        names: BasemapStyle.Names
    ) throws(CanvasError) {
        guard let look = names.look(name.points) else {
            preconditionFailure("\(name.points) has no look")
        }
        let layout = LabelLayout(name, look: look, zoom: zoom, names: names)
        let text = look.text(name.text)
        let factor = Double(scale)
        let line = try TextLine(
            text,
            font: FontStyle(
                sizePixels: layout.sizePixels * factor, isBold: look.isBold,
                isItalic: look.isItalic, spacingPixels: look.spacingPixels * factor))
        let origin = layout.origin(
            side: side, widthPixels: line.logical.width / factor,
            lines: LabelLayout.lines(of: text))
        let x = (origin.x * factor).rounded()
        let y = (origin.y * factor).rounded()
        // A pixel more than the glow reaches, and one for letters that outgrow their box.
        let glow = (names.haloWidthPixels * factor).rounded(.up) + 2
        let radius = layout.dotRadiusPixels * factor
        let reach = radius + factor
        let leftEdge = min(x + line.ink.left - glow, -reach).rounded(.down)
        let topEdge = min(y + line.ink.top - glow, -reach).rounded(.down)
        let rightEdge = max(x + line.ink.left + line.ink.width + glow, reach).rounded(.up)
        let bottomEdge = max(y + line.ink.top + line.ink.height + glow, reach).rounded(.up)
        left = Int(leftEdge)
        top = Int(topEdge)
        width = Int(rightEdge - leftEdge)
        height = Int(bottomEdge - topEdge)

        var pixels = try LabelSprite.letters(
            line, look.color, width: width, height: height, x: x - leftEdge, y: y - topEdge,
            halo: names.halo, haloWidthPixels: names.haloWidthPixels * factor)
        if let dot = look.dot, radius > 0 {
            let canvas = try Canvas(widthPixels: width, heightPixels: height, format: .color)
            // A spot's middle is the middle of its pixel at scale 1.
            canvas.translate(x: factor / 2 - leftEdge, y: factor / 2 - topEdge)
            LabelSprite.draw(dot, on: canvas, radius: radius, scale: factor)
            try canvas.withPremultipliedPixels { span in
                for index in span.indices where span[index] != 0 {
                    pixels[index] = LabelSprite.over(span[index], pixels[index])
                }
            }
        }
        self.pixels = pixels
    }

    /// Letters over their glow, premultiplied. A text with pictures (emoji) is drawn as its fonts
    /// have it; of others the coverage is enough.
    private static func letters(
        _ line: borrowing TextLine, _ color: Color, width: Int, height: Int, x: Double, y: Double,
        halo: Color, haloWidthPixels: Double
    ) throws(CanvasError) -> [UInt32] {
        let letters: [UInt32]
        let coverage: [UInt8]
        if line.hasPictures {
            let canvas = try Canvas(widthPixels: width, heightPixels: height, format: .color)
            canvas.drawWithPictures(line, x: x, y: y, color: color)
            letters = try canvas.withPremultipliedPixels { span in
                span.indices.map { span[$0] }
            }
            coverage = letters.map { UInt8($0 >> 24) }
        } else {
            let canvas = try Canvas(widthPixels: width, heightPixels: height, format: .coverage)
            canvas.draw(line, x: x, y: y, color: .black)
            coverage = try canvas.coverage()
            letters = coverage.map { premultiplied(color, $0) }
        }
        let glow = Halo.spread(coverage, width: width, radiusPixels: haloWidthPixels)
        return zip(letters, glow).map { over($0, premultiplied(halo, $1)) }
    }

    private static func draw(
        _ dot: BasemapStyle.Look.Dot, on canvas: borrowing Canvas, radius: Double, scale: Double
    ) {
        canvas.circle(centerX: 0, centerY: 0, radius: radius)
        canvas.fill(dot.rimColor)
        canvas.circle(centerX: 0, centerY: 0, radius: radius - 0.5 * scale)
        canvas.fill(dot.color)
        if dot.isRing, radius > 1.5 * scale {
            canvas.circle(centerX: 0, centerY: 0, radius: radius - 1.5 * scale)
            canvas.fill(dot.rimColor)
        }
    }

    /// Lays the sprite over opaque pixels, its place at (`x`, `y`).
    func draw(on target: inout MutableSpan<UInt32>, width targetWidth: Int, x: Int, y: Int) {
        let targetHeight = target.count / targetWidth
        let firstColumn = max(0, -(x + left))
        let lastColumn = min(width, targetWidth - (x + left))
        let firstRow = max(0, -(y + top))
        let lastRow = min(height, targetHeight - (y + top))
        guard firstColumn < lastColumn, firstRow < lastRow else { return }
        let source = pixels.span
        for row in firstRow..<lastRow {
            let base = (y + top + row) * targetWidth + x + left
            for column in firstColumn..<lastColumn {
                let pixel = source[row * width + column]
                if pixel == 0 { continue }
                let index = base + column
                target[index] = LabelSprite.over(pixel, target[index])
            }
        }
    }

    /// A colour at some coverage, premultiplied.
    private static func premultiplied(_ color: Color, _ coverage: UInt8) -> UInt32 {
        let alpha = divided(UInt32(color.alpha) * UInt32(coverage))
        func channel(_ value: UInt8) -> UInt32 { divided(UInt32(value) * alpha) }
        return alpha << 24 | channel(color.red) << 16 | channel(color.green) << 8
            | channel(color.blue)
    }

    /// A number up to 255², by 255, rounded.
    private static func divided(_ number: UInt32) -> UInt32 {
        (number + 128 + (number + 128) >> 8) >> 8
    }

    /// A premultiplied pixel over another.
    private static func over(_ pixel: UInt32, _ below: UInt32) -> UInt32 {
        let rest = 255 - pixel >> 24
        // Two channels at a time, each in 16 bits: c · rest ≤ 65 025, and the rounding
        // division by 255 adds at most 128 and 254 to it.
        func faded(_ pair: UInt32) -> UInt32 {
            let product = pair * rest + 0x80_0080
            return (product + (product >> 8 & 0xff_00ff)) >> 8 & 0xff_00ff
        }
        // A premultiplied channel is at most its alpha, so no sum passes 255.
        return pixel &+ (faded(below & 0xff_00ff) | faded(below >> 8 & 0xff_00ff) << 8)
    }
}
