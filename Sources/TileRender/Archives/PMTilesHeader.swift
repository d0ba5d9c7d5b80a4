public import GeoIndex

/// What the tiles of an archive are.
public enum ArchiveTileType: String, Sendable {
    /// Mapbox Vector Tiles, each a gzip stream.
    case mvt
    /// PNG pictures as they are.
    case png
}

/// What an archive says of itself as a whole.
public struct ArchiveFacts: Sendable {
    /// What the tiles are.
    public var type: ArchiveTileType
    /// The zooms that it has tiles of.
    public var zooms: ClosedRange<UInt8>
    /// The box that its tiles are about; one over the antimeridian is written as the whole belt.
    public var bounds: BoundingBox
    /// The zoom at which a map may begin.
    public var centerZoom: UInt8

    /// Describes an archive.
    public init(
        type: ArchiveTileType, zooms: ClosedRange<UInt8>, bounds: BoundingBox, centerZoom: UInt8
    ) {
        self.type = type
        self.zooms = zooms
        self.bounds = bounds
        self.centerZoom = centerZoom
    }

    /// The box as four numbers of which the first is the least longitude.
    public var plainBounds: (west: Double, south: Double, east: Double, north: Double) {
        let wraps = bounds.crossesAntimeridian
        return (wraps ? -180 : bounds.west, bounds.south, wraps ? 180 : bounds.east, bounds.north)
    }

    /// The middle of the box, in degrees.
    public var center: (lon: Double, lat: Double) {
        var lon = (bounds.west + bounds.east) / 2
        if bounds.crossesAntimeridian { lon += lon > 0 ? -180 : 180 }
        return (lon, (bounds.south + bounds.north) / 2)
    }
}

/// The first 127 bytes of a PMTiles file. Source: the PMTiles specification, version 3, section 3.
struct PMTilesHeader {
    /// The length of the header.
    static let bytes = 127
    /// The length of header and root directory together, which stand in front of everything.
    static let frontBytes = 16_384

    var root: Range<UInt64>
    var metadata: Range<UInt64>
    var leaves: Range<UInt64>
    var data: Range<UInt64>
    var addressedTiles: UInt64
    var entries: UInt64
    var contents: UInt64
    var facts: ArchiveFacts

    var encoded: [UInt8] {
        var out = Array("PMTiles".utf8) + [3]
        for section in [root, metadata, leaves, data] {
            append(section.lowerBound, to: &out)
            append(UInt64(section.count), to: &out)
        }
        for count in [addressedTiles, entries, contents] { append(count, to: &out) }
        // Clustered, directories packed with gzip; tiles packed with gzip or not at all.
        out += [1, 2, facts.type == .mvt ? 2 : 1, facts.type == .mvt ? 1 : 2]
        out += [facts.zooms.lowerBound, facts.zooms.upperBound]
        let box = facts.plainBounds
        for degrees in [box.west, box.south, box.east, box.north] { append(degrees, to: &out) }
        out.append(facts.centerZoom)
        for degrees in [facts.center.lon, facts.center.lat] { append(degrees, to: &out) }
        return out
    }

    private func append(_ number: UInt64, to out: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            out.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Degrees as whole 1e-7°.
    private func append(_ degrees: Double, to out: inout [UInt8]) {
        let number = UInt32(bitPattern: Int32((degrees * 1e7).rounded()))
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            out.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
