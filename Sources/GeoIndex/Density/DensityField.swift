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
