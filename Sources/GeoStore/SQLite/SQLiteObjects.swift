import GeoIndex
import JSONText

/// Turns rows of `objects` into documents. Belongs to one connection.
final class SQLiteDocumentDecoder {
    private let parser = JSONParser()
    private var lists = AccessListMemo()

    /// The document of a row whose columns from `column` on are created, updated, acl, body.
    ///
    /// - Throws: ``StoreError/corrupt`` when the texts are not what the store writes.
    func document(
        _ row: SQLiteStatement, from column: Int32, className: String, objectId: String
    ) throws(StoreError) -> Document {
        let fields = try json(row, column + 3).objectValue
        guard let fields else { throw .corrupt }
        let acl = try accessList(row, column + 2)?.list
        return Document(
            className: className, objectId: objectId,
            createdAt: Timestamp(milliseconds: row.integer(column)),
            updatedAt: Timestamp(milliseconds: row.integer(column + 1)), acl: acl, fields: fields)
    }

    /// The access list in a column; nil where there is none.
    func accessList(
        _ row: SQLiteStatement, _ column: Int32
    ) throws(StoreError) -> StoredAccessList? {
        guard !row.isNull(column) else { return nil }
        if let known = row.withBlob(column, { lists.list(of: $0) }) { return known }
        let value = try json(row, column)
        let list: AccessList
        do {
            list = try AccessList(value)
        } catch {
            throw .corrupt
        }
        let read = StoredAccessList(list)
        row.withBlob(column) { lists.keep(read, of: $0) }
        return read
    }

    /// The JSON of a stored text.
    static func json(_ text: [UInt8]) throws(StoreError) -> JSONValue {
        do {
            return try JSONParser.parse(
                text, maxBytes: .max, maxDepth: JSONParser.greatestMaxDepth)
        } catch {
            throw error == .outOfMemory ? .outOfMemory : .corrupt
        }
    }

    /// The JSON in a column.
    func json(_ row: SQLiteStatement, _ column: Int32) throws(StoreError) -> JSONValue {
        do {
            return try row.withBlob(column) { bytes throws(JSONError) in
                try parser.parse(bytes, maxBytes: .max, maxDepth: JSONParser.greatestMaxDepth)
            }
        } catch {
            throw error == .outOfMemory ? .outOfMemory : .corrupt
        }
    }
}

/// Finds documents by class and id.
final class SQLiteLookup {
    private let select: SQLiteStatement
    private let decoder: SQLiteDocumentDecoder

    init(_ connection: SQLiteConnection, _ decoder: SQLiteDocumentDecoder) throws(StoreError) {
        self.decoder = decoder
        select = try SQLiteStatement(
            connection,
            "SELECT created, updated, acl, body FROM objects WHERE class = ?1 AND id = ?2")
    }

    /// The document, or nil. O(log n).
    func document(
        _ number: Int64, className: String, objectId: String
    ) throws(StoreError) -> Document? {
        select.bind(number, at: 1)
        select.bind(objectId, at: 2)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return try decoder.document(select, from: 0, className: className, objectId: objectId)
    }
}

/// The writer's statements on `objects`.
final class SQLiteObjectWriter {
    private let connection: SQLiteConnection
    let readerSets: SQLiteReaderSetWriter
    private let insertRow: SQLiteStatement
    private let updateRow: SQLiteStatement
    private let deleteRow: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        readerSets = try SQLiteReaderSetWriter(connection)
        insertRow = try SQLiteStatement(
            connection,
            """
            INSERT INTO objects (class, id, created, updated, lon, lat, accuracy, kind, weight,
                                 expires, owner, readers, content, acl, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            ON CONFLICT (class, id) DO NOTHING
            """)
        updateRow = try SQLiteStatement(
            connection,
            """
            UPDATE objects SET created = ?3, updated = ?4, lon = ?5, lat = ?6, accuracy = ?7,
                kind = ?8, weight = ?9, expires = ?10, owner = ?11, readers = ?12, content = ?13,
                acl = ?14, body = ?15
            WHERE class = ?1 AND id = ?2
            """)
        deleteRow = try SQLiteStatement(
            connection, "DELETE FROM objects WHERE class = ?1 AND id = ?2")
    }

    /// Inserts a row; false when there is one of that id already. O(log n).
    func insert(
        _ document: Document, _ row: DocumentRow, class number: Int64
    ) throws(StoreError) -> Bool {
        try run(insertRow, document, row, number)
    }

    /// Replaces a row; false when there is none of that id. O(log n).
    func update(
        _ document: Document, _ row: DocumentRow, class number: Int64
    ) throws(StoreError) -> Bool {
        try run(updateRow, document, row, number)
    }

    /// Deletes a row; false when there is none of that id. O(log n).
    func delete(objectId: String, class number: Int64) throws(StoreError) -> Bool {
        deleteRow.bind(number, at: 1)
        deleteRow.bind(objectId, at: 2)
        try deleteRow.run()
        return connection.changes > 0
    }

    private func run(
        _ statement: SQLiteStatement, _ document: Document, _ row: DocumentRow, _ number: Int64
    ) throws(StoreError) -> Bool {
        statement.bind(number, at: 1)
        statement.bind(document.objectId, at: 2)
        statement.bind(document.createdAt.milliseconds, at: 3)
        statement.bind(document.updatedAt.milliseconds, at: 4)
        statement.bind(row.position?.lon, at: 5)
        statement.bind(row.position?.lat, at: 6)
        statement.bind(row.accuracy?.meters, at: 7)
        statement.bind(row.kind, at: 8)
        statement.bind(row.weight, at: 9)
        statement.bind(row.expiresAt?.milliseconds, at: 10)
        statement.bind(row.owner, at: 11)
        statement.bind(try readerSets.number(of: row.readers), at: 12)
        statement.bind(Int64(bitPattern: row.content), at: 13)
        statement.bind(row.acl, at: 14)
        statement.bind(row.body, at: 15)
        try statement.run()
        return connection.changes > 0
    }
}

extension SQLiteConnection {
    /// Whether a class has an object with a place. O(objects of the class) when it has none.
    func hasPlaces(ofClass number: Int64) throws(StoreError) -> Bool {
        let rows = try SQLiteStatement(
            self, "SELECT 1 FROM objects WHERE class = ?1 AND lon IS NOT NULL LIMIT 1")
        rows.bind(number, at: 1)
        return try rows.step()
    }
}
