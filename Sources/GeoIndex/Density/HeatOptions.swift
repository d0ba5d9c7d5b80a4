/// Which heat of a layer is meant: the kernel, the fading, and the protection of few owners.
public struct HeatOptions: Hashable, Sendable {
    /// Radii of the kernel that can be asked for, in pixels of the 256 px tile grid.
    public static let radiiPixels = 4...64
    /// The radius unless a layer says otherwise.
    public static let defaultRadiusPixels = 24
    /// The greatest number of owners that can be demanded.
    public static let mostOwners = 1_000
    /// log2 of the side of a fixed cell, in pixels of the 256 px tile grid.
    public static let fixedCellBits: UInt8 = 4

    /// The radius of the kernel in pixels of the 256 px tile grid.
    public let radiusPixels: Int
    /// How weights fade; nil when they do not.
    public let decay: TimeDecay?
    /// How many distinct owners a fixed cell must have to count at all; 0 asks nothing.
    public let minOwners: Int

    /// Creates options; without arguments plain heat.
    ///
    /// - Precondition: the radius is in ``radiiPixels``, the owners are in `0...mostOwners`.
    public init(
        radiusPixels: Int = defaultRadiusPixels, decay: TimeDecay? = nil, minOwners: Int = 0
    ) {
        precondition(
            HeatOptions.radiiPixels.contains(radiusPixels), "no kernel has radius \(radiusPixels)")
        precondition(
            (0...HeatOptions.mostOwners).contains(minOwners), "\(minOwners) owners are too many")
        self.radiusPixels = radiusPixels
        self.decay = decay
        self.minOwners = minOwners
    }

    /// Whether every object counts with its own weight.
    public var isPlain: Bool { decay == nil && minOwners == 0 }

    /// The level of the fixed cells of a zoom: quadtree cells of 16 pixels of the 256 px tile grid.
    ///
    /// They lie where they lie however a map is cut. Owners are counted in them, and a hotspot is
    /// named after the one it stands in.
    public static func fixedLevel(zoom: UInt8) -> UInt8 { zoom + 8 - fixedCellBits }
}
