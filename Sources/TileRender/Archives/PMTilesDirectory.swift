/// One entry of a PMTiles directory: a run of tiles with the same content, or a leaf directory.
public struct PMTilesEntry: Hashable, Sendable {
    /// The number of the first tile; see ``GeoIndex/TileID/hilbertNumber``.
    public var tile: UInt64
    /// Where the content begins, in bytes from the start of its section.
    public var offset: UInt64
    /// The content's length in bytes; at least 1.
    public var length: UInt32
    /// How many tiles follow one another with this content; 0 is a leaf directory.
    public var run: UInt32

    /// Creates an entry.
    public init(tile: UInt64, offset: UInt64, length: UInt32, run: UInt32) {
        self.tile = tile
        self.offset = offset
        self.length = length
        self.run = run
    }
}

/// Writes PMTiles directories: columns of variable-length numbers, packed with gzip.
///
/// Source: the PMTiles specification, version 3, section 4.2.
enum PMTilesDirectory {
    /// The longest root directory: with the header it is within the first 16 KiB of the file.
    static let rootBytes = PMTilesHeader.frontBytes - PMTilesHeader.bytes
    /// Entries of a leaf, to begin with; more when the root would be too long.
    private static let leafEntries = 4_096

    /// A directory of entries in ascending order. O(n).
    static func encode(_ entries: ArraySlice<PMTilesEntry>, _ deflater: Deflater) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 6 + 10)
        append(UInt64(entries.count), to: &bytes)
        var last: UInt64 = 0
        for entry in entries {
            append(entry.tile - last, to: &bytes)
            last = entry.tile
        }
        for entry in entries { append(UInt64(entry.run), to: &bytes) }
        for entry in entries { append(UInt64(entry.length), to: &bytes) }
        var end: UInt64?
        for entry in entries {
            // What begins where the one before ended is 0, everything else its place and one.
            append(entry.offset == end ? 0 : entry.offset + 1, to: &bytes)
            end = entry.offset + UInt64(entry.length)
        }
        return deflater.gzip(bytes)
    }

    /// The root directory and the leaves, one after the other; no leaves when all fit in the root.
    ///
    /// - Complexity: O(n), a few times when there are more than some hundred million.
    static func tree(
        of entries: [PMTilesEntry], _ deflater: Deflater
    ) -> (root: [UInt8], leaves: [UInt8]) {
        // An entry takes at least a byte even packed: what is far too much need not be tried.
        if entries.count <= 8 * rootBytes {
            let root = encode(entries[...], deflater)
            if root.count <= rootBytes { return (root, []) }
        }
        var size = leafEntries
        while true {
            var leaves: [UInt8] = []
            var pointers: [PMTilesEntry] = []
            for start in stride(from: 0, to: entries.count, by: size) {
                let leaf = encode(entries[start..<min(start + size, entries.count)], deflater)
                pointers.append(
                    PMTilesEntry(
                        tile: entries[start].tile, offset: UInt64(leaves.count),
                        length: UInt32(leaf.count), run: 0))
                leaves += leaf
            }
            let root = encode(pointers[...], deflater)
            // One pointer always fits, so that this ends.
            if root.count <= rootBytes { return (root, leaves) }
            size *= 2
        }
    }

    /// A number of seven bits a byte, the lowest first (LEB128, as in protocol buffers).
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
