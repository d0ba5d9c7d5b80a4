import Foundation
import GeoIndex
import GeoStore
import TestSupport
import Testing
import TileRender

@testable import GeoService

/// What becomes of an archive whose making was cut off.
struct ArchiveMakerTests {
    private struct Killed: Error {}

    private let folder: ScratchDirectory
    private let plan: [UInt64]

    init() throws {
        folder = try ScratchDirectory()
        plan = (0..<4_000).filter { $0 % 7 != 3 }
    }

    /// A source of which each tile's content is told by its number; some are equal, some empty.
    private func source(fingerprint: UInt64 = 1) throws -> ArchiveSource {
        let layer = Layer(name: "Towns", snapshot: BulkBuilder().build())
        let order = try ArchiveOrder(
            items: [("format", "pmtiles")], layer: "Towns", .anonymous, now: .now())
        return ArchiveSource(
            snapshot: layer.current, filter: .all, reachPixels: { _ in 0 },
            makeDraw: {
                { tile in
                    let number = tile.hilbertNumber
                    if number % 11 == 0 { return nil }
                    let value = number % 5 == 0 ? 0 : number
                    return (0..<40).map { UInt8(truncatingIfNeeded: value >> ($0 % 3 * 8)) }
                }
            },
            fingerprint: fingerprint,
            description: ArchiveDescription(layer, order, extent: nil, properties: [:]))
    }

    /// Makes an archive, cut off after so many tiles.
    ///
    /// - Returns: How many tiles were taken over, whether something was thrown away, the file.
    private func make(
        _ name: String, cutAfter cut: Int = .max, fingerprint: UInt64 = 1
    ) throws -> (resumed: Int, isAnew: Bool, file: [UInt8]) {
        let names = ArchiveNames(folder.path + "/" + name)
        let file = try ArchiveFile(
            path: names.part, startBytes: PMTilesWriter.frontBytes, isShared: true)
        let maker = try ArchiveMaker(source(fingerprint: fingerprint), plan: plan, file: file)
        let isAnew = try maker.keepJournal(at: names.journal)
        try maker.draw(threads: 2, journalInterval: .zero) { progress in
            if progress.visited >= cut { throw Killed() }
        }
        try maker.finish()
        return (maker.resumed, isAnew, try bytes(names.part))
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: path)))
    }

    @Test("cut off anywhere and once more, it becomes the same file", arguments: [1, 700, 2_500])
    func resuming(cut: Int) throws {
        let whole = try make("whole").file
        #expect(throws: Killed.self) { try make("cut", cutAfter: cut) }
        #expect(throws: Killed.self) { try make("cut", cutAfter: cut + 500) }
        let last = try make("cut")
        #expect(last.resumed >= cut + 500 && last.resumed < plan.count && !last.isAnew)
        #expect(last.file == whole)
    }

    @Test("cut off when all was drawn, it is not drawn again")
    func resumingAtTheEnd() throws {
        let whole = try make("whole").file
        let again = try make("whole")
        #expect(again.resumed == plan.count && again.file == whole)
    }

    @Test("what was drawn of other tiles is thrown away")
    func otherTiles() throws {
        #expect(throws: Killed.self) { try make("cut", cutAfter: 900, fingerprint: 2) }
        let last = try make("cut")
        #expect(last.resumed == 0 && last.isAnew)
        #expect(last.file == (try make("whole").file))
    }

    @Test("whatever is broken beside it, it becomes the right file", arguments: 0..<24)
    func broken(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let whole = try make("whole").file
        #expect(throws: Killed.self) { try make("cut", cutAfter: 2_000) }
        let names = ArchiveNames(folder.path + "/cut")
        let path = seed % 2 == 0 ? names.part : names.journal
        var content = try bytes(path)
        // The front of the tiles' file is not read.
        let first = seed % 2 == 0 ? PMTilesWriter.frontBytes : 0
        switch seed / 2 % 3 {
        case 0: content.removeLast(.random(in: 1...content.count - first, using: &random))
        case 1: content[.random(in: first..<content.count, using: &random)] ^= 1 << 3
        default: content += (0..<100).map { _ in .random(in: 0...255, using: &random) }
        }
        try Data(content).write(to: URL(filePath: path))
        #expect(try make("cut").file == whole)
    }

    @Test("two cannot write to one file")
    func locked() throws {
        let names = ArchiveNames(folder.path + "/one")
        let first = try ArchiveFile(path: names.part, startBytes: 0, isShared: true)
        #expect(throws: ArchiveError.isBeingWritten) {
            try ArchiveFile(path: names.part, startBytes: 0, isShared: true)
        }
        #expect(first.end == 0)
    }
}
