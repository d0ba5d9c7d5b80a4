import GeoImport
import GeoIndex
import GeoStore
import JSONText
import TestSupport

@testable import GeoService

/// A store of its own with a live index, gone with the value.
final class ImportFixture {
    let store: SQLiteStore
    let catalog = LayerCatalog()
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
        store = try SQLiteStore(StoreDirectory(path: directory.path))
        store.observeCommits { [catalog] changes, _ in catalog.apply(changes) }
    }

    deinit { store.close() }

    /// Imports a table.
    func importTable(_ text: String, _ order: ImportOrder) throws -> ImportReport {
        let job = job(order)
        try feed(text, to: job, order)
        return try job.finish(notes: [])
    }

    func job(_ order: ImportOrder) -> ImportJob {
        ImportJob(
            order, store: store, extent: catalog.layer(named: order.layer)?.current.extent)
    }

    func feed(_ text: String, to job: ImportJob, _ order: ImportOrder) throws {
        var receiver = try RowReceiver(
            format: .csv, options: order.options, spoolDirectory: "/tmp")
        try receiver.push(Array(text.utf8).span) { try job.take(&$0) }
        try receiver.finish { try job.take(&$0) }
    }

    /// The access lists of a class's objects by their ids.
    func access(_ className: String) throws -> [String: AccessList?] {
        var found: [String: AccessList?] = [:]
        try store.read { reader in
            try reader.scan(className) { document in
                found[document.objectId] = .some(document.acl)
                return true
            }
        }
        return found
    }

    /// All objects of a class by their ids.
    func objects(_ className: String) throws -> [String: JSONObject] {
        var found: [String: JSONObject] = [:]
        try store.read { reader in
            try reader.scan(className) { document in
                found[document.objectId] = document.fields
                return true
            }
        }
        return found
    }
}
