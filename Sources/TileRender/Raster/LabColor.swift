import Glibc

/// A colour in CIE L*a*b* under daylight (D65), where equal steps look about equally large.
///
/// Sources: CIE 015:2018; IEC 61966-2-1 for sRGB.
struct LabColor: Hashable {
    /// 0 is black, 100 white.
    let lightness: Double
    /// Green to red.
    let a: Double
    /// Blue to yellow.
    let b: Double

    /// White in XYZ, with a luminance of 1.
    private static let white = (x: 0.95047, y: 1.0, z: 1.08883)
    /// Where the cube root gives way to a straight line: (6/29)³.
    private static let bend = 216.0 / 24_389

    init(lightness: Double, a: Double, b: Double) {
        self.lightness = lightness
        self.a = a
        self.b = b
    }

    /// An sRGB colour; the alpha does not count.
    init(_ color: Color) {
        let red = LabColor.linear(color.red)
        let green = LabColor.linear(color.green)
        let blue = LabColor.linear(color.blue)
        let x = 0.4124564 * red + 0.3575761 * green + 0.1804375 * blue
        let y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
        let z = 0.0193339 * red + 0.1191920 * green + 0.9503041 * blue
        let fx = LabColor.compressed(x / LabColor.white.x)
        let fy = LabColor.compressed(y / LabColor.white.y)
        let fz = LabColor.compressed(z / LabColor.white.z)
        self.init(lightness: 116 * fy - 16, a: 500 * (fx - fy), b: 200 * (fy - fz))
    }

    /// The nearest sRGB colour.
    func color(alpha: UInt8) -> Color {
        let fy = (lightness + 16) / 116
        let x = LabColor.expanded(fy + a / 500) * LabColor.white.x
        let y = LabColor.expanded(fy) * LabColor.white.y
        let z = LabColor.expanded(fy - b / 200) * LabColor.white.z
        return Color(
            red: LabColor.encoded(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
            green: LabColor.encoded(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
            blue: LabColor.encoded(0.0556434 * x - 0.2040259 * y + 1.0572252 * z), alpha: alpha)
    }

    /// The relative luminance of an sRGB colour, 0 to 1, by WCAG 2; the alpha does not count.
    static func luminance(_ color: Color) -> Double {
        0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }

    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ value: Double) -> UInt8 {
        let bent = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
        return UInt8((min(max(bent, 0), 1) * 255).rounded())
    }

    private static func compressed(_ value: Double) -> Double {
        value > bend ? cbrt(value) : (value * 24_389 / 27 + 16) / 116
    }

    private static func expanded(_ value: Double) -> Double {
        let cube = value * value * value
        return cube > bend ? cube : (116 * value - 16) * 27 / 24_389
    }
}
