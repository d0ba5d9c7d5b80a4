/// A picture whose pixels are indices into a palette.
public struct IndexedImage: Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The colours; the first is always clear.
    package let palette: Palette
    /// The indices, row by row from the north.
    package var pixels: [UInt8]

    /// Makes a clear picture.
    package init(width: Int, height: Int, palette: Palette) {
        self.width = width
        self.height = height
        self.palette = palette
        pixels = [UInt8](repeating: 0, count: width * height)
    }

    /// Takes finished pixels.
    ///
    /// - Precondition: there are `width` · `height` pixels, all of them in the palette.
    package init(width: Int, height: Int, palette: Palette, pixels: [UInt8]) {
        precondition(pixels.count == width * height, "\(pixels.count) pixels are not the picture")
        self.width = width
        self.height = height
        self.palette = palette
        self.pixels = pixels
    }
}

/// Up to 256 colours, the first of them clear.
package struct Palette: Hashable, Sendable {
    /// The colours by index.
    package let colors: [Color]

    /// Makes a palette of a clear colour and these.
    ///
    /// - Precondition: there are at most 255.
    package init(_ colors: [Color]) {
        precondition(colors.count < 256, "\(colors.count) colours do not fit a palette")
        self.colors = [.clear] + colors
    }

    /// The index of the colour nearest to `color`, by the squares of premultiplied channels and
    /// of alpha; the lowest of equals. O(n).
    package func index(nearest color: Color) -> UInt8 {
        var best = (index: 0, distance: Int.max)
        for (index, candidate) in colors.enumerated() {
            let distance = Palette.distance(color, candidate)
            if distance < best.distance { best = (index, distance) }
        }
        return UInt8(best.index)
    }

    private static func distance(_ left: Color, _ right: Color) -> Int {
        func square(_ channel: KeyPath<Color, UInt8>) -> Int {
            let first = Int(left[keyPath: channel]) * Int(left.alpha)
            let second = Int(right[keyPath: channel]) * Int(right.alpha)
            return (first - second) * (first - second)
        }
        let alpha = (Int(left.alpha) - Int(right.alpha)) * 255
        return square(\.red) + square(\.green) + square(\.blue) + 3 * alpha * alpha
    }
}
