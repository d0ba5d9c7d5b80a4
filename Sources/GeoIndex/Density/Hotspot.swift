/// A place that is denser than all around it, and denser than the layer's background.
public struct Hotspot: Sendable {
    /// What it is called: a function of the zoom and the fixed cell.
    public let id: HotspotID
    /// The north-west corner of its pixel.
    public let pixel: WorldPoint
    /// The middle of its pixel: where it is published.
    public let point: WorldPoint
    /// The density there, in units of ``DensityKernel/densityUnit``: what the heat picture of the
    /// zoom shows at the pixel.
    public let density: UInt64
    /// The score in hundredths; see ``HotspotBackground``.
    public let hundredths: Int64

    init(zoom: UInt8, column: Int, row: Int, density: UInt64, hundredths: Int64) {
        let shift = UInt32(24 - zoom)
        pixel = WorldPoint(x: UInt32(column) << shift, y: UInt32(row) << shift)
        let half = UInt32(1) << (shift - 1)
        point = WorldPoint(x: pixel.x + half, y: pixel.y + half)
        id = HotspotID(zoom: zoom, point: pixel)
        self.density = density
        self.hundredths = hundredths
    }

    /// The score: standard deviations above the mean of the background, to two decimals.
    public var score: Double { Double(hundredths) / 100 }

    /// Greater scores first, then smaller ids.
    static func precedes(_ left: Hotspot, _ right: Hotspot) -> Bool {
        if left.hundredths != right.hundredths { return left.hundredths > right.hundredths }
        return left.id < right.id
    }
}

/// Which hotspots are asked for.
public struct HotspotQuery: Sendable {
    /// Where they lie: edges as in ``WorldWindow``.
    public var window: WorldWindow
    /// The zoom whose picture they are the maxima of.
    public var zoom: UInt8
    /// The most that are wanted.
    public var limit: Int
    /// Which objects count.
    public var filter: EntryFilter
    /// What their heat is.
    public var options: HeatOptions
    /// Only what may be told of the objects counts, instead of filter, fading and owners of the rest;
    /// nil is all of it. For zooms up to ``HeatProtection/finestZoom``.
    public var protection: HeatProtection?
    /// How much one search may look at.
    var limits = HotspotLimits()

    /// Creates a query.
    ///
    /// - Precondition: the zoom exists, the limit is at least 1.
    public init(
        window: WorldWindow, zoom: UInt8, limit: Int, filter: EntryFilter = .all,
        options: HeatOptions = HeatOptions()
    ) {
        precondition(zoom <= TileID.maxZoom, "zoom \(zoom) is past \(TileID.maxZoom)")
        precondition(limit >= 1, "a limit of \(limit) asks for nothing")
        self.window = window
        self.zoom = zoom
        self.limit = limit
        self.filter = filter
        self.options = options
    }

    /// The kernel: that of the zoom's picture at scale 1.
    public var kernel: DensityKernel { DensityKernel(radiusPixels: options.radiusPixels) }

    /// Hotspots are at least this far apart, in pixels: the kernel's radius, and more than the
    /// diagonal of a fixed cell, so that no two have one id.
    public var reachPixels: Int { max(options.radiusPixels, HotspotQuery.leastReachPixels) }
    private static let leastReachPixels = 24
}

/// How much one search for hotspots may look at.
struct HotspotLimits: Sendable {
    /// Occupied pixels.
    var pixels = 2_000_000
    /// Blocks of them.
    var blocks = 200_000
    /// Blocks that are blurred: about half a second of work.
    var blurs = 4_096
}

/// Why a search for hotspots was not made to its end.
public enum HotspotError: Error, Equatable, Sendable {
    /// The window has more occupied pixels or blocks of them than a search takes.
    case tooManyPixels(limit: Int, blockLimit: Int)
    /// The densities are so even that more blocks than allowed could hold one of the densest.
    case tooEven(blockLimit: Int)
}

extension HotspotError: CustomStringConvertible {
    /// A sentence that says what is too much.
    public var description: String {
        switch self {
        case .tooManyPixels(let limit, let blockLimit):
            "it has objects on more than \(limit) pixels of this zoom, or in more than "
                + "\(blockLimit) blocks of 64 x 64 pixels"
        case .tooEven(let blockLimit):
            "more than \(blockLimit) blocks of 64 x 64 pixels would have to be blurred"
        }
    }
}
