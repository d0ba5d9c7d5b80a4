import Glibc

/// CIE lightness by the book, for checking colour ramps.
enum LightnessTwin {
    /// L* of an sRGB colour under D65, 0 to 100.
    static func lightness(red: UInt8, green: UInt8, blue: UInt8) -> Double {
        let y = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y
    }

    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}
