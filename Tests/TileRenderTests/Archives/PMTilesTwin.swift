import TestSupport

/// A small reader of PMTiles version 3, written from the specification alone.
struct PMTilesTwin {
    /// A file that is not what the specification says.
    struct Malformed: Error { let reason: String }

    struct Entry: Equatable {
        var tile: UInt64
        var offset: Int
        var length: Int
        var run: Int
    }

    let file: [UInt8]
    /// The numbers of the header by their places.
    var root: Range<Int> { section(8) }
    var metadata: Range<Int> { section(24) }
    var leaves: Range<Int> { section(40) }
    var data: Range<Int> { section(56) }
    var counts: [Int] { [72, 80, 88].map { Int(number($0, bytes: 8)) } }
    /// Clustered, internal compression, tile compression, tile type, first and last zoom.
    var flags: [UInt8] { Array(file[96..<102]) }
    /// West, south, east, north in 1e-7°.
    var bounds: [Int32] { (0..<4).map { signed(102 + 4 * $0) } }
    var centerZoom: UInt8 { file[118] }
    var center: [Int32] { [signed(119), signed(123)] }

    init(_ file: [UInt8]) throws {
        self.file = file
        guard file.count > 127, Array(file[0..<8]) == Array("PMTiles".utf8) + [3] else {
            throw Malformed(reason: "no header")
        }
        guard root.upperBound <= 16_384 else { throw Malformed(reason: "the root is too long") }
    }

    private func number(_ place: Int, bytes: Int) -> UInt64 {
        (0..<bytes).reduce(0) { $0 | UInt64(file[place + $1]) << UInt64(8 * $1) }
    }

    private func signed(_ place: Int) -> Int32 {
        Int32(bitPattern: UInt32(number(place, bytes: 4)))
    }

    private func section(_ place: Int) -> Range<Int> {
        let start = Int(number(place, bytes: 8))
        return start..<(start + Int(number(place + 8, bytes: 8)))
    }

    /// Unpacks a gzip stream, whose length stands at its end.
    static func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let count = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return try DecodedPNG.gunzipped(bytes, count: count)
    }

    /// All tiles' contents by number, through root and leaves.
    func tiles() throws -> [UInt64: [UInt8]] {
        var found: [UInt64: [UInt8]] = [:]
        for entry in try entries() {
            let start = data.lowerBound + entry.offset
            guard start + entry.length <= data.upperBound else {
                throw Malformed(reason: "a tile is past the data")
            }
            for tile in entry.tile..<(entry.tile + UInt64(entry.run)) {
                guard
                    found.updateValue(Array(file[start..<(start + entry.length)]), forKey: tile)
                        == nil
                else { throw Malformed(reason: "tile \(tile) twice") }
            }
        }
        return found
    }

    /// The entries of all leaves.
    func entries() throws -> [Entry] {
        try directory(root).flatMap { entry throws -> [Entry] in
            guard entry.run == 0 else { return [entry] }
            let start = leaves.lowerBound + entry.offset
            let leaf = try directory(start..<(start + entry.length))
            guard leaf.first?.tile == entry.tile else { throw Malformed(reason: "a wrong leaf") }
            return leaf
        }
    }

    private func directory(_ range: Range<Int>) throws -> [Entry] {
        let bytes = try PMTilesTwin.gunzip(Array(file[range]))
        var place = 0
        func next() throws -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            throw Malformed(reason: "a directory ends early")
        }
        let count = Int(try next())
        var entries = (0..<count).map { _ in Entry(tile: 0, offset: 0, length: 0, run: 0) }
        var tile: UInt64 = 0
        for index in 0..<count {
            tile += try next()
            entries[index].tile = tile
        }
        for index in 0..<count { entries[index].run = Int(try next()) }
        for index in 0..<count { entries[index].length = Int(try next()) }
        for index in 0..<count {
            let value = Int(try next())
            entries[index].offset =
                value == 0 && index > 0
                ? entries[index - 1].offset + entries[index - 1].length : value - 1
        }
        guard place == bytes.count else { throw Malformed(reason: "a directory goes on") }
        return entries
    }
}
