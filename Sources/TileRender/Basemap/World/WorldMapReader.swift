internal import GeoIndex

/// Reads a world map file and believes nothing in it.
///
/// The format: `fixtures/world/README.md`.
struct WorldMapReader {
    /// The unpacked content's limit, in bytes; the carried file has 5 MB.
    static let contentLimitBytes = 64 << 20
    /// The finest grid: `2^24` units are 2.4 m, and fit `Int32` with room for what is beyond.
    static let maxGridBits = 24
    /// The longest name, in bytes of UTF-8.
    static let nameLimitBytes = 120

    private var reader: ByteReader

    private static let headerBytes = 24

    /// Proves that a file is a whole world map of this version, and that its bytes are those that
    /// were written; does not unpack it.
    ///
    /// - Throws: ``WorldMapError``, all but `content`.
    /// - Complexity: O(bytes), a millisecond for the carried file.
    static func prove(_ file: [UInt8]) throws(WorldMapError) {
        guard file.count >= headerBytes, file.starts(with: Array("GEOWORLD".utf8)) else {
            throw .notAWorldMap
        }
        let version = number(in: file, at: 8)
        guard version == WorldMap.version else { throw .version(version) }
        let expected = headerBytes + Int(number(in: file, at: 16))
        guard file.count == expected else {
            throw .size(expectedBytes: expected, actualBytes: file.count)
        }
        let packed = file.span.extracting(headerBytes..<file.count)
        guard Deflater.crc32(packed) == number(in: file, at: 20) else { throw .checksum }
    }

    /// Reads a whole file.
    ///
    /// - Throws: ``WorldMapError``.
    /// - Complexity: O(bytes).
    static func read(_ file: [UInt8]) throws(WorldMapError) -> WorldMap {
        try prove(file)
        let packed = file.span.extracting(headerBytes..<file.count)
        let size = Int(number(in: file, at: 12))
        guard size <= contentLimitBytes, let content = Inflater.unzlib(packed, size: size) else {
            throw .content(.packing, offset: 0)
        }
        return try read(content: content)
    }

    private static func number(in file: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(file[offset + $1]) << (8 * UInt32($1)) }
    }

    /// Reads the unpacked content.
    static func read(content: [UInt8]) throws(WorldMapError) -> WorldMap {
        var reader = WorldMapReader(reader: ByteReader(content))
        return try reader.map()
    }

    private mutating func map() throws(WorldMapError) -> WorldMap {
        let count = try reader.byte()
        var bands: [WorldMap.Band] = []
        var nextZoom: UInt8 = 0
        for _ in 0..<count {
            let band = try self.band(firstZoom: nextZoom)
            nextZoom = band.zooms.upperBound + 1
            bands.append(band)
        }
        guard nextZoom == TileID.maxZoom + 1 else { throw reader.wrong(.zooms) }
        let bits = try gridBits()
        let labels = try self.labels(gridBits: bits)
        guard reader.remaining == 0 else { throw reader.wrong(.end) }
        return WorldMap(bands: bands, labels: labels, labelGridBits: bits)
    }

    private mutating func gridBits() throws(WorldMapError) -> Int {
        let bits = Int(try reader.byte())
        guard (8...WorldMapReader.maxGridBits).contains(bits) else { throw reader.wrong(.number) }
        return bits
    }

    private mutating func zooms() throws(WorldMapError) -> ClosedRange<UInt8> {
        let first = try reader.byte()
        return try zooms(first: first, last: try reader.byte())
    }

    private func zooms(first: UInt8, last: UInt8) throws(WorldMapError) -> ClosedRange<UInt8> {
        guard first <= last, last <= TileID.maxZoom else { throw reader.wrong(.zooms) }
        return first...last
    }

    private mutating func band(firstZoom: UInt8) throws(WorldMapError) -> WorldMap.Band {
        let zooms = try self.zooms()
        guard zooms.lowerBound == firstZoom else { throw reader.wrong(.zooms) }
        var band = WorldMap.Band(zooms: zooms, gridBits: try gridBits())
        let layerCount = try reader.byte()
        var seen: Set<UInt8> = []
        for _ in 0..<layerCount {
            let kind = try reader.byte()
            guard seen.insert(kind).inserted else { throw reader.wrong(.kind) }
            switch kind {
            case 0: try readLayer(into: &band.land, gridBits: band.gridBits)
            case 1: try readLayer(into: &band.lakes, gridBits: band.gridBits)
            case 2: try readLayer(into: &band.borders, gridBits: band.gridBits)
            case 3: try readLayer(into: &band.provinces, gridBits: band.gridBits)
            default: throw reader.wrong(.kind)
            }
        }
        return band
    }

    private mutating func readLayer(
        into layer: inout PathLayer, gridBits: Int
    ) throws(WorldMapError) {
        let edge = 1 << gridBits
        let rows = -edge / 8...edge + edge / 8
        var x = 0
        var y = 0
        for _ in 0..<(try reader.count(bytesEach: 1)) {
            let points = try reader.count(bytesEach: 2)
            guard points >= (layer.isClosed ? 3 : 2) else { throw reader.wrong(.count) }
            for _ in 0..<points {
                // Both are below 2^25 in size and a delta below 2^32: no overflow.
                x += try reader.signed()
                y += try reader.signed()
                guard (0...edge).contains(x), rows.contains(y) else { throw reader.wrong(.place) }
                layer.append(x: Int32(x), y: Int32(y))
            }
            layer.endPath()
        }
    }

    private mutating func labels(gridBits: Int) throws(WorldMapError) -> [PlaceLabel] {
        // Four bytes of columns, two of place, two of name.
        let count = try reader.count(bytesEach: 8)
        let kinds = try column(count)
        let ranks = try column(count)
        let firsts = try column(count)
        let lasts = try column(count)
        let edge = UInt32(1) << UInt32(gridBits)
        var places: [(x: Int32, y: Int32)] = []
        places.reserveCapacity(count)
        for _ in 0..<count {
            let x = try reader.varint()
            let y = try reader.varint()
            guard x < edge, y < edge else { throw reader.wrong(.place) }
            places.append((Int32(x), Int32(y)))
        }
        var labels: [PlaceLabel] = []
        labels.reserveCapacity(count)
        for index in 0..<count {
            guard let kind = PointClass(worldMapCode: kinds[index]) else {
                throw reader.wrong(.kind)
            }
            labels.append(
                PlaceLabel(
                    kind: kind, rank: ranks[index],
                    zooms: try zooms(first: firsts[index], last: lasts[index]),
                    x: places[index].x, y: places[index].y,
                    name: try reader.text(limitBytes: WorldMapReader.nameLimitBytes)))
        }
        return labels
    }

    private mutating func column(_ count: Int) throws(WorldMapError) -> [UInt8] {
        var values: [UInt8] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try reader.byte()) }
        return values
    }
}
