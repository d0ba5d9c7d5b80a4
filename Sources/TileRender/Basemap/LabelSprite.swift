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
    init(
        _ label: PlaceLabel, side: LabelLayout.Side, zoom: UInt8, scale: Int, style: BasemapStyle
    ) throws(CanvasError) {
        let layout = LabelLayout(label, zoom: zoom, style: style)
        let text = layout.text(label)
        let factor = Double(scale)
        let line = try TextLine(
            text,
            font: FontStyle(
                sizePixels: layout.sizePixels * factor, isBold: layout.style.isBold,
                isItalic: layout.style.isItalic,
                spacingPixels: layout.style.spacingPixels * factor))
        let lines = 1 + text.utf8.count { $0 == UInt8(ascii: "\n") }
        let origin = layout.origin(
            side: side, widthPixels: line.logical.width / factor, lines: lines)
        let x = (origin.x * factor).rounded()
        let y = (origin.y * factor).rounded()
        let halo = style.haloWidthPixels * factor
        let radius = layout.dotRadiusPixels * factor
        let reach = radius + factor
        let leftEdge = min(x + line.ink.left - halo, -reach).rounded(.down) - 1
        let topEdge = min(y + line.ink.top - halo, -reach).rounded(.down) - 1
        let rightEdge = max(x + line.ink.left + line.ink.width + halo, reach).rounded(.up) + 1
        let bottomEdge = max(y + line.ink.top + line.ink.height + halo, reach).rounded(.up) + 1
        left = Int(leftEdge)
        top = Int(topEdge)
        width = Int(rightEdge - leftEdge)
        height = Int(bottomEdge - topEdge)

        let canvas = try Canvas(widthPixels: width, heightPixels: height, format: .color)
        canvas.translate(x: -leftEdge, y: -topEdge)
        canvas.draw(
            line, x: x, y: y, color: layout.style.color, halo: style.halo, haloWidthPixels: halo)
        if radius > 0 {
            // A spot's middle is the middle of its pixel at scale 1.
            LabelSprite.drawDot(
                on: canvas, center: factor / 2, radius: radius, isCapital: label.kind == .capital,
                scale: factor, style: style)
        }
        pixels = try canvas.withPremultipliedPixels { span in span.indices.map { span[$0] } }
    }

    private static func drawDot(
        on canvas: borrowing Canvas, center: Double, radius: Double, isCapital: Bool,
        scale: Double, style: BasemapStyle
    ) {
        canvas.circle(centerX: center, centerY: center, radius: radius)
        canvas.fill(style.dotFilling)
        canvas.circle(centerX: center, centerY: center, radius: radius - 0.5 * scale)
        canvas.fill(style.dot)
        if isCapital {
            canvas.circle(centerX: center, centerY: center, radius: radius - 1.5 * scale)
            canvas.fill(style.dotFilling)
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
                let alpha = pixel >> 24
                if alpha == 0 { continue }
                let index = base + column
                target[index] = LabelSprite.over(pixel, target[index], 255 - alpha)
            }
        }
    }

    /// A premultiplied pixel over an opaque one; `rest` is 255 less its alpha.
    private static func over(_ pixel: UInt32, _ below: UInt32, _ rest: UInt32) -> UInt32 {
        // Two channels at a time, each in 16 bits: c · rest ≤ 65 025, and the rounding
        // division by 255 adds at most 128 and 254 to it.
        func faded(_ pair: UInt32) -> UInt32 {
            let product = pair * rest + 0x80_0080
            return (product + (product >> 8 & 0xff_00ff)) >> 8 & 0xff_00ff
        }
        return pixel &+ (faded(below & 0xff_00ff) | faded(below >> 8 & 0xff_00ff) << 8)
    }
}
