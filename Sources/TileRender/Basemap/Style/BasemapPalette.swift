internal import GeoIndex

/// The colours of the map's pictures at one zoom: those of the style and the mixtures that soft
/// edges make of them. Which of them stands for a mixture depends on the mixture alone, so
/// neighbouring pictures agree.
struct BasemapPalette: Sendable {
    /// The colours as PNG has them.
    let palette: Palette
    /// The same as `0xRRGGBB`; the first, which is clear, is never the nearest.
    private let colors: [UInt32]

    /// A palette has 255 colours beside the clear one.
    private static let limit = 255

    /// Chooses colours: mixtures lie as near to each other as all pairs have room for.
    ///
    /// - Complexity: O(pairs · colours) with a small factor; a millisecond.
    init(style: BasemapStyle, zoom: UInt8) {
        let mixtures = BasemapMixtures(style: style, zoom: zoom)
        // The least distance between neighbours that needs no more than a palette has.
        var step = 4.0
        var colors = mixtures.colors(step: step)
        while colors.count > BasemapPalette.limit {
            step *= 1.1
            colors = mixtures.colors(step: step)
        }
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
}
