/// Why a zoom and a radius do not make clusters.
public enum ClusterOptionsError: Error, Equatable, Sendable {
    /// The zoom is not in `0...TileID.maxZoom`.
    case zoom(Int)
    /// The radius is not in `ClusterOptions.radiusRange`.
    case radius(pixels: Int)
    /// So small a radius needs cells below level 26 at this zoom.
    case tooFine(radiusPixels: Int, zoom: Int, highestZoom: Int)
}

extension ClusterOptionsError: CustomStringConvertible {
    /// A sentence that says what would be right.
    public var description: String {
        switch self {
        case .zoom(let zoom):
            "zoom \(zoom) is not a whole number from 0 to \(TileID.maxZoom)"
        case .radius(let pixels):
            "radius \(pixels) is not a whole number of pixels from "
                + "\(ClusterOptions.radiusRange.lowerBound) to "
                + "\(ClusterOptions.radiusRange.upperBound)"
        case .tooFine(let radius, let zoom, let highest):
            "radius \(radius) at zoom \(zoom) needs finer cells than there are: "
                + "the highest zoom for this radius is \(highest)"
        }
    }
}

/// The zoom and the radius of a clustering, and what follows from them.
public struct ClusterOptions: Hashable, Sendable {
    /// Radii that can be asked for, in pixels of the 256 px tile grid.
    public static let radiusRange = 10...100
    /// The radius unless one is asked for.
    public static let defaultRadiusPixels = 40
    /// The deepest level of cluster cells: ids of clusters stay below 2^53.
    public static let maxLevel: UInt8 = 26
    /// How many cells away, in either direction, a cell can be that is reached: a radius is less
    /// than 2√2 cells, and a point may lie anywhere in its cell.
    static let reachCells = 3

    /// The zoom, in `0...TileID.maxZoom`.
    public let zoom: UInt8
    /// The radius in pixels of the 256 px tile grid.
    public let radiusPixels: Int
    /// The level of the cells.
    public let level: UInt8
    /// The radius in units of ``WorldPoint``: cells whose points are nearer reach one another.
    let reach: Int64

    /// Checks a zoom and a radius.
    ///
    /// - Throws: ``ClusterOptionsError``.
    public init(zoom: Int, radiusPixels: Int = defaultRadiusPixels) throws(ClusterOptionsError) {
        guard (0...Int(TileID.maxZoom)).contains(zoom) else { throw .zoom(zoom) }
        guard ClusterOptions.radiusRange.contains(radiusPixels) else {
            throw .radius(pixels: radiusPixels)
        }
        let sideBits = ClusterOptions.sideBits(radiusPixels: radiusPixels)
        let level = zoom + 8 - sideBits
        guard level <= Int(ClusterOptions.maxLevel) else {
            throw .tooFine(
                radiusPixels: radiusPixels, zoom: zoom,
                highestZoom: Int(ClusterOptions.maxLevel) - 8 + sideBits)
        }
        self.zoom = UInt8(zoom)
        self.radiusPixels = radiusPixels
        self.level = UInt8(level)
        reach = Int64(radiusPixels) << Int64(24 - zoom)
    }

    /// The same radius one zoom deeper; nil where there is none.
    public var deeper: ClusterOptions? {
        try? ClusterOptions(zoom: Int(zoom) + 1, radiusPixels: radiusPixels)
    }

    /// log2 of a cell's side: the largest power of two of pixels with a diagonal of at most
    /// the radius, 2·side² ≤ radius².
    private static func sideBits(radiusPixels: Int) -> Int {
        var bits = 0
        while 2 << (2 * (bits + 1)) <= radiusPixels * radiusPixels { bits += 1 }
        return bits
    }
}

/// The id of a cluster: 4^level + the key of its seed cell.
public struct ClusterID: Hashable, Comparable, Sendable {
    /// The number, below 2^53.
    public let number: UInt64

    init(level: UInt8, cell: UInt64) {
        number = 1 << (2 * UInt64(level)) | cell
    }

    /// Reads an id for a radius, with the zoom that it belongs to.
    ///
    /// - Returns: nil when no cluster can have this id.
    public static func parse(_ number: UInt64, radiusPixels: Int)
        -> (id: ClusterID, options: ClusterOptions)?
    {
        guard number > 0, number < 1 << 53 else { return nil }
        let bits = 63 - number.leadingZeroBitCount
        guard bits % 2 == 0 else { return nil }
        for zoom in 0...Int(TileID.maxZoom) {
            guard let options = try? ClusterOptions(zoom: zoom, radiusPixels: radiusPixels) else {
                return nil
            }
            if Int(options.level) == bits / 2 {
                let id = ClusterID(level: options.level, cell: number & ((1 << UInt64(bits)) - 1))
                return (id, options)
            }
        }
        return nil
    }

    /// The level of the seed cell.
    var level: UInt8 { UInt8((63 - number.leadingZeroBitCount) / 2) }

    /// The key of the seed cell.
    var cell: UInt64 { number & ((1 << (2 * UInt64(level))) - 1) }

    /// Along the Z-curve.
    public static func < (left: ClusterID, right: ClusterID) -> Bool { left.number < right.number }
}
