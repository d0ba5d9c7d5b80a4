/// Where ``PointLayer`` draws: a grid with room around it for dots on its edge, so that no dot
/// needs clipping.
struct DotCanvas {
    private let dot: Sprite
    private let columns: Int
    private let rows: Int
    private let pitch: Int
    private let lines: Int
    private var pixels: [UInt8]

    /// Makes a clear canvas for a grid of some size.
    init(columns: Int, rows: Int, dot: Sprite) {
        self.dot = dot
        self.columns = columns
        self.rows = rows
        pitch = columns + dot.width - 1
        lines = rows + dot.height - 1
        pixels = [UInt8](repeating: MarkPalette.clear, count: pitch * lines)
    }

    /// Draws a dot on each occupied cell, row by row. Dots are opaque, their edges included.
    mutating func draw(_ cells: [UInt8]) {
        let cell = cells.span
        let (dot, columns, rows, pitch) = (dot, columns, rows, pitch)
        let codes = dot.codes.span
        let (width, height) = (dot.width, dot.height)
        var target = pixels.mutableSpan
        for row in 0..<rows {
            for column in 0..<columns {
                let slot = cell[row &* columns &+ column]
                if slot == 0 { continue }
                let shift = 3 &* (slot &- 1)
                for line in 0..<height {
                    let start = (row &+ line) &* pitch &+ column
                    for offset in 0..<width where codes[line &* width &+ offset] != 0 {
                        target[start &+ offset] = codes[line &* width &+ offset] &+ shift
                    }
                }
            }
        }
    }

    /// Surrounds what was drawn with white and a soft edge of one pixel more.
    mutating func addRing(widthPixels: Int) {
        grow(from: MarkPalette.fills[0], diagonally: true, with: MarkPalette.whites[2])
        for _ in 1..<widthPixels {
            grow(from: MarkPalette.whites[2], diagonally: false, with: MarkPalette.whites[2])
        }
        grow(from: MarkPalette.whites[2], diagonally: false, with: MarkPalette.whites[0])
    }

    /// The window's part of the canvas.
    func cropped(marginPixels: Int, width: Int, height: Int) -> [UInt8] {
        let source = pixels.span
        return [UInt8](capacity: width * height) { out in
            for row in 0..<height {
                let start = (row + marginPixels + dot.anchorY) * pitch + marginPixels + dot.anchorX
                for column in 0..<width { out.append(source[start &+ column]) }
            }
        }
    }

    /// Gives each clear pixel beside one of at least `least` the index `ring`.
    private mutating func grow(from least: UInt8, diagonally: Bool, with ring: UInt8) {
        let (pitch, lines) = (pitch, lines)
        let before = pixels
        let source = before.span
        var target = pixels.mutableSpan
        for line in 1..<lines - 1 {
            let above = source.extracting((line - 1) * pitch..<line * pitch)
            let here = source.extracting(line * pitch..<(line + 1) * pitch)
            let below = source.extracting((line + 1) * pitch..<(line + 2) * pitch)
            for column in 1..<pitch - 1 {
                var most = max(above[column], below[column])
                most = max(most, max(here[column &- 1], here[column &+ 1]))
                if diagonally {
                    most = max(most, max(above[column &- 1], above[column &+ 1]))
                    most = max(most, max(below[column &- 1], below[column &+ 1]))
                }
                let pixel = here[column]
                target[line &* pitch &+ column] = pixel == 0 && most >= least ? ring : pixel
            }
        }
    }
}
