package import JSONText

extension WriteTransaction {
    /// Makes a class without fields; false when there is one of that name.
    ///
    /// - Throws: ``SchemaError/invalidClassName(_:)``, ``SchemaError/tooManyClasses(limit:)``,
    ///   ``StoreError``.
    @discardableResult
    package mutating func addClass(_ className: String) throws -> Bool {
        try writer.requireTransaction()
        guard writer.catalog[className] == nil else { return false }
        _ = try addedClass(className)
        return true
    }

    /// Gives a class a field, and makes the class when it is not there; false when it has the
    /// field with this type already.
    ///
    /// - Throws: ``SchemaError``, ``StoreError``.
    @discardableResult
    package mutating func addField(
        _ field: String, _ type: FieldType, to className: String
    ) throws -> Bool {
        try writer.requireTransaction()
        guard try writer.catalog.isNew(field, type, of: className) else { return false }
        _ = try writer.catalogWriter.add(
            [SchemaCatalog.NewField(name: field, type: type)], to: className, in: &writer.catalog)
        // The one that the catalog has now may have another place for a GeoPoint.
        writer.knownFields.forget()
        return true
    }

    /// Does a step of removing a field from a class and from its objects.
    ///
    /// From the first step on the field takes no values; an object that has one loses it when its
    /// step comes, or with its next change, and keeps its `updatedAt`. Steps are jobs of their
    /// own, so that other writes go on between them:
    ///
    ///     var after: String? = ""
    ///     while let place = after {
    ///         after = try store.write { try $0.removeField("old", of: "Spot", after: place) }
    ///     }
    ///
    /// A removal that was broken off, ``ClassSchema/removedFields`` tells, is begun anew.
    ///
    /// - Parameters:
    ///   - after: Empty at first, then what the step before has given.
    ///   - limit: How many objects one step looks at, at most.
    /// - Returns: Where the next step begins; nil when the field is gone.
    /// - Throws: ``SchemaError/unknownField(className:field:)``,
    ///   ``RuleError/fieldInUse(className:field:by:)``, ``StoreError``.
    /// - Complexity: O(bytes of `limit` objects).
    package mutating func removeField(
        _ field: String, of className: String, after: String = "", limit: Int = 500
    ) throws -> String? {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className], let type = schema.fields[field] else {
            throw SchemaError.unknownField(className: className, field: field)
        }
        if !schema.removedFields.contains(field) {
            if let user = writer.catalog.rules?.user(of: field, in: className) {
                throw RuleError.fieldInUse(className: className, field: field, by: user)
            }
            try writer.catalogWriter.beginRemoval(of: field, schema, in: &writer.catalog)
            writer.knownFields.forget()
        }
        let (documents, last) = try documents(
            of: schema, with: field, after: after, limit: max(1, limit))
        for document in documents {
            var without = document
            without.fields[field] = nil
            // Not judged: what the class took once need not be what it takes now.
            try rewrite(document, as: without, schema)
        }
        if let last { return last }
        if case .relation = type {
            let count = try writer.relations.delete(
                field, class: schema.number, limit: max(1, limit))
            // Past the last object: a step that finds none, but the rest of the members.
            if count > 0 { return WriteTransaction.pastAllIds }
        }
        guard let schema = writer.catalog[className] else { throw StoreError.corrupt }
        try writer.catalogWriter.remove(field, schema, in: &writer.catalog)
        writer.knownFields.forget()
        return nil
    }

    /// Sorts after every id.
    private static var pastAllIds: String { "~" }

    /// Deletes a class without objects, with its fields and settings; false when there is none.
    ///
    /// - Throws: ``SchemaError/classNotEmpty(_:)``, ``StoreError``.
    @discardableResult
    package mutating func deleteClass(_ className: String) throws -> Bool {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return false }
        let rows = try SQLiteStatement(
            writer.connection, "SELECT 1 FROM objects WHERE class = ?1 LIMIT 1")
        rows.bind(schema.number, at: 1)
        guard try !rows.step() else { throw SchemaError.classNotEmpty(className) }
        rows.reset()
        if try writer.secrets.deleteAll(class: schema.number) { writer.hasDroppedSecrets = true }
        try writer.catalogWriter.delete(schema, in: &writer.catalog)
        writer.knownFields.forget()
        return true
    }

    /// What the service keeps about a class; nil when that is nothing.
    package func classSettings(_ className: String) -> JSONObject? {
        writer.catalog[className]?.settings
    }

    /// The largest settings of a class, in bytes of JSON.
    package static var maximumSettingsBytes: Int { 1 << 20 }

    /// Sets what the service keeps about a class, which is made when it is not there; nil removes
    /// it. ``SQLiteStore/catalog`` has it as of the last commit.
    ///
    /// - Throws: ``StoreError/valueTooLarge(name:bytes:limitBytes:)``, and as ``addClass(_:)``.
    package mutating func setClassSettings(
        _ className: String, _ settings: JSONObject?
    ) throws {
        try writer.requireTransaction()
        if settings == nil, writer.catalog[className] == nil { return }
        let bytes = settings.map { JSONWriter.encode(.object($0)) } ?? []
        guard bytes.count <= Self.maximumSettingsBytes else {
            throw StoreError.valueTooLarge(
                name: "settings of \(className)", bytes: bytes.count,
                limitBytes: Self.maximumSettingsBytes)
        }
        let schema = try addedClass(className)
        try writer.catalogWriter.set(settings, bytes, schema, in: &writer.catalog)
    }

    /// A class, which is made when it is not there.
    mutating func addedClass(_ className: String) throws -> ClassSchema {
        try writer.catalog.check(className)
        return try writer.catalogWriter.add([], to: className, in: &writer.catalog)
    }

    /// An object without the values of removed fields that it had before: they go with its next
    /// change. Others are refused when the class judges it.
    func withoutRemovedFields(_ after: Document, _ before: Document) -> Document {
        guard let removed = writer.catalog[after.className]?.removedFields, !removed.isEmpty else {
            return after
        }
        var after = after
        for field in removed where after.fields[field] == before.fields[field] {
            after.fields[field] = nil
        }
        return after
    }

    /// The objects, of the next few of a class, that have a field; and the id of the last that was
    /// looked at, nil when none is left. Bodies in which the name does not occur are not parsed.
    private func documents(
        of schema: ClassSchema, with field: String, after: String, limit: Int
    ) throws(StoreError) -> ([Document], last: String?) {
        let rows = try SQLiteStatement(
            writer.connection,
            """
            SELECT id, created, updated, acl, body, instr(body, ?4) FROM objects
            WHERE class = ?1 AND id > ?2 ORDER BY id LIMIT ?3
            """)
        rows.bind(schema.number, at: 1)
        rows.bind(after, at: 2)
        rows.bind(Int64(limit), at: 3)
        rows.bind(Array("\"\(field)\"".utf8), at: 4)
        let decoder = SQLiteDocumentDecoder()
        var documents: [Document] = []
        var last: String?
        var rest = limit
        while try rows.step() {
            let id = rows.text(0)
            rest -= 1
            // Fewer than asked for are the last.
            if rest == 0 { last = id }
            guard rows.integer(5) > 0 else { continue }
            let document = try decoder.document(
                rows, from: 1, className: schema.name, objectId: id)
            if document.fields.contains(field) { documents.append(document) }
        }
        return (documents, last)
    }
}

extension Reader {
    /// What the service keeps about a class; nil when that is nothing.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(size).
    package func classSettings(_ className: String) throws(StoreError) -> JSONObject? {
        guard let number = try connection.number(of: className) else { return nil }
        let rows = connection.settings
        rows.bind(number, at: 1)
        defer { rows.reset() }
        guard try rows.step() else { return nil }
        return try connection.decoder.json(rows, 0).objectValue
    }
}
