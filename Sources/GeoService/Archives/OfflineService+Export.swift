import CProcessor
import GeoIndex
import GeoStore
import Glibc
import TileRender

extension OfflineService {
    /// The most tiles of an archive that a command makes: their directory is kept in memory.
    private static let mostTiles = 20_000_000

    /// Makes an archive of a layer, as everybody sees it.
    ///
    /// Until it is whole it has a temporary name beside its own, and a journal. Both stay when the
    /// process is killed, and another export of the same tiles goes on from there; both go when it
    /// fails.
    ///
    /// - Parameters:
    ///   - path: Its file.
    ///   - replaces: Whether a file of that name is replaced.
    ///   - assets: The folder of the assets; nil is the usual one.
    ///   - progress: Called now and then.
    ///   - notice: Told what a person should know.
    /// - Throws: ``ArchiveError``, ``SettingError``, ``StoreError``: each says what is wrong.
    package func export(
        _ order: ExportOrder, to path: String, replaces: Bool, assets: String?,
        progress: (ExportProgress) -> Void, notice: (String) -> Void
    ) throws -> ExportResult {
        guard replaces || !ArchivePath.exists(path) else { throw ArchiveError.targetExists }
        do {
            return try make(order, to: path, assets: assets, progress: progress, notice: notice)
        } catch let problem as Problem {
            throw SettingError(option: problem)
        }
    }

    private func make(
        _ asked: ExportOrder, to path: String, assets: String?,
        progress: (ExportProgress) -> Void, notice: (String) -> Void
    ) throws -> ExportResult {
        let work = ArchiveNames(path)
        // First of all, so that what cannot be written is said at once.
        let file = try ArchiveFile(
            path: work.part, startBytes: PMTilesWriter.frontBytes, isShared: true)
        let isNew = !ArchivePath.exists(work.journal)
        let order: ArchiveOrder
        let source: ArchiveSource
        let plan: [UInt64]
        do {
            (order, source) = try self.source(asked, assets: assets)
            plan = try ArchiveMaker.plan(order, source, limit: OfflineService.mostTiles)
        } catch {
            // What a killed export has left is not lost by a mistake in the options.
            if isNew { work.remove() }
            throw error
        }
        do {
            let maker = try ArchiveMaker(source, plan: plan, file: file)
            if try maker.keepJournal(at: work.journal) {
                notice("what was drawn before is of other tiles: starting again")
            } else if maker.resumed > 0 {
                notice("going on after \(maker.resumed) of \(plan.count) tiles")
            }
            try maker.draw(threads: geo_usable_processors()) { progress($0) }
            let whole: String
            switch order.format {
            case .pmtiles:
                try maker.finish()
                try file.sync()
                whole = work.part
            case .mbtiles:
                ArchivePath.remove(work.copy)
                try maker.writeMBTiles(to: work.copy) {}
                try ArchivePath.sync(work.copy)
                whole = work.copy
            }
            let result = maker.result(bytes: try ArchivePath.bytes(of: whole))
            try ArchivePath.rename(whole, to: path)
            work.remove()
            return result
        } catch {
            work.remove()
            throw error
        }
    }

    private func source(
        _ order: ExportOrder, assets: String?
    ) throws -> (ArchiveOrder, ArchiveSource) {
        let catalog = try load(order.layer)
        guard let layer = catalog.layer(named: order.layer) else {
            throw SettingError("--layer", "names no layer: \(order.layer) is not there")
        }
        let archive = try ArchiveOrder(
            items: order.items, layer: order.layer, .anonymous, now: Timestamp.now())
        let objects = objects(catalog)
        return (
            archive,
            try ArchiveSource(
                archive, of: layer, objects: objects, catalog: catalog,
                painter: try TilePainter(KindStyle(assets: assets)))
        )
    }

    /// Reads documents for what is drawn.
    func objects(_ catalog: LayerCatalog) -> ObjectReader {
        // Nothing is answered, so that nothing waits there.
        let pool = WorkPool(threads: 1, queueLimit: 1)
        return ObjectReader(
            store: store,
            permissions: MapPermissions(
                directory: PermissionDirectory(), store: store, layers: catalog),
            pool: pool, conditions: WhereAnswers(store: store, limits: WhereAnswers.Limits()),
            conditionPool: pool)
    }
}

/// The names that an unfinished archive has beside its own, in the same folder.
struct ArchiveNames {
    /// The tiles so far; of a PMTiles archive the archive itself.
    let part: String
    /// What is in it.
    let journal: String
    /// An MBTiles archive until it is whole.
    let copy: String

    init(_ path: String) {
        let (folder, name) = ArchivePath.parts(path)
        part = "\(folder)/.\(name).part"
        journal = part + ".journal"
        copy = part + ".copy"
    }

    /// Takes the files away that are there.
    func remove() {
        for path in [part, journal, copy] { ArchivePath.remove(path) }
    }
}

extension ArchivePath {
    /// The length of a file.
    static func bytes(of path: String) throws(ArchiveError) -> Int {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .file(code: errno) }
        return Int(status.st_size)
    }
}
