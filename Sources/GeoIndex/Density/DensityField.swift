/// The blurred density of a window, one value a pixel, in units of ``unit``.
public struct DensityField: Sendable {
    /// The pixels.
    public let window: PixelWindow
    /// The value of density 1: the peak of a lone object that weighs 1.
    public let unit: UInt64
    /// The densities, row by row, in units of ``unit``.
    public let values: [UInt64]

    /// Blurs a grid. The value of a pixel depends on the objects nearer than the radius only.
    ///
    /// - Precondition: the grid's margin is the kernel's.
    /// - Complexity: O(pixels), whatever the radius.
    public init(_ grid: DensityGrid, kernel: DensityKernel) {
        precondition(
            grid.marginPixels == kernel.marginPixels,
            "the margin is \(grid.marginPixels) pixels, the kernel's \(kernel.marginPixels)")
        window = grid.window
        unit = kernel.densityUnit
        values = kernel.blurredColumns(kernel.blurredRows(grid), of: grid)
    }

    /// The density at a pixel of the window, in objects of weight 1 on that very pixel.
    public func density(column: Int, row: Int) -> Double {
        Double(values[row * window.width + column]) / Double(unit)
    }

    /// The density that 99 % of the pixels with any do not exceed, rounded to the nearest power
    /// of two on the logarithmic scale and at least 1; `nil` when the window is empty.
    ///
    /// - Complexity: O(n log n).
    public func suggestedDomain() -> Double? {
        let dense = values.filter { $0 > 0 }.sorted()
        guard !dense.isEmpty else { return nil }
        let high = dense[(dense.count - 1) * 99 / 100]
        let density = Double(high) / Double(unit)
        // 2^½ halves an octave.
        let octave = density.exponent + (density.significand > 2.0.squareRoot() ? 1 : 0)
        return Double(sign: .plus, exponent: max(0, octave), significand: 1)
    }
}

extension DensityKernel {
    /// Zero rows before the first, which the eastern differences of the first row refer to.
    var leadRows: Int { 2 * radiusPixels + 3 }

    /// The first pass, along the rows of a grid: all its rows, the window's columns, each sum
    /// shifted by ``rowShift`` and capped; after ``leadRows`` rows of zeros.
    func blurredRows(_ grid: DensityGrid) -> [UInt32] {
        let width = grid.window.width
        let columns = grid.columns
        let skipped = 2 * marginPixels
        let (end0, end1, end2, end3) = ends
        let tap0 = UInt64(end0)
        let tap1 = UInt64(end1)
        let tap2 = UInt64(end2)
        let tap3 = UInt64(end3)
        let half = rowRounding
        let far = leadRows
        let limit = UInt64(cap)
        var blurred = [UInt32](repeating: 0, count: (leadRows + grid.rows) * width)
        var differences = [UInt64](repeating: 0, count: columns + far + 1)
        var out = blurred.mutableSpan
        var change = differences.mutableSpan
        let cells = grid.cells.span
        // All sums wrap: they are exact modulo 2^64, and the cap keeps the last one below it.
        for row in 0..<grid.rows {
            let base = row &* columns
            var isEmpty = true
            for column in 0..<columns {
                let weight = min(UInt64(cells[base &+ column]), limit)
                if weight == 0 { continue }
                isEmpty = false
                change[column] &+= tap0 &* weight
                change[column &+ 1] &-= tap1 &* weight
                change[column &+ 2] &-= tap2 &* weight
                change[column &+ 3] &+= tap3 &* weight
                change[column &+ far &- 3] &-= tap3 &* weight
                change[column &+ far &- 2] &+= tap2 &* weight
                change[column &+ far &- 1] &+= tap1 &* weight
                change[column &+ far] &-= tap0 &* weight
            }
            if isEmpty { continue }
            var (sum1, sum2, sum3, sum4, sum5): (UInt64, UInt64, UInt64, UInt64, UInt64)
            (sum1, sum2, sum3, sum4, sum5) = (0, 0, 0, 0, 0)
            let target = (row &+ leadRows) &* width &- skipped
            for column in 0..<columns {
                sum1 &+= change[column]
                change[column] = 0
                sum2 &+= sum1
                sum3 &+= sum2
                sum4 &+= sum3
                sum5 &+= sum4
                if column >= skipped {
                    let sum = min((sum5 &+ half) >> rowShift, limit)
                    out[target &+ column] = UInt32(truncatingIfNeeded: sum)
                }
            }
            for column in columns...(columns + far) { change[column] = 0 }
        }
        return blurred
    }

    /// The second pass, down the columns of what the first one gave: the window's pixels.
    func blurredColumns(_ blurred: [UInt32], of grid: DensityGrid) -> [UInt64] {
        let width = grid.window.width
        let skipped = 2 * marginPixels
        let (tap0, tap1, tap2, tap3) = ends
        let far = leadRows
        let rows = blurred.span
        // The five running sums of each column, side by side.
        var sums = [UInt64](repeating: 0, count: 5 * width)
        var state = sums.mutableSpan
        return [UInt64](capacity: width * grid.window.height) { out in
            for row in far..<(far &+ grid.rows) {
                let isShown = row &- far >= skipped
                let near0 = rows.extracting(row &* width..<(row &+ 1) &* width)
                let near1 = rows.extracting((row &- 1) &* width..<row &* width)
                let near2 = rows.extracting((row &- 2) &* width..<(row &- 1) &* width)
                let near3 = rows.extracting((row &- 3) &* width..<(row &- 2) &* width)
                let end = row &- far
                let far0 = rows.extracting(end &* width..<(end &+ 1) &* width)
                let far1 = rows.extracting((end &+ 1) &* width..<(end &+ 2) &* width)
                let far2 = rows.extracting((end &+ 2) &* width..<(end &+ 3) &* width)
                let far3 = rows.extracting((end &+ 3) &* width..<(end &+ 4) &* width)
                for column in 0..<width {
                    var sum = UInt64(tap0) &* UInt64(near0[column])
                    sum &-= UInt64(tap0) &* UInt64(far0[column])
                    sum &-= UInt64(tap1) &* UInt64(near1[column])
                    sum &+= UInt64(tap1) &* UInt64(far1[column])
                    sum &-= UInt64(tap2) &* UInt64(near2[column])
                    sum &+= UInt64(tap2) &* UInt64(far2[column])
                    sum &+= UInt64(tap3) &* UInt64(near3[column])
                    sum &-= UInt64(tap3) &* UInt64(far3[column])
                    let place = 5 &* column
                    sum &+= state[place]
                    state[place] = sum
                    sum &+= state[place &+ 1]
                    state[place &+ 1] = sum
                    sum &+= state[place &+ 2]
                    state[place &+ 2] = sum
                    sum &+= state[place &+ 3]
                    state[place &+ 3] = sum
                    sum &+= state[place &+ 4]
                    state[place &+ 4] = sum
                    if isShown { out.append(sum) }
                }
            }
        }
    }
}
