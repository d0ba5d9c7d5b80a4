extension DensityKernel {
    /// Zero rows before the first, which the eastern differences of the first row refer to.
    private var leadRows: Int { 2 * radiusPixels + 3 }

    /// The values of a ``DensityField``: along the rows, then down the columns.
    func blurred(_ grid: DensityGrid) -> [UInt64] {
        // Whole pairs of columns: what lies past the window is never read back.
        let pitch = (grid.window.width + 1) & ~1
        return blurredColumns(blurredRows(grid, pitch: pitch), pitch: pitch, of: grid)
    }

    /// The first pass: all rows of a grid, the window's columns, each sum shifted by ``rowShift``
    /// and capped; after ``leadRows`` rows of zeros.
    private func blurredRows(_ grid: DensityGrid, pitch: Int) -> [UInt32] {
        let far = leadRows
        var blurred = [UInt32](repeating: 0, count: (far + grid.rows) * pitch)
        // The differences of a row reach `far` cells past its end.
        var differences = [UInt64](repeating: 0, count: grid.columns + far + 1)
        let cells = grid.cells.span
        var out = blurred.mutableSpan
        var changes = differences.mutableSpan
        for row in 0..<grid.rows {
            let line = cells.extracting(row * grid.columns..<(row + 1) * grid.columns)
            if spread(line, into: &changes) {
                let start = (far + row) * pitch
                accumulate(&changes, into: &out, at: start..<start + grid.window.width)
            }
        }
        return blurred
    }

    /// Adds the fifth differences of what the cells of a row draw. Whether there was anything.
    private func spread(_ cells: Span<UInt32>, into changes: inout MutableSpan<UInt64>) -> Bool {
        let (end0, end1, end2, end3) = ends
        let (tap0, tap1) = (UInt64(end0), UInt64(end1))
        let (tap2, tap3) = (UInt64(end2), UInt64(end3))
        let far = leadRows
        let limit = UInt64(cap)
        var isEmpty = true
        precondition(changes.count > cells.count + far, "the differences do not fit")
        unsafe changes.withUnsafeMutableBufferPointer { changes in
            for column in cells.indices where cells[column] != 0 {
                let weight = min(UInt64(cells[column]), limit)
                isEmpty = false
                // Sums and products wrap: they are exact modulo 2^64, and the cap keeps the last
                // sum below it. All places are in range: the precondition has the furthest.
                let near = unsafe changes.baseAddress.unsafelyUnwrapped + column
                unsafe near[0] &+= tap0 &* weight
                unsafe near[1] &-= tap1 &* weight
                unsafe near[2] &-= tap2 &* weight
                unsafe near[3] &+= tap3 &* weight
                let end = unsafe near + far
                unsafe end[-3] &-= tap3 &* weight
                unsafe end[-2] &+= tap2 &* weight
                unsafe end[-1] &+= tap1 &* weight
                unsafe end[0] &-= tap0 &* weight
            }
        }
        return !isEmpty
    }

    /// Sums the differences of a row five times over, and clears them.
    private func accumulate(
        _ changes: inout MutableSpan<UInt64>, into target: inout MutableSpan<UInt32>,
        at places: Range<Int>
    ) {
        let skipped = 2 * marginPixels
        let (half, shift, limit) = (rowRounding, rowShift, UInt64(cap))
        var (sum1, sum2, sum3): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var (sum4, sum5): (UInt64, UInt64) = (0, 0)
        for column in 0..<skipped {
            sum1 &+= changes[column]
            sum2 &+= sum1
            sum3 &+= sum2
            sum4 &+= sum3
            sum5 &+= sum4
        }
        for place in places {
            sum1 &+= changes[skipped &+ place &- places.lowerBound]
            sum2 &+= sum1
            sum3 &+= sum2
            sum4 &+= sum3
            sum5 &+= sum4
            target[place] = UInt32(
                truncatingIfNeeded: min((sum5 &+ half) &>> shift, limit))
        }
        for column in changes.indices { changes[column] = 0 }
    }

    /// The second pass, down the columns of what the first one gave: the window's pixels.
    ///
    /// Two columns at a time, whose running sums stay in registers.
    private func blurredColumns(
        _ rows: [UInt32], pitch: Int, of grid: DensityGrid
    ) -> [UInt64] {
        let (width, height) = (grid.window.width, grid.window.height)
        return unsafe [UInt64](unsafeUninitializedCapacity: width * height) { out, count in
            unsafe rows.withUnsafeBytes { source in
                for column in stride(from: 0, to: width, by: 2) {
                    unsafe blurColumns(
                        column, of: source, pitch: pitch, rowCount: grid.rows, width: width,
                        into: out)
                }
            }
            count = width * height
        }
    }

    /// Two columns from `first`; one is written at the window's eastern edge.
    ///
    /// The differences are filters of four rows in transposed form: each row is read twice, and
    /// what it will add later waits in a sum. Source: A. V. Oppenheim, R. W. Schafer,
    /// "Discrete-Time Signal Processing", §6.5.
    private func blurColumns(
        _ first: Int, of rows: UnsafeRawBufferPointer, pitch: Int, rowCount: Int, width: Int,
        into out: UnsafeMutableBufferPointer<UInt64>
    ) {
        typealias Pair = SIMD2<UInt64>
        let (end0, end1, end2, end3) = ends
        let (tap0, tap1) = (Pair(repeating: UInt64(end0)), Pair(repeating: UInt64(end1)))
        let (tap2, tap3) = (Pair(repeating: UInt64(end2)), Pair(repeating: UInt64(end3)))
        let skipped = 2 * marginPixels
        let isPair = first + 1 < width
        var (near1, near2, near3) = (Pair(), Pair(), Pair())
        var (far1, far2, far3) = (Pair(), Pair(), Pair())
        var (sum1, sum2, sum3, sum4, sum5) = (Pair(), Pair(), Pair(), Pair(), Pair())
        // In range: rows 0 ..< leadRows + rowCount exist, each with two values from `first` on.
        let lead = leadRows * pitch * 4
        var offset = first * 4
        for row in 0..<rowCount {
            let near = Pair(
                truncatingIfNeeded: unsafe rows.loadUnaligned(
                    fromByteOffset: offset &+ lead, as: SIMD2<UInt32>.self))
            let far = Pair(
                truncatingIfNeeded: unsafe rows.loadUnaligned(
                    fromByteOffset: offset &+ 12 &* pitch, as: SIMD2<UInt32>.self))
            sum1 &+= tap0 &* near &+ near1
            near1 = near2 &- tap1 &* near
            near2 = near3 &- tap2 &* near
            near3 = tap3 &* near
            sum1 &-= tap3 &* far &- far1
            far1 = far2 &+ tap2 &* far
            far2 = far3 &+ tap1 &* far
            far3 = Pair() &- tap0 &* far
            sum2 &+= sum1
            sum3 &+= sum2
            sum4 &+= sum3
            sum5 &+= sum4
            offset &+= 4 &* pitch
            if row >= skipped {
                let target = (row &- skipped) &* width &+ first
                unsafe out[target] = sum5.x
                if isPair { unsafe out[target &+ 1] = sum5.y }
            }
        }
    }
}
