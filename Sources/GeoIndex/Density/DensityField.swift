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
        values = kernel.blurred(grid)
    }

    /// The density at a pixel of the window, in objects of weight 1 on that very pixel.
    public func density(column: Int, row: Int) -> Double {
        Double(values[row * window.width + column]) / Double(unit)
    }

    /// The density that 99 % of the pixels with any do not exceed, rounded to the nearest power
    /// of two on the logarithmic scale and at least 1; `nil` when the window is empty.
    ///
    /// - Complexity: O(pixels).
    public func suggestedDomain() -> Double? {
        // Octaves grow with values, so the octave of the value at a rank is found by counting:
        // to sort all values took most of the time of an import's last step.
        var counts = [Int](repeating: 0, count: 65)
        for value in values where value > 0 { counts[octave(of: value)] += 1 }
        let dense = counts.reduce(0, +)
        guard dense > 0 else { return nil }
        var rank = (dense - 1) * 99 / 100
        for (octave, count) in counts.enumerated() {
            if rank < count { return Double(sign: .plus, exponent: octave, significand: 1) }
            rank -= count
        }
        return nil
    }

    /// The nearest power of two on the logarithmic scale, at least 2^0; 2^64 at most, since a
    /// value has 64 bits.
    private func octave(of value: UInt64) -> Int {
        let density = Double(value) / Double(unit)
        // 2^½ halves an octave.
        let octave = density.exponent + (density.significand > 2.0.squareRoot() ? 1 : 0)
        return min(64, max(0, Int(octave)))
    }
}
