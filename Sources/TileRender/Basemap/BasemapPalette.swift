/// The colours of the world map's pictures: those of the style and the mixtures that soft edges
/// make of them. Which of them stands for a mixture depends on the mixture alone, so neighbouring
/// pictures agree.
struct BasemapPalette: Sendable {
    /// The colours as PNG has them.
    let palette: Palette
    /// The same as `0xRRGGBB`; the first, which is clear, is never the nearest.
    private let colors: [UInt32]

    init(style: BasemapStyle) {
        var colors: [Color] = []
        func ramp(_ first: Color, _ last: Color, steps: Int) {
            for step in 0...steps {
                let color = BasemapPalette.mix(first, last, step, of: steps)
                if !colors.contains(color) { colors.append(color) }
            }
        }
        let halo = BasemapPalette.over(style.halo, style.land)
        let wetHalo = BasemapPalette.over(style.halo, style.sea)
        ramp(style.sea, style.land, steps: 12)
        ramp(style.coast.color, style.land, steps: 8)
        ramp(style.coast.color, style.sea, steps: 6)
        ramp(style.lake, style.land, steps: 8)
        ramp(style.lakeshore.color, style.land, steps: 6)
        ramp(style.lakeshore.color, style.lake, steps: 4)
        ramp(style.border.color, style.land, steps: 10)
        ramp(style.border.color, style.lake, steps: 5)
        ramp(style.province.color, style.land, steps: 6)
        ramp(style.province.color, style.lake, steps: 3)
        ramp(halo, style.land, steps: 2)
        ramp(wetHalo, style.sea, steps: 6)
        ramp(style.dot, style.dotFilling, steps: 8)
        for text in [style.city, style.capital, style.country, style.water] {
            ramp(text.color, halo, steps: 14)
        }
        ramp(style.water.color, wetHalo, steps: 8)
        palette = Palette(colors)
        self.colors = palette.colors.map { $0.argb & 0xff_ffff }
    }

    /// The indices of opaque pixels.
    ///
    /// - Complexity: O(pixels + distinct colours · palette).
    func indices(of pixels: [UInt32]) -> [UInt8] {
        // A direct-mapped memory of answers; an entry that is overwritten is found again.
        var memory = [(color: UInt32, index: UInt8)](repeating: (0, 0), count: 1 << 12)
        let span = pixels.span
        var last: UInt32 = 0
        var lastIndex: UInt8 = 0
        return [UInt8](capacity: pixels.count) { out in
            for position in span.indices {
                let pixel = span[position]
                if pixel != last {
                    last = pixel
                    let slot = Int((pixel &* 0x9e37_79b1) >> 20)
                    if memory[slot].color == pixel {
                        lastIndex = memory[slot].index
                    } else {
                        lastIndex = nearest(pixel)
                        memory[slot] = (pixel, lastIndex)
                    }
                }
                out.append(lastIndex)
            }
        }
    }

    /// The index of the nearest colour by the squares of the channels; the lowest of equals.
    private func nearest(_ pixel: UInt32) -> UInt8 {
        let span = colors.span
        var best = Int32.max
        var found = 1
        for index in 1..<span.count {
            let color = span[index]
            let red = Int32(pixel >> 16 & 255) &- Int32(color >> 16 & 255)
            let green = Int32(pixel >> 8 & 255) &- Int32(color >> 8 & 255)
            let blue = Int32(pixel & 255) &- Int32(color & 255)
            // At most 3 · 255².
            let distance = red &* red &+ green &* green &+ blue &* blue
            if distance < best {
                best = distance
                found = index
            }
        }
        // A palette has at most 256 colours.
        return UInt8(truncatingIfNeeded: found)
    }

    private static func mix(_ first: Color, _ last: Color, _ step: Int, of steps: Int) -> Color {
        func channel(_ first: UInt8, _ last: UInt8) -> UInt8 {
            UInt8((Int(first) * (steps - step) + Int(last) * step + steps / 2) / steps)
        }
        return Color(
            red: channel(first.red, last.red), green: channel(first.green, last.green),
            blue: channel(first.blue, last.blue))
    }

    private static func over(_ color: Color, _ below: Color) -> Color {
        mix(below, Color(color.argb & 0xff_ffff), Int(color.alpha), of: 255)
    }
}
