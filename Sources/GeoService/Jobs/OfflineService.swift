package import GeoImport
import GeoIndex
import GeoStore
import Glibc
package import JSONText
import TileRender

/// What an import gives back to whoever waits for it.
package struct ImportResult: Sendable {
    /// What was done.
    package let report: ImportReport
    /// In a dry run the first objects as they would be stored.
    package let sample: [JSONValue]
}

/// How far an import is.
package struct ImportProgress: Sendable {
    /// The share of the file that was read, in 0...1; nil when its length is not known.
    package let share: Double?
    /// How many rows were read; nil when another process reads them.
    package let rows: Int?
}

/// A file that could not be read to its end.
package struct ImportFailure: Error, CustomStringConvertible {
    /// What is wrong, and what became of the rows before it.
    package let description: String
}

/// A data directory without a server: for commands while nobody serves it.
package final class OfflineService {
    let directory: StoreDirectory
    let store: SQLiteStore
    private let fitter: HeatFitter
    private let isScratch: Bool
    private let snapshots: LayerSnapshots

    /// Takes a data directory, which is made when it is missing.
    ///
    /// - Throws: ``StoreError/locked(processID:)`` while another process has it; ``StoreError``.
    package convenience init(dataDirectory: String) throws {
        try self.init(StoreDirectory(path: dataDirectory), isScratch: false)
    }

    private init(_ directory: StoreDirectory, isScratch: Bool) throws {
        self.directory = directory
        self.isScratch = isScratch
        store = try SQLiteStore(directory)
        fitter = HeatFitter(store: store)
        snapshots = LayerSnapshots(SnapshotFolder(directory), isLogged: false)
    }

    /// An empty data directory that is gone after ``close()``: for trying what is not to be kept.
    package static func scratch() throws -> OfflineService {
        var template = Array("/tmp/geoservice-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { name in
            unsafe name.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard isMade else { throw StoreError.directoryNotUsable(reason: "/tmp cannot be written") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        return try OfflineService(StoreDirectory(path: path), isScratch: true)
    }

    /// Gives the directory back.
    package func close() {
        fitter.stop()
        store.close()
        guard isScratch else { return }
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(directory.databasePath + suffix) }
        unsafe unlink(directory.path + "/lock")
        unsafe rmdir(directory.path)
    }

    /// Imports a file.
    ///
    /// - Parameters:
    ///   - progress: Called after every piece of the file.
    ///   - onRejection: Told of every row that is not taken, in the order of the file.
    /// - Throws: ``ImportFailure`` when the file cannot be read; ``StoreError``.
    package func importFile(
        _ file: consuming ByteFile, format: ImportFormat, order: ImportOrder,
        progress: (ImportProgress) -> Void,
        onRejection: ((_ line: Int, _ reason: String) -> Void)? = nil
    ) throws -> ImportResult {
        let job = ImportJob(
            order, store: store, extent: try layer(order.layer)?.current.extent,
            isTable: format == .csv)
        job.onRejection = onRejection
        do {
            let notes = try FileImport.read(
                file, format: format, options: order.options, spoolDirectory: directory.path,
                progress: { progress(ImportProgress(share: $0, rows: job.readRows)) },
                { try job.take(&$0) })
            let report = try job.finish(notes: notes)
            if !order.dryRun { try finishImport(into: order.layer) }
            try job.close()
            return ImportResult(report: report, sample: job.sample)
        } catch let error as ImportError {
            let report = try job.finishBroken()
            let isStored = report.added + report.updated > 0
            throw ImportFailure(
                description: isStored
                    ? "\(error); \(report.fate(isDryRun: order.dryRun))" : "\(error)")
        } catch {
            job.abandon()
            throw error
        }
    }

    /// Draws a tile, the same bytes as a server sends.
    ///
    /// - Parameter assets: The folder of the assets; nil is the usual one.
    /// - Throws: ``SettingError`` when there is no such layer; ``StoreError``.
    package func tile(_ order: TileOrder, assets: String?) throws -> [UInt8] {
        guard let layer = try layer(order.layer) else {
            throw SettingError("--layer", "names no layer: \(order.layer) is not there")
        }
        let now = Timestamp.now()
        let drawing = try TilePainter(KindStyle(assets: assets)).drawing(
            of: order.request.asked(of: layer, at: now), from: layer.current(at: now),
            scale: layer.heatScale)
        return try PNGEncoder().encode(drawing.image())
    }

    /// A layer with its index, built anew: this is faster than to keep an index current while
    /// nobody asks it.
    private func layer(_ name: String) throws -> Layer? { try load(name).layer(named: name) }

    func load(_ name: String) throws -> LayerCatalog {
        let catalog = LayerCatalog()
        try catalog.load(from: store, scales: HeatScaleStore(), only: name, snapshots: snapshots)
        return catalog
    }

    /// Fits the layer's colours, and keeps its index for the next start of a server.
    private func finishImport(into name: String) throws {
        let catalog = try load(name)
        if let layer = catalog.layer(named: name) { fitter.fit(layer) }
        guard !isScratch else { return }
        for state in catalog.states where !snapshots.folder.holds(state.label) {
            snapshots.save(state)
        }
    }
}
