/// A colour with straight (not premultiplied) alpha, 8 bits a channel, in sRGB.
package struct Color: Hashable, Sendable {
    /// Red, 0 to 255.
    package let red: UInt8
    /// Green, 0 to 255.
    package let green: UInt8
    /// Blue, 0 to 255.
    package let blue: UInt8
    /// 0 is clear, 255 opaque.
    package let alpha: UInt8

    /// A colour from its channels.
    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// A colour as style sheets write it: `Color(0x1f77b4)`. Bits above the lowest 24 are ignored.
    package init(_ rgb: UInt32, alpha: UInt8 = 255) {
        self.init(
            red: UInt8(truncatingIfNeeded: rgb >> 16), green: UInt8(truncatingIfNeeded: rgb >> 8),
            blue: UInt8(truncatingIfNeeded: rgb), alpha: alpha)
    }

    /// Opaque black.
    package static let black = Color(0)
    /// Opaque white.
    package static let white = Color(0xff_ffff)
    /// Nothing at all.
    package static let clear = Color(0, alpha: 0)

    /// `0xAARRGGBB` with straight alpha.
    package var argb: UInt32 {
        UInt32(alpha) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }
}
