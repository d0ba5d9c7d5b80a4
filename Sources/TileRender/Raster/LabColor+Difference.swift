import Glibc

extension LabColor {
    /// How different two colours look: CIEDE2000 with all weights 1. About 1 is just noticeable.
    ///
    /// Source: ISO/CIE 11664-6; the names and the order of the steps are those of G. Sharma,
    /// W. Wu, E. Dalal, "The CIEDE2000 color-difference formula", 2005.
    func difference(from other: LabColor) -> Double {
        let chroma = (hypot(a, b) + hypot(other.a, other.b)) / 2
        let stretch = 1.5 - 0.5 * LabColor.saturation(ofChroma: chroma)
        let (first, second) = (stretch * a, stretch * other.a)
        let (firstChroma, secondChroma) = (hypot(first, b), hypot(second, other.b))
        let product = firstChroma * secondChroma
        let (firstHue, secondHue) = (atan2(b, first), atan2(other.b, second))
        // Between -π and π: the shorter way round.
        let turn = product == 0 ? 0 : remainder(secondHue - firstHue, 2 * .pi)
        let deltaHue = 2 * product.squareRoot() * sin(turn / 2)
        let meanHue = product == 0 ? firstHue + secondHue : firstHue + turn / 2
        let meanLightness = (lightness + other.lightness) / 2
        let meanChroma = (firstChroma + secondChroma) / 2

        let offset = (meanLightness - 50) * (meanLightness - 50)
        let lightnessScale = 1 + 0.015 * offset / (20 + offset).squareRoot()
        let chromaScale = 1 + 0.045 * meanChroma
        let hueScale = 1 + 0.015 * meanChroma * LabColor.hueWeight(meanHue)
        let partLightness = (other.lightness - lightness) / lightnessScale
        let partChroma = (secondChroma - firstChroma) / chromaScale
        let partHue = deltaHue / hueScale
        // In the blues hue and chroma turn into one another.
        let degreesFromBlue = remainder(meanHue * 180 / .pi - 275, 360) / 25
        let rotation = exp(-degreesFromBlue * degreesFromBlue) * .pi / 3
        let mixed = -2 * LabColor.saturation(ofChroma: meanChroma) * sin(rotation)
        let square =
            partLightness * partLightness + partChroma * partChroma + partHue * partHue
            + mixed * partChroma * partHue
        return max(0, square).squareRoot()
    }

    /// Colours evenly apart by ``difference(from:)`` on the straight lines between corners, both
    /// ends included.
    ///
    /// - Precondition: there are at least 2 of each.
    /// - Complexity: O(corners · 500).
    static func evenly(_ count: Int, along corners: [LabColor]) -> [LabColor] {
        precondition(count >= 2 && corners.count >= 2, "a way needs two ends")
        // Fine enough that a step's middle is off by less than rounding to 8 bits moves a colour.
        let pieces = 500
        var way: [(color: LabColor, length: Double)] = [(corners[0], 0)]
        for (from, to) in zip(corners, corners.dropFirst()) {
            for piece in 1...pieces {
                let color = from.mixed(with: to, share: Double(piece) / Double(pieces))
                let last = way[way.count - 1]
                way.append((color, last.length + color.difference(from: last.color)))
            }
        }
        let whole = way[way.count - 1].length
        var next = 0
        return (0..<count).map { step in
            let wanted = whole * Double(step) / Double(count - 1)
            while next < way.count - 1 && way[next].length < wanted { next += 1 }
            return way[next].color
        }
    }

    private func mixed(with other: LabColor, share: Double) -> LabColor {
        LabColor(
            lightness: lightness + (other.lightness - lightness) * share,
            a: a + (other.a - a) * share, b: b + (other.b - b) * share)
    }

    /// 0 for greys, 1 for vivid colours.
    private static func saturation(ofChroma chroma: Double) -> Double {
        let power = pow(chroma, 7)
        return (power / (power + pow(25, 7))).squareRoot()
    }

    /// How strongly differences of hue show at a hue, in radians.
    private static func hueWeight(_ hue: Double) -> Double {
        func wave(_ factor: Double, _ degrees: Double) -> Double {
            cos(factor * hue + degrees * .pi / 180)
        }
        return 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.20 * wave(4, -63)
    }
}
