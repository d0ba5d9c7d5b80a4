import GeoIndex
import TestSupport
import Testing

@testable import TileRender

struct PMTilesWriterTests {
    private let facts: ArchiveFacts

    init() throws {
        facts = ArchiveFacts(
            type: .mvt, zooms: 2...9,
            bounds: try BoundingBox(west: 13, south: -52.5, east: 14.25, north: 53), centerZoom: 2)
    }

    /// An archive of tiles, as a file.
    private func file(
        _ tiles: [(number: UInt64, content: [UInt8])], _ facts: ArchiveFacts? = nil,
        metadata: String = "{}"
    ) throws -> [UInt8] {
        var writer = try PMTilesWriter()
        var file = [UInt8](repeating: 0, count: PMTilesWriter.frontBytes)
        for (number, content) in tiles {
            try writer.add(#require(TileID(hilbertNumber: number)), content) { file += $0 }
        }
        let front = writer.finish(facts ?? self.facts, metadata: Array(metadata.utf8)) {
            file += $0
        }
        #expect(front.count == PMTilesWriter.frontBytes)
        file.replaceSubrange(0..<front.count, with: front)
        return file
    }

    /// Tiles in ascending order: gaps, runs of equal ones, some that come again later.
    private func tiles(_ count: Int, seed: Int) -> [(number: UInt64, content: [UInt8])] {
        var random = SeededGenerator(seed: seed)
        var number: UInt64 = 0
        var content: [UInt8] = [1]
        return (0..<count).map { _ in
            number +=
                .random(in: 0..<8, using: &random) == 0 ? .random(in: 2..<900, using: &random) : 1
            if .random(in: 0..<4, using: &random) > 0 {
                content = (0..<Int.random(in: 1..<40, using: &random)).map { _ in
                    .random(in: 0..<4, using: &random)
                }
            }
            return (number, content)
        }
    }

    @Test("a reader finds every tile that was added, and no other", arguments: 0..<12)
    func tiles(seed: Int) throws {
        let tiles = tiles([0, 1, 2, 90, 3_000][seed % 5], seed: seed)
        let archive = try PMTilesTwin(file(tiles, metadata: #"{"name":"A"}"#))
        let found = try archive.tiles()
        #expect(found == Dictionary(uniqueKeysWithValues: tiles.map { ($0.number, $0.content) }))
        let contents = Set(tiles.map(\.content))
        #expect(archive.counts == [tiles.count, try archive.entries().count, contents.count])
        // Each content stands there once.
        #expect(archive.data.count == contents.reduce(0) { $0 + $1.count })
        let metadata = try PMTilesTwin.gunzip(Array(archive.file[archive.metadata]))
        #expect(String(decoding: metadata, as: UTF8.self) == #"{"name":"A"}"#)
        #expect(archive.metadata.upperBound == archive.file.count)
    }

    @Test("very many runs stand in leaves, and the root stays within the first 16 KiB")
    func leaves() throws {
        var random = SeededGenerator(seed: 1)
        var number: UInt64 = 0
        // Lengths and gaps that gzip can make little of.
        let tiles = (0..<60_000).map { _ -> (number: UInt64, content: [UInt8]) in
            number += .random(in: 1..<4_000, using: &random)
            return (
                number,
                (0..<Int.random(in: 4..<12, using: &random)).map { _ in
                    .random(in: 0...255, using: &random)
                }
            )
        }
        let archive = try PMTilesTwin(file(tiles))
        #expect(archive.root.upperBound <= 16_384 && !archive.leaves.isEmpty)
        #expect(
            try archive.tiles()
                == Dictionary(uniqueKeysWithValues: tiles.map { ($0.number, $0.content) }))
    }

    @Test("the header says what was told of the archive")
    func header() throws {
        let vector = try PMTilesTwin(file([(0, [1, 2])]))
        #expect(vector.flags == [1, 2, 2, 1, 2, 9])
        #expect(vector.bounds == [130_000_000, -525_000_000, 142_500_000, 530_000_000])
        #expect(vector.centerZoom == 2 && vector.center == [136_250_000, 2_500_000])
        var pacific = facts
        pacific.type = .png
        pacific.bounds = try BoundingBox(west: 170, south: 0, east: -160, north: 10)
        let raster = try PMTilesTwin(file([(0, [1, 2])], pacific))
        #expect(raster.flags == [1, 2, 1, 2, 2, 9])
        // Most readers know no box over 180°.
        #expect(raster.bounds == [-1_800_000_000, 0, 1_800_000_000, 100_000_000])
        #expect(raster.center == [-1_750_000_000, 50_000_000])
    }

    @Test("tiles out of order, doubled or empty are refused and leave nothing")
    func refusals() throws {
        var writer = try PMTilesWriter()
        let tile = try TileID(zoom: 3, x: 1, y: 1)
        let before = try #require(TileID(hilbertNumber: tile.hilbertNumber - 1))
        try writer.add(tile, [1]) { _ in }
        for wrong in [tile, before] {
            #expect(throws: PMTilesError.order(zoom: 3, x: wrong.x, y: wrong.y)) {
                try writer.add(wrong, [2]) { _ in }
            }
        }
        let after = try #require(TileID(hilbertNumber: tile.hilbertNumber + 1))
        #expect(throws: PMTilesError.size(bytes: 0)) { try writer.add(after, []) { _ in } }
        #expect(writer.tileCount == 1 && writer.dataBytes == 1)
        struct Full: Error {}
        #expect(throws: Full.self) { try writer.add(after, [9]) { _ in throw Full() } }
    }

    @Test("a writer that takes over goes on as the first would have", arguments: 0..<6)
    func restoring(seed: Int) throws {
        let tiles = tiles(400, seed: seed)
        let cut = 37 * (seed + 1)
        var whole = try PMTilesWriter()
        var first = try PMTilesWriter()
        var data: [UInt8] = []
        for (index, (number, content)) in tiles.enumerated() {
            let tile = try #require(TileID(hilbertNumber: number))
            try whole.add(tile, content) { _ in }
            if index < cut { try first.add(tile, content) { data += $0 } }
        }
        var second = try PMTilesWriter()
        for entry in first.entries {
            try second.restore(entry) {
                Array(data[Int(entry.offset)..<(Int(entry.offset) + Int(entry.length))])
            }
        }
        for (number, content) in tiles[cut...] {
            try second.add(#require(TileID(hilbertNumber: number)), content) { data += $0 }
        }
        #expect(second.entries == whole.entries)
        #expect(second.dataBytes == whole.dataBytes && second.tileCount == whole.tileCount)
        #expect(second.contentCount == whole.contentCount && data.count == Int(whole.dataBytes))
    }
}
