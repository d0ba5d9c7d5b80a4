/// Where ``PointLayer`` draws: a grid with room around it for dots on its edge, so that no dot
/// needs clipping.
///
/// Sixteen pixels at a time, as ``PixelLanes``: a dot's rows are padded to whole vectors, and so
/// is the canvas. That is several times as fast as pixel by pixel, and why this file has `unsafe`
/// loads; all offsets stay within the canvas, because a dot's place stays within the grid.
struct DotCanvas {
    private let dots: DotStamps
    private let columns: Int
    private let rows: Int
    private let pitch: Int
    private let lines: Int
    private var pixels: [UInt8]

    /// Makes a clear canvas for a grid of some size.
    init(columns: Int, rows: Int, dots: DotStamps) {
        self.dots = dots
        self.columns = columns
        self.rows = rows
        pitch = columns + dots.width - 1
        lines = rows + dots.height - 1
        // The last dot's last vector begins within the last line.
        pixels = [UInt8](repeating: MarkPalette.clear, count: pitch * lines + 48)
    }

    /// Draws a dot on each occupied cell, row by row.
    ///
    /// Dots are opaque, but for the thinnest third of their edge: that is drawn on clear pixels
    /// only, else nothing but edges would show where every pixel has a dot.
    ///
    /// - Precondition: the cells are the grid's, their slots those that there are dots for.
    mutating func draw(_ cells: [UInt8]) {
        precondition(cells.count == columns * rows, "\(cells.count) cells are not the grid")
        let (height, columns, rows, pitch) = (dots.height, columns, rows, pitch)
        let (vectors, stride, codes) = (dots.vectors, dots.partsPerSlot, dots.codesPerSlot)
        let parts = dots.parts
        let stamp = parts.span
        let cell = cells.span
        unsafe pixels.withUnsafeMutableBytes { target in
            for row in 0..<rows {
                for column in 0..<columns {
                    let slot = cell[row &* columns &+ column]
                    if slot == 0 { continue }
                    let shift = PixelLanes.all(codes &* (slot &- 1))
                    let first = stride &* (Int(slot) &- 1)
                    for line in 0..<height {
                        let start = (row &+ line) &* pitch &+ column
                        for vector in 0..<vectors {
                            let part = stamp[first &+ line &* vectors &+ vector]
                            let place = start &+ 16 &* vector
                            let below = unsafe target.loadUnaligned(
                                fromByteOffset: place, as: SIMD2<UInt64>.self)
                            let cover = part.firm | part.soft & PixelLanes.isZero(below)
                            let drawn = below & ~cover | (part.codes &+ shift) & cover
                            unsafe target.storeBytes(
                                of: drawn, toByteOffset: place, as: SIMD2<UInt64>.self)
                        }
                    }
                }
            }
        }
    }

    /// Surrounds what was drawn with white and a soft edge of one pixel more.
    mutating func addRing(widthPixels: Int) {
        let white = MarkPalette.whites[2]
        grow(from: MarkPalette.fills[0], diagonally: true, with: white)
        for _ in 1..<widthPixels { grow(from: white, diagonally: false, with: white) }
        grow(from: white, diagonally: false, with: MarkPalette.whites[0])
    }

    /// The window's part of the canvas.
    func cropped(marginPixels: Int, width: Int, height: Int) -> [UInt8] {
        var cropped: [UInt8] = []
        cropped.reserveCapacity(width * height)
        for row in 0..<height {
            let start = (row + marginPixels + dots.anchor) * pitch + marginPixels + dots.anchor
            cropped += pixels[start..<start + width]
        }
        return cropped
    }

    /// Gives each clear pixel beside one of at least `least` the index `ring`.
    private mutating func grow(from least: UInt8, diagonally: Bool, with ring: UInt8) {
        let before = pixels
        let (pitch, lines) = (pitch, lines)
        // Brings the bit 0x80 up in pixels of at least `least`; indices are below it.
        let lift = PixelLanes.all(0x80 - least)
        let ring = PixelLanes.all(ring)
        unsafe before.withUnsafeBytes { source in
            unsafe pixels.withUnsafeMutableBytes { target in
                func lifted(_ place: Int, _ distance: Int) -> SIMD2<UInt64> {
                    let west = unsafe source.loadUnaligned(
                        fromByteOffset: place &- distance, as: SIMD2<UInt64>.self)
                    let east = unsafe source.loadUnaligned(
                        fromByteOffset: place &+ distance, as: SIMD2<UInt64>.self)
                    return (west &+ lift) | (east &+ lift)
                }
                // Lines run into each other at the canvas's edge, which is far from the window.
                for place in stride(from: pitch + 1, to: pitch * (lines - 1) - 1, by: 16) {
                    let here = unsafe source.loadUnaligned(
                        fromByteOffset: place, as: SIMD2<UInt64>.self)
                    var near = lifted(place, 1) | lifted(place, pitch)
                    if diagonally {
                        near |= lifted(place, pitch &- 1) | lifted(place, pitch &+ 1)
                    }
                    let grown = PixelLanes.spreadingHighBit(near) & PixelLanes.isZero(here)
                    unsafe target.storeBytes(
                        of: here | ring & grown, toByteOffset: place, as: SIMD2<UInt64>.self)
                }
            }
        }
    }
}
