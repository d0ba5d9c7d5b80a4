import GeoIndex
import GeoStore
import TileRender

/// How far an export is.
package struct ExportProgress: Sendable {
    /// How many tiles were visited.
    package let visited: Int
    /// How many are to be visited.
    package let total: Int
    /// How many of those visited were drawn before, by an export that did not end.
    package let resumed: Int
}

/// What an export made.
package struct ExportResult: Sendable {
    /// How many tiles the archive has.
    package let tiles: Int
    /// How many different contents those have.
    package let contents: Int
    /// How long the file is.
    package let bytes: Int
    /// How many tiles were taken over from an export that did not end.
    package let resumed: Int
}

/// Draws the tiles of an archive into a file, in order, and makes the archive of it.
///
/// The tiles are kept as a PMTiles archive has them, whatever the archive is to be: one place where
/// equal contents are found, one way to go on after a kill. An MBTiles archive is copied out of that
/// at the end.
final class ArchiveMaker {
    private let source: ArchiveSource
    private let file: ArchiveFile
    private let plan: [UInt64]
    private var writer: PMTilesWriter
    private var journal: ArchiveJournal?
    private var visited = 0
    /// Of all contents in the file.
    private var hash = StableHash()
    private(set) var resumed = 0

    /// - Parameters:
    ///   - plan: The tiles to be visited, ascending.
    ///   - file: An empty one, or that of an export that did not end.
    init(_ source: ArchiveSource, plan: [UInt64], file: ArchiveFile) throws {
        self.source = source
        self.plan = plan
        self.file = file
        writer = try PMTilesWriter()
    }

    /// The tiles on which something may show.
    ///
    /// - Throws: ``Problem`` when there are too many or none.
    static func plan(
        _ order: ArchiveOrder, _ source: ArchiveSource, limit: Int
    ) throws -> [UInt64] {
        var plan: [UInt64] = []
        for zoom in order.zooms {
            do throws(TooManyTiles) {
                plan += try OccupiedTiles.numbers(
                    in: TileArea(order.box ?? .world, zoom: zoom), of: source.snapshot,
                    filter: source.filter, reachPixels: source.reachPixels(zoom),
                    limit: limit - plan.count)
            } catch {
                throw Problem.costly(
                    "maxzoom",
                    "asks for more than \(limit) tiles, at zoom \(zoom) already: ask for fewer "
                        + "zooms or a smaller bbox")
            }
        }
        guard !plan.isEmpty else { throw ArchiveError.empty }
        return plan
    }

    // MARK: - Going on

    /// Begins to note what is done, and takes over what an export of the same tiles had done.
    ///
    /// - Returns: Whether there was something of other tiles, or broken, which is begun anew.
    func keepJournal(at path: String) throws -> Bool {
        let wasThere = ArchivePath.exists(path)
        if wasThere,
            let (journal, progress) = try ArchiveJournal.restore(
                path: path, fingerprint: source.fingerprint),
            progress.visited <= plan.count, try takeOver(progress)
        {
            self.journal = journal
            visited = progress.visited
            resumed = visited
            return false
        }
        writer = try PMTilesWriter()
        hash = StableHash()
        journal = try ArchiveJournal(path: path, fingerprint: source.fingerprint)
        try file.cut(at: PMTilesWriter.frontBytes)
        return wasThere
    }

    /// Reads what is in the file, since equal contents are to be found again.
    private func takeOver(_ progress: ArchiveJournal.Progress) throws -> Bool {
        struct Broken: Error {}
        do {
            for entry in progress.entries {
                try writer.restore(entry) {
                    let bytes = try file.read(
                        at: PMTilesWriter.frontBytes + Int(entry.offset), count: Int(entry.length))
                    guard bytes.count == Int(entry.length) else { throw Broken() }
                    hash.combine(bytes: bytes)
                    return bytes
                }
            }
            guard hash.value == progress.hash || progress.entries.isEmpty else { throw Broken() }
        } catch is Broken {
            return false
        }
        try file.cut(at: PMTilesWriter.frontBytes + Int(writer.dataBytes))
        return true
    }

    // MARK: - Drawing

    /// Draws what was not drawn before.
    ///
    /// - Parameters:
    ///   - threads: How many at once.
    ///   - journalInterval: How often it is noted what was done.
    ///   - check: Called after every few tiles; what it throws ends the work.
    /// - Throws: ``ArchiveError``; what drawing and `check` throw.
    func draw(
        threads: Int, journalInterval: Duration = .milliseconds(100),
        check: (ExportProgress) throws -> Void
    ) throws {
        var notedAt = ContinuousClock.now
        try OrderedDrawing.run(plan[visited...], threads: threads, by: source.makeDraw) { drawn in
            for (number, bytes) in drawn {
                guard let bytes, let tile = TileID(hilbertNumber: number) else { continue }
                try writer.add(tile, bytes) { content in
                    hash.combine(bytes: content)
                    try file.append(content)
                }
            }
            visited += drawn.count
            if ContinuousClock.now - notedAt >= journalInterval {
                try note()
                notedAt = .now
            }
            try check(progress)
        }
        try note()
    }

    private func note() throws(ArchiveError) {
        guard journal != nil else { return }
        try file.flush()
        try journal?.note(visited: visited, hash: hash.value, writer.entries)
    }

    private var progress: ExportProgress {
        ExportProgress(visited: visited, total: plan.count, resumed: resumed)
    }

    // MARK: - Ending

    /// Makes the file a PMTiles archive.
    func finish() throws {
        let front = try writer.finish(
            source.description.facts, metadata: source.description.metadata
        ) { try file.append($0) }
        try file.flush()
        try file.write(front, at: 0)
    }

    /// Writes an MBTiles archive of what is in the file.
    ///
    /// - Parameter path: Where there is no file yet.
    func writeMBTiles(to path: String, check: () throws -> Void) throws {
        try file.flush()
        let archive = try MBTilesWriter(path: path)
        for (name, value) in source.description.lines { try archive.addFact(name, value) }
        var end: UInt64 = 0
        for (index, entry) in writer.entries.enumerated() {
            // A content has the number of the byte at which it begins.
            let number = Int64(entry.offset) + 1
            if entry.offset == end {
                try archive.addImage(
                    number,
                    file.read(
                        at: PMTilesWriter.frontBytes + Int(entry.offset), count: Int(entry.length)))
                end += UInt64(entry.length)
            }
            for tile in entry.tile..<(entry.tile + UInt64(entry.run)) {
                guard let tile = TileID(hilbertNumber: tile) else { continue }
                try archive.addTile(zoom: tile.zoom, x: tile.x, y: tile.y, image: number)
            }
            if index % 1_024 == 0 { try check() }
        }
        try archive.finish()
    }

    /// What was made, in a file of so many bytes.
    func result(bytes: Int) -> ExportResult {
        ExportResult(
            tiles: Int(writer.tileCount), contents: Int(writer.contentCount), bytes: bytes,
            resumed: resumed)
    }
}
