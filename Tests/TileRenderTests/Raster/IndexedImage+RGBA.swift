import TileRender

extension IndexedImage {
    /// `0xRRGGBBAA`, row by row, as the tests' PNG reader gives them: all clear pixels are 0.
    var rgba: [UInt32] {
        pixels.map { index in
            let color = palette.colors[Int(index)]
            return color.alpha == 0 ? 0 : color.argb << 8 | UInt32(color.alpha)
        }
    }

    /// A part of the picture.
    func part(column: Int, row: Int, width: Int, height: Int) -> [UInt32] {
        let all = rgba
        return (row..<row + height).flatMap { line in
            all[line * self.width + column..<line * self.width + column + width]
        }
    }
}
