public import GeoIndex

/// Why a tile cannot be put into an archive.
public enum PMTilesError: Error, Equatable, Sendable {
    /// The tile does not come after all tiles before it.
    case order(zoom: UInt8, x: UInt32, y: UInt32)
    /// The tile has no bytes, or more than four gigabytes.
    case size(bytes: Int)
}

extension PMTilesError: CustomStringConvertible {
    /// A sentence.
    public var description: String {
        switch self {
        case .order(let zoom, let x, let y): "the tile \(zoom)/\(x)/\(y) comes out of order"
        case .size(let bytes): "a tile of \(bytes) bytes cannot be kept"
        }
    }
}

/// Writes a PMTiles archive, version 3: what it gives goes to a file one after the other.
///
/// The first ``frontBytes`` of the file are left free; behind them come the tiles as they are
/// added, then leaf directories and metadata. At last the front is known and is put in its place.
/// Equal contents are kept once. In memory are 24 bytes for each run of tiles and a bounded table
/// of contents, never tiles. Source: github.com/protomaps/PMTiles, spec/v3.
///
///     var writer = try PMTilesWriter()
///     try writer.add(tile, bytes) { file.append($0) }
///     let front = writer.finish(facts, metadata: json) { file.append($0) }
public struct PMTilesWriter {
    /// What is left free at the start of the file.
    public static let frontBytes = PMTilesHeader.frontBytes

    /// What was added: runs of tiles, ascending. Offsets count from ``frontBytes``.
    public private(set) var entries: [PMTilesEntry] = []
    /// How many tiles were added.
    public private(set) var tileCount: UInt64 = 0
    /// How many of them have a content of their own.
    public private(set) var contentCount: UInt64 = 0
    /// How many bytes they take.
    public private(set) var dataBytes: UInt64 = 0
    private var contents = TileContents()
    private let deflater: Deflater

    /// Creates the writer of an empty archive.
    ///
    /// - Throws: ``DeflaterError/outOfMemory``.
    public init() throws(DeflaterError) {
        deflater = try Deflater(level: 6)
    }

    /// Adds a tile.
    ///
    /// - Parameters:
    ///   - tile: The next one by ``GeoIndex/TileID/hilbertNumber``.
    ///   - content: Its bytes, packed as the archive's type asks for.
    ///   - sink: Takes the content when it is a new one.
    /// - Throws: ``PMTilesError``; what the sink throws.
    /// - Complexity: O(content).
    public mutating func add(
        _ tile: TileID, _ content: [UInt8], to sink: ([UInt8]) throws -> Void
    ) throws {
        let number = tile.hilbertNumber
        if let last = entries.last, number < last.tile + UInt64(last.run) {
            throw PMTilesError.order(zoom: tile.zoom, x: tile.x, y: tile.y)
        }
        guard (1...Int(UInt32.max)).contains(content.count) else {
            throw PMTilesError.size(bytes: content.count)
        }
        if let known = contents.place(of: content, orPut: dataBytes) {
            note(number, known.offset, known.length)
        } else {
            try sink(content)
            note(number, dataBytes, UInt32(content.count))
            contentCount += 1
            dataBytes += UInt64(content.count)
        }
    }

    /// Takes over what another writer has put into a file, as if it had been added here.
    ///
    /// - Parameters:
    ///   - run: The other writer's next entry.
    ///   - content: Reads the entry's bytes, when they were new to the other writer.
    /// - Throws: What `content` throws; ``PMTilesError``.
    public mutating func restore(
        _ run: PMTilesEntry, content: () throws -> [UInt8]
    ) throws {
        if run.offset == dataBytes {
            let bytes = try content()
            _ = contents.place(of: bytes, orPut: dataBytes)
            contentCount += 1
            dataBytes += UInt64(run.length)
        }
        entries.append(run)
        tileCount += UInt64(run.run)
    }

    private mutating func note(_ number: UInt64, _ offset: UInt64, _ length: UInt32) {
        tileCount += 1
        if let last = entries.indices.last, entries[last].offset == offset,
            entries[last].tile + UInt64(entries[last].run) == number, entries[last].run < .max
        {
            entries[last].run += 1
        } else {
            entries.append(PMTilesEntry(tile: number, offset: offset, length: length, run: 1))
        }
    }

    /// Ends the archive.
    ///
    /// - Parameters:
    ///   - metadata: A JSON object; of vector tiles it has `vector_layers`.
    ///   - sink: Takes what comes behind the tiles.
    /// - Returns: The first ``frontBytes`` of the file.
    /// - Complexity: O(entries).
    public func finish(
        _ facts: ArchiveFacts, metadata: [UInt8], to sink: ([UInt8]) throws -> Void
    ) rethrows -> [UInt8] {
        let (root, leaves) = PMTilesDirectory.tree(of: entries, deflater)
        let packed = deflater.gzip(metadata)
        let start = UInt64(PMTilesHeader.bytes)
        let data = UInt64(PMTilesWriter.frontBytes)
        let behind = data + dataBytes
        let end = behind + UInt64(leaves.count)
        let header = PMTilesHeader(
            root: start..<(start + UInt64(root.count)),
            metadata: end..<(end + UInt64(packed.count)),
            leaves: behind..<end, data: data..<behind, addressedTiles: tileCount,
            entries: UInt64(entries.count), contents: contentCount, facts: facts)
        try sink(leaves)
        try sink(packed)
        let front = header.encoded + root
        return front + [UInt8](repeating: 0, count: PMTilesWriter.frontBytes - front.count)
    }
}
