/// A small picture in the codes of ``MarkPalette``, with the pixel that lies on a mark's place.
struct Sprite: Sendable {
    /// Columns.
    let width: Int
    /// Rows.
    let height: Int
    /// The column of the place.
    let anchorX: Int
    /// The row of the place.
    let anchorY: Int
    /// The codes, row by row.
    let codes: [UInt8]

    /// Draws a filled circle around the middle of a pixel, with a white ring, and a white icon on
    /// it.
    ///
    /// - Throws: ``CanvasError`` when there is no memory.
    static func disc(
        radiusPixels: Double, ringPixels: Double, icon: MarkIcon? = nil, scale: Int = 1
    ) throws(CanvasError) -> Sprite {
        // A pixel of which less than a sixth is covered stays clear.
        let reach = Int((radiusPixels + ringPixels - 0.5 - 1.0 / 6).rounded(.up))
        let edge = 2 * reach + 1
        let inner = try circle(edge: edge, radius: radiusPixels)
        let outer = try circle(edge: edge, radius: radiusPixels + ringPixels)
        let ink =
            try icon?.coverage(edgePixels: edge, scale: scale)
            ?? [UInt8](repeating: 0, count: edge * edge)
        let codes = inner.indices.map { index -> UInt8 in
            let fill = Sprite.thirds(inner[index])
            // The icon lies on the full colour only: at the edge it would make holes.
            if fill == 3 { return Sprite.inkCodes[Sprite.thirds(ink[index])] }
            if fill > 0 { return MarkPalette.fills[fill - 1] }
            let white = Sprite.thirds(outer[index])
            return white > 0 ? MarkPalette.whites[white - 1] : MarkPalette.clear
        }
        return Sprite(width: edge, height: edge, anchorX: reach, anchorY: reach, codes: codes)
    }

    /// The code of the colour under white of so many thirds.
    private static let inkCodes = [
        MarkPalette.fills[2], MarkPalette.fills[1], MarkPalette.fills[0], MarkPalette.whites[2],
    ]

    /// A coverage of 0...255 in whole thirds.
    static func thirds(_ coverage: UInt8) -> Int { (Int(coverage) * 3 + 127) / 255 }

    /// The coverage of a circle in the middle of a square.
    private static func circle(edge: Int, radius: Double) throws(CanvasError) -> [UInt8] {
        let canvas = try Canvas(widthPixels: edge, heightPixels: edge, format: .coverage)
        let middle = Double(edge) / 2
        canvas.circle(centerX: middle, centerY: middle, radius: radius)
        canvas.fill(.black)
        return try canvas.coverage()
    }
}

extension IndexedImage {
    /// Draws a sprite with its place on a pixel, which may lie outside the picture.
    ///
    /// - Parameter overlays: Those of the picture's ``MarkPalette``.
    mutating func draw(
        _ sprite: Sprite, column: Int, row: Int, slot: UInt8, overlays: [[UInt8]]
    ) {
        let left = column - sprite.anchorX
        let top = row - sprite.anchorY
        let (west, east) = (max(0, -left), min(sprite.width, width - left))
        let (north, south) = (max(0, -top), min(sprite.height, height - top))
        guard west < east, north < south else { return }
        let pitch = width
        let shift = 3 * slot
        let (thinOverlay, thickOverlay) = (overlays[0], overlays[1])
        let codes = sprite.codes.span
        let thin = thinOverlay.span
        let thick = thickOverlay.span
        var target = pixels.mutableSpan
        for row in north..<south {
            let source = row * sprite.width
            let start = (top + row) * pitch + left
            for column in west..<east {
                let code = codes[source &+ column]
                let place = start &+ column
                switch code {
                case 0: continue
                case 1: target[place] = thin[Int(target[place])]
                case 2: target[place] = thick[Int(target[place])]
                case 3: target[place] = code
                default: target[place] = code &+ shift
                }
            }
        }
    }
}
