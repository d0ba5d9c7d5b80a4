public import GeoIndex

/// The numbers that PMTiles gives to tiles: zoom after zoom, along the Hilbert curve of each.
///
/// Tiles that are near one another on the map mostly are so in the file too. Source: the PMTiles
/// specification, version 3, section 4.1; the curve is Hilbert's with the first quarter in the
/// north-west.
///
///     try TileID(zoom: 12, x: 3423, y: 1763).hilbertNumber  // 19078479
extension TileID {
    /// The tile's number; below 2^46 at the deepest zoom. O(zoom).
    public var hilbertNumber: UInt64 {
        var x = x
        var y = y
        var place: UInt64 = 0
        for level in stride(from: Int(zoom) - 1, through: 0, by: -1) {
            let side = UInt32(1) << UInt32(level)
            let east = x & side != 0
            let south = y & side != 0
            // The quarters in the order of the curve: north-west, south-west, south-east, north-east.
            let quarter: UInt64 = east ? (south ? 2 : 3) : (south ? 1 : 0)
            place = place << 2 | quarter
            x &= side - 1
            y &= side - 1
            guard !south else { continue }
            if east {
                x = side - 1 - x
                y = side - 1 - y
            }
            swap(&x, &y)
        }
        return TileID.firstHilbertNumber(ofZoom: zoom) + place
    }

    /// Creates the tile with a number; nil for one past the deepest zoom. O(zoom).
    public init?(hilbertNumber number: UInt64) {
        let zooms = 0...TileID.maxZoom
        guard number < TileID.firstHilbertNumber(ofZoom: TileID.maxZoom + 1),
            let zoom = zooms.last(where: { TileID.firstHilbertNumber(ofZoom: $0) <= number })
        else { return nil }
        let place = number - TileID.firstHilbertNumber(ofZoom: zoom)
        var x: UInt32 = 0
        var y: UInt32 = 0
        for level in 0..<UInt64(zoom) {
            let side = UInt32(1) << UInt32(level)
            let quarter = place >> (2 * level) & 3
            if quarter == 0 || quarter == 3 {
                if quarter == 3 {
                    x = side - 1 - x
                    y = side - 1 - y
                }
                swap(&x, &y)
            }
            if quarter >= 2 { x += side }
            if quarter == 1 || quarter == 2 { y += side }
        }
        try? self.init(zoom: Int(zoom), x: Int(x), y: Int(y))
    }

    /// The number of the first tile of a zoom: that of all tiles of the zooms above it.
    ///
    /// - Precondition: the zoom is at most 31.
    static func firstHilbertNumber(ofZoom zoom: UInt8) -> UInt64 {
        ((1 << (2 * UInt64(zoom))) - 1) / 3
    }
}
