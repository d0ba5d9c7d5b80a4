/// Dots as ``DotCanvas`` draws them, cut into vectors of sixteen pixels: one for all slots, or one
/// for each.
struct DotStamps: Sendable {
    /// Sixteen pixels of a dot's row.
    struct Part: Sendable {
        let codes: SIMD2<UInt64>
        /// Where it covers whatever is there: all bits of the pixel.
        let firm: SIMD2<UInt64>
        /// Where it covers clear pixels only.
        let soft: SIMD2<UInt64>
    }

    /// Columns of the largest dot.
    let width: Int
    /// Rows of the largest dot.
    let height: Int
    /// The column and the row of the place: all dots are round it.
    let anchor: Int
    /// Vectors in a row.
    let vectors: Int
    /// Row by row, dot by dot.
    let parts: [Part]
    /// How far the parts of a slot are from those of the one before; 0 when all share one dot.
    let partsPerSlot: Int
    /// How much is added to the codes for each slot; 0 when they are indices already.
    let codesPerSlot: UInt8

    /// Cuts one dot that all slots share, each in its colour.
    init(shared dot: Sprite) {
        self.init([dot.codes], edge: dot.width, anchor: dot.anchorX, isShared: true)
    }

    /// Cuts a dot with a ring for each slot, in its colour.
    ///
    /// - Parameter reach: How far the room for a dot goes from its place.
    /// - Precondition: no dot goes further.
    init(bySlot dots: [Sprite], reach: Int) {
        precondition(dots.allSatisfy { $0.anchorX <= reach }, "a dot needs more room")
        let edge = 2 * reach + 1
        let codes = dots.enumerated().map { slot, dot in
            DotStamps.widened(dot, edge: edge).map {
                $0 < MarkPalette.fills[0] ? $0 : $0 + 3 * UInt8(slot)
            }
        }
        self.init(codes, edge: edge, anchor: reach, isShared: false)
    }

    private init(_ dots: [[UInt8]], edge: Int, anchor: Int, isShared: Bool) {
        let vectors = (edge + 15) / 16
        width = edge
        height = edge
        self.anchor = anchor
        self.vectors = vectors
        partsPerSlot = isShared ? 0 : edge * vectors
        codesPerSlot = isShared ? 3 : 0
        // What gives way to whatever is there: the palest third of a dot's edge, of a ring all that
        // is translucent.
        let pale =
            isShared ? [MarkPalette.fills[0]] : [MarkPalette.whites[0], MarkPalette.whites[1]]
        parts = dots.flatMap { codes in
            (0..<edge * vectors).map { part in
                let (line, first) = (part / vectors, part % vectors * 16)
                let row = (first..<first + 16).map { column in
                    column < edge ? codes[line * edge + column] : MarkPalette.clear
                }
                return Part(
                    codes: PixelLanes.packed(row),
                    firm: PixelLanes.packed(
                        row.map { $0 == MarkPalette.clear || pale.contains($0) ? 0 : .max }),
                    soft: PixelLanes.packed(row.map { pale.contains($0) ? .max : 0 }))
            }
        }
    }

    /// A dot's codes with clear pixels round them, to a square of some odd edge.
    private static func widened(_ dot: Sprite, edge: Int) -> [UInt8] {
        let margin = (edge - dot.width) / 2
        var codes = [UInt8](repeating: MarkPalette.clear, count: edge * edge)
        for row in 0..<dot.height {
            for column in 0..<dot.width {
                codes[(row + margin) * edge + column + margin] = dot.codes[row * dot.width + column]
            }
        }
        return codes
    }
}
