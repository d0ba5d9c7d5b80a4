import GeoImport
import GeoIndex
import GeoStore
import JSONText

/// Writes the rows of one file into a layer.
///
/// Batches of several thousand rows go to the store while the next ones are read; memory is
/// bounded, whatever the file. A row that its class does not take is rejected by itself. Rows that
/// the store has answered are durable and visible, whatever becomes of the rest.
///
///     let job = ImportJob(order, store: store, extent: layer.current.extent)
///     try receiver.push(bytes) { try job.take($0) }
///     …
///     let report = try job.finish(notes: receiver.notes)
///
/// It belongs to one thread, which waits while the store is behind.
final class ImportJob {
    private let order: ImportOrder
    private let store: SQLiteStore
    /// Where the layer's objects lay before.
    private let extent: BoundingBox?
    /// The field that the rows' places go into.
    private let placeField: String
    /// Who may read and write the objects that are new.
    private let access: AccessList
    private let began = ContinuousClock.now
    private let flight = ImportFlight()
    private var pending: ImportBatch
    /// The rejections of batches in flight, by their numbers.
    private var rejections: [Int: [RowRejection]] = [:]
    private var nextNumber = 0
    private var ids = AscendingObjectIDs()
    private var preparer = DocumentPreparer()
    private var named = ImportedIDs()
    private var hasFileIDs = false
    private var unnamedRejections = 0
    /// Rows that the class's rules refused for the sake of what is there.
    private var refusedByRules = 0
    private var warnings: WarningCollector
    private var report = ImportReport()
    /// How many rows were read.
    private(set) var readRows = 0
    /// Where it is kept how far the import has come; nil when that is not asked for.
    private let record: ImportRecord?
    private var hasBegun = false
    /// The rows at the beginning of the file that an import which was cut short has stored.
    private var storedRows = 0
    /// The readable rows of the file so far, and those of them that were given to the store.
    private var goodRows = 0
    private var launchedRows = 0
    /// In a dry run the first objects as they would be stored.
    private(set) var sample: [JSONValue] = []
    /// Reads what the cells of a table say beyond text; nil for other formats.
    private let cells: CellValues?
    /// Told of every row that is not taken, in the order of the file.
    var onRejection: ((_ line: Int, _ reason: String) -> Void)?

    private static let sampleCount = 5

    /// Begins an import.
    ///
    /// - Parameters:
    ///   - extent: Where the layer's objects lie, when it has any.
    ///   - isTable: Whether the rows are a table's, whose cells are text.
    init(
        _ order: ImportOrder, store: SQLiteStore, extent: BoundingBox?, isTable: Bool = false
    ) {
        self.order = order
        pending = ImportBatch(setsAccess: order.acl != nil)
        access = order.acl ?? AccessList(everybody: .read)
        self.store = store
        self.extent = extent
        placeField = store.catalog[order.layer]?.geoPointField ?? "location"
        warnings = WarningCollector(options: order.options)
        record = ImportRecord(order)
        cells = isTable ? CellValues(store.catalog[order.layer]) : nil
    }

    /// Takes the next rows of the file.
    ///
    /// - Throws: ``StoreError`` when the store fails; the import is over then.
    func take(_ batch: inout RowBatch) throws {
        try begin()
        readRows += batch.rows.count + batch.rejections.count
        warnings.add(batch)
        pending.rejections += batch.rejections
        let now = Timestamp.now()
        for index in batch.rows.indices {
            goodRows += 1
            if goodRows > storedRows { add(&batch.rows[index], now) }
        }
        // Only now, so that the rejections of one batch all lie before those of the next.
        if pending.isFull { try flush() }
    }

    /// Finds out how far an import of the same file has come.
    private func begin() throws {
        guard !hasBegun else { return }
        hasBegun = true
        storedRows = try record?.storedRows(store) ?? 0
        launchedRows = storedRows
    }

    /// Takes the end of the file: waits until all is durable and visible, and reports.
    ///
    /// - Parameter notes: What the reader says of the file.
    /// - Throws: ``StoreError``.
    func finish(notes: [String]) throws -> ImportReport {
        try flush()
        try settle()
        report.warnings = warnings.warnings(layerExtent: extent) + notes
        if storedRows > 0 {
            report.warnings.insert(
                "the first \(storedRows) rows were stored by an import of the same file that was cut "
                    + "short: it went on after them", at: 0)
        }
        if order.sync { try removeUnnamed() }
        report.seconds = (ContinuousClock.now - began) / .seconds(1)
        return report
    }

    /// Forgets how far the import has come: the last that is done, since an import that is killed
    /// before is begun again by whoever has had no report.
    ///
    /// - Throws: ``StoreError``.
    func close() throws { try record?.remove(from: store) }

    /// Ends an import whose file cannot be read on: stores the rows before the error and reports.
    ///
    /// - Throws: ``StoreError``.
    func finishBroken() throws -> ImportReport {
        try flush()
        try settle()
        return report
    }

    /// Gives up: waits for what is in flight, drops the rest, and reports what was stored.
    @discardableResult
    func abandon() -> ImportReport {
        pending = ImportBatch(setsAccess: order.acl != nil)
        // A second failure is of no interest beside the first.
        try? settle()
        return report
    }

    /// Whether nothing is kept.
    var isDryRun: Bool { order.dryRun }

    // MARK: - Rows

    private func add(_ row: inout ImportRow, _ now: Timestamp) {
        var fields = row.takeFields()
        cells?.read(&fields)
        if let position = row.position {
            guard !fields.contains(placeField) else {
                pending.rejections.append(
                    RowRejection(
                        line: row.line, id: row.id, reason: .fieldOfPlace(name: placeField)))
                return
            }
            fields.append(new: placeField, GeoPointField.json(position))
        }
        let id = row.id ?? ids.next()
        if row.id != nil { hasFileIDs = true }
        if order.sync { named.insert(id) }
        let document = Document(
            className: order.layer, objectId: id, createdAt: now, acl: access, fields: fields)
        if order.dryRun && sample.count < ImportJob.sampleCount {
            sample.append(["objectId": .string(id), "fields": .object(fields)])
        }
        pending.append(
            ImportBatch.Entry(
                encoded: preparer.prepare(document, geoPointField: placeField), line: row.line,
                hasFileID: row.id != nil))
    }

    private func flush() throws {
        guard !pending.isEmpty else { return }
        var batch = pending
        pending = ImportBatch(setsAccess: order.acl != nil)
        if let record, goodRows > launchedRows {
            batch.step = ImportRecord.Step(record: record, rows: launchedRows..<goodRows)
            launchedRows = goodRows
        }
        batch.sort()
        rejections[nextNumber] = batch.rejections
        batch.rejections = []
        try flight.launch(batch, number: nextNumber, into: store, dryRun: order.dryRun)
        nextNumber += 1
        try land()
    }

    private func settle() throws {
        flight.settle()
        try land()
    }

    /// Counts what has been answered, and throws the first failure.
    private func land() throws {
        var failure: (any Error)?
        for landing in flight.landed() {
            let read = rejections.removeValue(forKey: landing.batch) ?? []
            switch landing.result {
            case .success(let outcome): count(outcome, read)
            case .failure(let error): failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func count(_ outcome: ImportOutcome, _ read: [RowRejection]) {
        report.added += outcome.added
        report.updated += outcome.updated
        report.unchanged += outcome.unchanged
        if order.sync { for id in outcome.newIDs { named.insert(id) } }
        unnamedRejections += read.count { $0.id == nil }
        refusedByRules += outcome.refusedByRules
        if order.sync { for case let id? in read.map(\.id) { named.insert(id) } }
        guard !read.isEmpty || !outcome.rejections.isEmpty else { return }
        var all = outcome.rejections
        // A text is made of each only when somebody reads it: there may be millions.
        let isRead = onRejection != nil || report.errors.count < ImportReport.shownErrors
        all += read.map { ($0.line, isRead ? $0.reason.description : "") }
        all.sort { $0.line < $1.line }
        for (line, reason) in all {
            report.reject(line: line, reason: reason)
            onRejection?(line, reason)
        }
    }

    // MARK: - Sync

    /// How many ids are looked at, or objects removed, at a time.
    private static let removalCount = 4_096

    /// Removes the objects that the file does not name, a few thousand at a time.
    private func removeUnnamed() throws {
        guard refusedByRules == 0 else {
            report.warnings.append(
                "nothing was removed: the rules of the class refused \(refusedByRules) rows for the "
                    + "sake of objects that are there, which would be gone then, too")
            return
        }
        guard unnamedRejections == 0 || !hasFileIDs else {
            report.warnings.append(
                "nothing was removed: \(unnamedRejections) of the rejected rows have no readable "
                    + "id, so what they name may still be wanted")
            return
        }
        var after = ""
        while let part = try unnamed(after: after) {
            if !part.ids.isEmpty && !order.dryRun {
                let layer = order.layer
                try store.write(waitsForRoom: true) { transaction in
                    for id in part.ids { try transaction.delete(layer, id) }
                }
            }
            report.removed += part.ids.count
            after = part.last
        }
    }

    /// The next ids of the layer that the file does not name; nil when there are no more ids.
    private func unnamed(after: String) throws -> (ids: [String], last: String)? {
        var ids: [String] = []
        var last: String?
        try store.read { reader in
            try reader.scanIds(order.layer, after: after) { id in
                last = id
                if !named.contains(id) { ids.append(id) }
                return ids.count < ImportJob.removalCount
            }
        }
        return last.map { (ids, $0) }
    }
}
