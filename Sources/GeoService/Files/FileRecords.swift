import GeoStore
import JSONText

/// What is known of a stored file besides its bytes.
struct FileRecord: Hashable, Sendable {
    let name: FileName
    /// What the bytes are.
    let kind: FileKind
    /// How many they are.
    let byteCount: Int
    /// Width and height in pixels; nil for what is no picture.
    var size: PictureSize?

    var type: FileType {
        FileType(kind, extension: FileName.fileExtension(of: name.given))
    }
}

/// The extent of a picture as it is shown, in pixels.
struct PictureSize: Hashable, Sendable {
    let width: Int
    let height: Int
}

/// The records of stored files: documents of a class that no client sees, by the random digits of
/// the file's name.
struct FileRecords: Sendable {
    let store: SQLiteStore

    private static let className = "_File"

    /// The record of a name; nil when there is no such file. Blocks for the store.
    ///
    /// - Throws: ``StoreError``.
    func find(_ name: FileName) throws -> FileRecord? {
        let document = try store.read { try $0.object(Self.className, name.id) }
        return document.flatMap { Self.record($0, name) }
    }

    /// Adds a record. Blocks until it is durable.
    ///
    /// - Throws: ``StoreError``.
    func add(_ record: FileRecord) throws {
        var fields: JSONObject = [
            "name": .string(record.name.text), "kind": .string(record.kind.rawValue),
            "byteCount": .integer(Int64(record.byteCount)),
        ]
        if let size = record.size {
            fields["width"] = .integer(Int64(size.width))
            fields["height"] = .integer(Int64(size.height))
        }
        let document = Document(
            className: Self.className, objectId: record.name.id, createdAt: .now(),
            acl: AccessList(), fields: fields)
        try store.write { (transaction: inout WriteTransaction) -> Void in
            try transaction.insert(document)
        }
    }

    /// Removes the record of a name. False when there is none. Blocks until that is durable.
    ///
    /// - Throws: ``StoreError``.
    func remove(_ name: FileName) throws -> Bool {
        try store.write { transaction in
            guard let document = try transaction.object(Self.className, name.id),
                Self.record(document, name) != nil
            else { return false }
            return try transaction.delete(Self.className, name.id) != nil
        }
    }

    /// Deletes files that no record names: what a process that was killed between the two has left.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(files), at the start.
    func removeOrphans(in folder: FileFolder) throws {
        var known: Set<String> = []
        try store.read { reader in
            try reader.scanIds(Self.className) { id in
                known.insert(id)
                return true
            }
        }
        folder.removeAll { !known.contains($0) }
    }

    private static func record(_ document: Document, _ name: FileName) -> FileRecord? {
        guard document.fields["name"]?.stringValue == name.text,
            let kind = document.fields["kind"]?.stringValue.flatMap(FileKind.init(rawValue:)),
            let byteCount = document.fields["byteCount"]?.integerValue
        else { return nil }
        var record = FileRecord(name: name, kind: kind, byteCount: Int(byteCount))
        if let width = document.fields["width"]?.integerValue,
            let height = document.fields["height"]?.integerValue
        {
            record.size = PictureSize(width: Int(width), height: Int(height))
        }
        return record
    }
}
