import JSONText

/// What ``WriteTransaction/upsert(_:)`` did.
package enum UpsertOutcome: Hashable, Sendable {
    /// There was no object of that id.
    case added
    /// Fields or rights of the object changed.
    case updated
    /// The object has all that already; nothing was written.
    case unchanged
}

/// One job's hold on the store, lent by ``SQLiteStore/submit(bytes:_:then:)``: reads see what was
/// written before them. All of a job is kept, or nothing.
///
/// Every write judges the document against its class first and throws ``SchemaError``; what the
/// database reports is ``StoreError``. A job may catch the error of one write and go on.
package struct WriteTransaction: ~Copyable {
    let writer: SQLiteWriter

    init(_ writer: SQLiteWriter) {
        self.writer = writer
    }

    /// The classes as this job sees them.
    package var catalog: SchemaCatalog { writer.catalog }

    /// The object of that id, or nil. O(log n).
    package func object(_ className: String, _ objectId: String) throws(StoreError) -> Document? {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return nil }
        return try writer.lookup.document(
            schema.number, className: className, objectId: objectId)
    }

    /// Adds an object. O(size + log n); fastest when ids ascend.
    ///
    /// - Throws: ``StoreError/objectExists(className:objectId:)``, and as the type says.
    package mutating func insert(_ document: Document) throws {
        guard try insertIfAbsent(document) else {
            throw StoreError.objectExists(
                className: document.className, objectId: document.objectId)
        }
    }

    /// Puts an object in the place of the one of its id, all fields of it.
    ///
    /// - Throws: ``StoreError/objectNotFound(className:objectId:)``, and as the type says.
    package mutating func replace(_ document: Document) throws {
        guard let before = try object(document.className, document.objectId) else {
            throw StoreError.objectNotFound(
                className: document.className, objectId: document.objectId)
        }
        try replace(before, with: document)
    }

    /// Puts an object in the place of `before`, which this job has read and not written since.
    /// O(size + log n).
    ///
    /// - Throws: As the type says.
    package mutating func replace(_ before: Document, with after: Document) throws {
        let after = try asRuled(withoutRemovedFields(after, before), replacing: before)
        let (schema, row) = try admit(after)
        try write(after, row, over: before, schema)
        try follow(before, after)
    }

    /// As ``replace(_:with:)``, without judging the object.
    mutating func rewrite(
        _ before: Document, as after: Document, _ schema: ClassSchema
    ) throws(StoreError) {
        let row = writer.encoder.row(of: after, geoPointField: schema.geoPointField)
        writer.writtenBytes += row.body.count
        try write(after, row, over: before, schema)
    }

    private mutating func write(
        _ after: Document, _ row: DocumentRow, over before: Document, _ schema: ClassSchema
    ) throws(StoreError) {
        let rowBefore = writer.encoder.row(of: before, geoPointField: schema.geoPointField)
        guard try writer.objects.update(after, row, class: schema.number) else {
            throw StoreError.corrupt  // it has just been read
        }
        try writer.indexes.change(from: before, to: after, class: schema.number)
        let located = row.located(after)
        try noteShownPlace(located, schema)
        writer.changes.append(
            DocumentChange(
                className: after.className, objectId: after.objectId, before: before, after: after,
                locatedBefore: rowBefore.located(before), locatedAfter: located))
    }

    /// Deletes an object, its keys, secrets and relations, and gives what it was; nil when there
    /// was none. It may still stand as a member in relations of others.
    ///
    /// - Complexity: O(log n + members of its relations).
    @discardableResult
    package mutating func delete(
        _ className: String, _ objectId: String
    ) throws(StoreError) -> Document? {
        guard let before = try object(className, objectId),
            let schema = writer.catalog[className]
        else { return nil }
        let row = writer.encoder.row(of: before, geoPointField: schema.geoPointField)
        guard try writer.objects.delete(objectId: objectId, class: schema.number) else {
            return nil
        }
        try deleteBelongings(of: objectId, schema)
        try writer.indexes.change(from: before, to: nil, class: schema.number)
        writer.changes.append(
            DocumentChange(
                className: className, objectId: objectId, before: before, after: nil,
                locatedBefore: row.located(before), locatedAfter: nil))
        try follow(deletionOf: before)
        return before
    }

    /// Adds an object, or sets the document's fields on the one of its id and leaves the other
    /// fields, its `createdAt` and, when the document has none, its access list. Imports use this.
    ///
    /// - Throws: As the type says.
    /// - Complexity: As ``insert(_:)`` when there is none of that id; then nothing is read.
    package mutating func upsert(_ document: Document) throws -> UpsertOutcome {
        if try insertIfAbsent(document) { return .added }
        return try update(document)
    }

    /// As ``upsert(_:)-(Document)``, with the stored form made beforehand.
    ///
    /// - Throws: As the type says.
    package mutating func upsert(_ encoded: EncodedDocument) throws -> UpsertOutcome {
        if try insertIfAbsent(encoded.document, encoded) { return .added }
        return try update(encoded.document)
    }

    /// Adds an object whose stored form was made beforehand; false when there is one of its id.
    ///
    /// - Throws: As the type says.
    package mutating func insertIfAbsent(_ encoded: EncodedDocument) throws -> Bool {
        try insertIfAbsent(encoded.document, encoded)
    }

    private mutating func update(_ document: Document) throws -> UpsertOutcome {
        guard let before = try object(document.className, document.objectId) else {
            throw StoreError.corrupt  // the insert has just found it
        }
        var after = before
        for member in document.fields { after.fields[member.key] = member.value }
        after.acl = document.acl ?? before.acl
        guard after != before else { return .unchanged }
        after.updatedAt = document.updatedAt
        try replace(before, with: after)
        return .updated
    }

    /// Does a part of the job that may fail for itself: what it did is undone when it throws, and
    /// the job may go on. About 2 µs beside the part.
    ///
    /// - Throws: ``StoreError`` when the whole job has failed; the part's own error is the result.
    package mutating func attempt<Value>(
        _ part: (inout WriteTransaction) throws -> Value
    ) throws(StoreError) -> Result<Value, any Error> {
        try writer.requireTransaction()
        let result = Result { try writer.runPart(part) }
        try writer.requireTransaction()
        return result
    }

    /// The ids of a class in order. O(objects of the class).
    package func objectIds(of className: String) throws(StoreError) -> [String] {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return [] }
        let rows = writer.identifiers
        rows.bind(schema.number, at: 1)
        defer { rows.reset() }
        var ids: [String] = []
        while try rows.step() { ids.append(rows.text(0)) }
        return ids
    }

    /// Whether a class has an object with a place, whoever may read it.
    ///
    /// - Complexity: O(objects of the class) when it has none.
    package func hasPlaces(_ className: String) throws(StoreError) -> Bool {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return false }
        return try writer.connection.hasPlaces(ofClass: schema.number)
    }

    mutating func insertIfAbsent(
        _ given: Document, _ encoded: EncodedDocument? = nil
    ) throws -> Bool {
        let document = try asRuled(given, replacing: nil)
        let isGiven = encoded == nil || writer.catalog.rules == nil || document == given
        let (schema, row) = try admit(document, isGiven ? encoded : nil)
        guard try writer.objects.insert(document, row, class: schema.number) else { return false }
        try writer.indexes.change(from: nil, to: document, class: schema.number)
        let located = row.located(document)
        try noteShownPlace(located, schema)
        writer.changes.append(
            DocumentChange(
                className: document.className, objectId: document.objectId, before: nil,
                after: document, locatedBefore: nil, locatedAfter: located))
        try follow(nil, document)
        return true
    }

    /// Notes the first place of a class that everybody sees.
    private func noteShownPlace(
        _ located: LocatedObject?, _ schema: ClassSchema
    ) throws(StoreError) {
        guard !schema.hasShownPlaces, located?.isPublic == true,
            let schema = writer.catalog[schema.name]
        else { return }
        try writer.catalogWriter.noteShownPlace(of: schema, in: &writer.catalog)
    }

    /// Judges a document, adds what is new to its class, and makes its row.
    private mutating func admit(
        _ document: Document, _ encoded: EncodedDocument? = nil
    ) throws -> (ClassSchema, DocumentRow) {
        try writer.requireTransaction()
        let place = encoded.flatMap { $0.row.position == nil ? nil : $0.geoPointField }
        if writer.knownFields.cover(document, place: place),
            let schema = writer.catalog[document.className]
        {
            return (schema, try row(of: document, encoded, schema.geoPointField))
        }
        let new = try writer.catalog.newFields(of: document)
        let geoPointField =
            writer.catalog[document.className]?.geoPointField
            ?? new.first { $0.type == .geoPoint }?.name
        let row = try row(of: document, encoded, geoPointField)
        let schema = try writer.catalogWriter.add(
            new, to: document.className, in: &writer.catalog)
        writer.knownFields.remember(document, schema)
        return (schema, row)
    }

    private func row(
        of document: Document, _ encoded: EncodedDocument?, _ geoPointField: String?
    ) throws -> DocumentRow {
        let row =
            if let encoded, encoded.geoPointField == geoPointField {
                encoded.row
            } else {
                writer.encoder.row(of: document, geoPointField: geoPointField)
            }
        if let fault = row.fault {
            throw SchemaError.invalidValue(
                className: document.className, field: LocationAccuracy.fieldName, fault)
        }
        guard row.body.count <= writer.maximumDocumentBytes else {
            throw StoreError.documentTooLarge(
                bytes: row.body.count, limitBytes: writer.maximumDocumentBytes)
        }
        writer.writtenBytes += row.body.count
        return row
    }
}
