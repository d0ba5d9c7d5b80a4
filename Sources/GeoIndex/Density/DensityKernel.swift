/// The separable quartic (biweight) kernel of a radius, in whole numbers.
///
/// Along each axis an object of distance d < r counts `(r² - d²)²`; the plane's kernel is the
/// product of the two. Source: B. W. Silverman, "Density Estimation", 1986, §3.3, for the biweight.
///
/// On whole pixels that is a polynomial of degree 4 with double zeros at ±r, so its fifth
/// differences vanish but for four at each end. A pass therefore is eight multiplications and
/// five running sums a pixel, whatever the radius. The sums are exact modulo 2^64 and the caps
/// below keep every result under it, so a pixel's density depends on the objects around it only,
/// never on the window that was drawn: tiles have no seams.
public struct DensityKernel: Hashable, Sendable {
    /// The radii that the caps below were computed for, in pixels of the picture.
    public static let radii = 4...128

    /// The distance from which an object no longer counts, in pixels of the picture.
    public let radiusPixels: Int

    /// Creates the kernel of a radius.
    ///
    /// - Precondition: the radius is in ``radii``.
    public init(radiusPixels: Int) {
        precondition(
            DensityKernel.radii.contains(radiusPixels), "no kernel has radius \(radiusPixels)")
        self.radiusPixels = radiusPixels
    }

    /// How far outside a window an object still shows in it, in pixels.
    public var marginPixels: Int { radiusPixels - 1 }

    /// The weight along one axis at a distance in pixels: `(r² - d²)²` inside the radius, else 0.
    public func weight(atDistancePixels distance: Int) -> UInt64 {
        let square = radiusPixels * radiusPixels
        let rest = distance.magnitude < radiusPixels ? square - distance * distance : 0
        return UInt64(rest * rest)
    }

    /// What the first pass is shifted right by, rounding halves up: the power of two in r⁴, so
    /// that an object's own column keeps its weight to at least 1/256.
    public var rowShift: UInt64 {
        UInt64(63 - weight(atDistancePixels: 0).leadingZeroBitCount)
    }

    /// What is added before that shift, so that halves round up.
    var rowRounding: UInt64 { (1 << rowShift) >> 1 }

    /// The sum of the weights along one axis; (16r⁵ - r) / 15, below 2^36.
    var weightSum: UInt64 {
        let radius = UInt64(radiusPixels)
        return (16 * radius * radius * radius * radius * radius - radius) / 15
    }

    /// The heaviest that a cell, and a sum along a row after the shift, may be: no later sum of
    /// such values can pass 2^64. From about 8 million objects a pixel the density saturates
    /// (1 million at radius 128).
    public var cap: UInt32 {
        // Leaves room for the rounding half, which is below 2^63 / weightSum.
        UInt32(min(UInt64(UInt32.max), UInt64.max / weightSum - 1))
    }

    /// The value in a ``DensityField`` of density 1: the peak of a lone object that weighs 1.
    public var densityUnit: UInt64 {
        let peak = weight(atDistancePixels: 0)
        let row = (UInt64(DensityGrid.weightUnit) * peak + rowRounding) >> rowShift
        return row * peak
    }

    /// The fifth differences at the kernel's western end, without sign: the signs are +, -, -, +.
    /// Those at the eastern end are the same from the back with the signs turned.
    var ends: (UInt32, UInt32, UInt32, UInt32) {
        let radius = UInt32(radiusPixels)
        let square = 4 * radius * radius
        return (
            square - 4 * radius + 1, square + 12 * radius - 11,
            square - 12 * radius - 11, square + 4 * radius + 1
        )
    }
}
