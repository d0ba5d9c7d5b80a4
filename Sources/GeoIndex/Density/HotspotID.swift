/// The id of a hotspot: 4^level + the number of the fixed cell that it stands in.
///
/// Fixed cells are 16 pixels wide (``HeatOptions/fixedLevel(zoom:)``) and two hotspots are at least
/// 24 pixels apart, so a cell has at most one; a place keeps its id while its maximum stays in its
/// cell. The zoom is in the id: the levels of two zooms differ.
public struct HotspotID: Hashable, Comparable, Sendable {
    /// The number, below 2^53.
    public let number: UInt64

    /// The id of the hotspot at a point, at a zoom.
    init(zoom: UInt8, point: WorldPoint) {
        let cell = QuadCell(level: HeatOptions.fixedLevel(zoom: zoom), containing: point)
        number = 1 << (2 * UInt64(cell.level)) | cell.key
    }

    /// Reads an id; nil when no hotspot can have it.
    public init?(_ number: UInt64) {
        let bits = 63 - number.leadingZeroBitCount
        let levels = HeatOptions.fixedLevel(zoom: 0)...HeatOptions.fixedLevel(zoom: TileID.maxZoom)
        guard number > 0, bits % 2 == 0, levels.contains(UInt8(bits / 2)) else { return nil }
        self.number = number
    }

    /// The zoom at which the hotspot is one.
    public var zoom: UInt8 {
        UInt8((63 - number.leadingZeroBitCount) / 2) - HeatOptions.fixedLevel(zoom: 0)
    }

    /// The fixed cell that it stands in.
    public var cell: QuadCell {
        let level = HeatOptions.fixedLevel(zoom: zoom)
        return QuadCell(level: level, key: number & ((1 << (2 * UInt64(level))) - 1))
    }

    /// Along the Z-curve of a zoom, lower zooms first.
    public static func < (left: HotspotID, right: HotspotID) -> Bool { left.number < right.number }
}
