import Glibc
public import GeoIndex

/// One step of the colour scale: what a legend shows.
public struct HeatStop: Hashable, Sendable {
    /// The least density of the step, in objects of weight 1 on one pixel.
    public let density: Double
    /// The colour as style sheets write it, `#rrggbbaa`.
    public let hexColor: String
}

/// Draws a blurred density through a colour ramp.
///
/// Step i of 15 begins at `domain · ((i + ½) / 15)^exponent`: with the exponent of 2 equal steps
/// are equal differences of the root of the density, so that the outskirts of a city show
/// beside its middle; everything from about the domain on has the last colour.
public struct HeatLayer: Sendable {
    /// The radius of the kernel at scale 1 unless a layer says otherwise, in pixels.
    public static let defaultRadiusPixels = HeatOptions.defaultRadiusPixels
    /// The radii that a layer may ask for, in pixels at scale 1.
    public static let radiiPixels = HeatOptions.radiiPixels
    /// What the top of a scale can be, in objects of weight 1 on one pixel.
    public static let domains = 0x1p-20...0x1p40
    /// The exponent of the scale.
    public static let exponent = 2.0

    /// The density at the top of the scale, in objects of weight 1 on one pixel.
    public let domain: Double
    /// The colours.
    public let ramp: ColorRamp
    /// The radius in pixels at scale 1.
    public let radiusPixels: Int

    /// Creates a layer's look.
    ///
    /// - Precondition: the radius is in ``radiiPixels``, the domain is in ``domains``.
    public init(
        domain: Double, ramp: ColorRamp = .standard,
        radiusPixels: Int = HeatLayer.defaultRadiusPixels
    ) {
        precondition(HeatLayer.domains.contains(domain), "the domain cannot be \(domain)")
        precondition(
            HeatLayer.radiiPixels.contains(radiusPixels), "no kernel has radius \(radiusPixels)")
        self.domain = domain
        self.ramp = ramp
        self.radiusPixels = radiusPixels
    }

    /// The kernel for pictures at a scale.
    public func kernel(scale: Int) -> DensityKernel {
        DensityKernel(radiusPixels: radiusPixels * scale)
    }

    /// An empty grid for a window, with the margin that the kernel needs.
    public func grid(for window: PixelWindow) -> DensityGrid {
        DensityGrid(window: window, marginPixels: kernel(scale: window.scale).marginPixels)
    }

    /// The steps of the scale, thin to dense.
    public var stops: [HeatStop] {
        (0..<ColorRamp.stepCount).map { step in
            let color = ramp.palette.colors[step + 1]
            return HeatStop(density: least(ofStep: step), hexColor: color.hexWithAlpha)
        }
    }

    /// The picture of a grid's window.
    ///
    /// - Precondition: the grid has the kernel's margin.
    /// - Complexity: O(pixels), whatever the radius.
    public func draw(_ grid: DensityGrid) -> IndexedImage {
        draw(DensityField(grid, kernel: kernel(scale: grid.window.scale)))
    }

    /// The picture of a blurred density.
    public func draw(_ field: DensityField) -> IndexedImage {
        let table = StepTable(thresholds: thresholds(unit: field.unit))
        return IndexedImage(
            width: field.window.width, height: field.window.height, palette: ramp.palette,
            pixels: table.steps(of: field.values))
    }

    /// The least density of a step.
    private func least(ofStep step: Int) -> Double {
        domain * pow((Double(step) + 0.5) / Double(ColorRamp.stepCount), HeatLayer.exponent)
    }

    /// The least values of the steps in a field's unit; at least 1, so that nothing stays clear.
    private func thresholds(unit: UInt64) -> [UInt64] {
        (0..<ColorRamp.stepCount).map { step in
            let value = (least(ofStep: step) * Double(unit)).rounded()
            return value < 0x1p64 ? max(1, UInt64(value)) : .max
        }
    }
}

extension Color {
    /// The colour as style sheets write it: `#rrggbbaa`.
    fileprivate var hexWithAlpha: String {
        hex + (alpha < 16 ? "0" : "") + String(alpha, radix: 16)
    }
}
