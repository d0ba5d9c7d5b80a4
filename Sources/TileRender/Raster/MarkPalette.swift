/// The palette of marks, small on purpose: a picture with four kinds of badge has 16 colours.
///
/// Sprites are drawn in seven *codes* that a slot turns into indices: clear, white in three
/// strengths (two of them let the background through, for soft edges), and the slot's colour in
/// three strengths on white. White over any of these is again, or nearly, one of these, so that
/// blending is a look-up and a picture stays indexed.
struct MarkPalette: Sendable {
    /// Nothing.
    static let clear: UInt8 = 0
    /// White, one third, two thirds and all of it.
    static let whites: [UInt8] = [1, 2, 3]
    /// The slot's colour, one third, two thirds and all of it, on white.
    static let fills: [UInt8] = [4, 5, 6]

    /// The colours by index: a code of a slot's colour is that of slot 0 and three for each slot.
    let palette: Palette
    /// The index that shows when one of the two translucent whites (in the order of their codes)
    /// lies over each index.
    let overlays: [[UInt8]]

    /// Makes the palette of a table of slots.
    init(_ style: KindStyle) {
        let palette = Palette(
            [Color(0xff_ffff, alpha: 85), Color(0xff_ffff, alpha: 170), .white]
                + style.rgb.flatMap { rgb in
                    (1...3).map { Color(rgb).mixed(thirds: UInt16($0)) }
                })
        self.palette = palette
        overlays = [1.0 / 3, 2.0 / 3].map { strength in
            palette.colors.map { palette.index(nearest: $0.whitened(strength)) }
        }
    }
}

extension Color {
    /// The colour in some thirds on white.
    fileprivate func mixed(thirds: UInt16) -> Color {
        func channel(_ value: UInt8) -> UInt8 {
            UInt8((UInt16(value) * thirds + 255 * (3 - thirds) + 1) / 3)
        }
        return Color(red: channel(red), green: channel(green), blue: channel(blue))
    }

    /// The colour under white of some strength. Source: Porter and Duff, "Compositing digital
    /// images", 1984.
    fileprivate func whitened(_ strength: Double) -> Color {
        let below = Double(alpha) / 255 * (1 - strength)
        let total = strength + below
        func channel(_ value: UInt8) -> UInt8 {
            UInt8(((255 * strength + Double(value) * below) / total).rounded())
        }
        return Color(
            red: channel(red), green: channel(green), blue: channel(blue),
            alpha: UInt8((total * 255).rounded()))
    }
}
