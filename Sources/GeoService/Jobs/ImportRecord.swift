import GeoIndex
import GeoStore
import JSONText

/// How far an import has come, in the store beside its rows: an object of the internal class
/// `_Import`, written in the transaction of each batch and removed at the end.
///
/// It is found by the file's fingerprint and all options, so that the same command, started again
/// after it was killed, passes over the rows that are stored. A file that has changed has another.
struct ImportRecord: Sendable {
    static let className = "_Import"

    /// The fixed id: a hash of the order.
    let objectId: String
    private let layer: String

    /// The record of an order; nil when the order does not say which file it is about, and when it
    /// keeps nothing or looks at the whole file anyway.
    init?(_ order: ImportOrder) {
        guard order.fileKey != nil, !order.sync, !order.dryRun else { return nil }
        var hash = StableHash()
        hash.combine(bytes: order.layer.utf8)
        for (name, value) in order.query {
            hash.combine(bytes: name.utf8)
            hash.combine(bytes: value.utf8)
        }
        let digits = String(hash.value, radix: 16)
        objectId = String(repeating: "0", count: 16 - digits.count) + digits
        layer = order.layer
    }

    /// How many rows are stored; 0 when there is no record, and when the object that was stored
    /// last has gone since: then the layer is not what the record was made of.
    func storedRows(_ store: SQLiteStore) throws -> Int {
        let rows = try store.read { reader -> Int in
            guard let fields = try reader.object(Self.className, objectId)?.fields,
                let rows = fields["rows"]?.integerValue, let last = fields["last"]?.stringValue,
                try reader.object(layer, last) != nil
            else { return 0 }
            return Int(clamping: rows)
        }
        if rows == 0 { try remove(from: store) }
        return rows
    }

    /// Removes the record: the import is complete.
    func remove(from store: SQLiteStore) throws {
        let id = objectId
        try store.write(waitsForRoom: true) { transaction in
            _ = try transaction.delete(Self.className, id)
        }
    }

    /// What one batch adds to it.
    struct Step: Sendable {
        let record: ImportRecord
        /// The file's rows before those of the batch, and with them.
        let rows: Range<Int>
    }

    /// A batch whose predecessor was not stored.
    struct Gap: Error {}
}

extension ImportRecord.Step {
    /// Writes the step, in the transaction of its rows.
    ///
    /// - Parameter last: An object of the batch that is stored; nil when none of it was taken.
    /// - Throws: ``ImportRecord/Gap``: the batch must not be stored then.
    func write(last: String?, in transaction: inout WriteTransaction) throws {
        let id = record.objectId
        let before = try transaction.object(ImportRecord.className, id)?.fields
        let last = last ?? before?["last"]?.stringValue
        guard Int(clamping: before?["rows"]?.integerValue ?? 0) == rows.lowerBound else {
            throw ImportRecord.Gap()
        }
        guard let last else {
            // Nothing of the file is stored yet, so nothing would be doubled.
            return
        }
        _ = try transaction.upsert(
            Document(
                className: ImportRecord.className, objectId: id, createdAt: .now(),
                acl: AccessList(),
                fields: [
                    "layer": .string(record.layer), "rows": .integer(Int64(rows.upperBound)),
                    "last": .string(last),
                ]))
    }
}
