extension WriteTransaction {
    /// The indexes of a class.
    ///
    /// - Throws: ``StoreError``.
    package func indexes(of className: String) throws(StoreError) -> [ValueIndex] {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return [] }
        return try writer.indexes.indexes(of: className, class: schema.number)
    }

    /// Begins an index of a field; false when there is one, there are enough, or no such class.
    ///
    /// From now on every write minds it. What the class has already is taken in by
    /// ``buildIndex(_:of:limit:)``, step by step; then queries use it.
    ///
    /// - Throws: ``WhereError`` for what is no field, ``StoreError``.
    @discardableResult
    package mutating func declareIndex(_ field: String, of className: String) throws -> Bool {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return false }
        _ = try WherePath(field, of: nil, at: field)
        let known = try writer.indexes.indexes(of: className, class: schema.number)
        guard known.count < ValueIndex.greatestCount, !known.contains(where: { $0.field == field })
        else { return false }
        try writer.indexes.declare(field, class: schema.number)
        return true
    }

    /// Does a step of building an index, or of removing it.
    ///
    ///     while try store.write({ try $0.buildIndex("author", of: "Post") }) {}
    ///
    /// Steps are jobs of their own, so that other writes go on between them; one that was broken
    /// off is gone on with.
    ///
    /// - Parameter limit: How many objects one step takes in.
    /// - Returns: Whether there is more to do.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(bytes of `limit` objects).
    package mutating func buildIndex(
        _ field: String, of className: String, limit: Int = 200
    ) throws(StoreError) -> Bool {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className],
            let index = try writer.indexes.indexes(of: className, class: schema.number)
                .first(where: { $0.field == field })
        else { return false }
        switch index.state {
        case .whole: return false
        case .dropping: return try !writer.indexes.remove(index, limit: 4 * limit)
        case .building: break
        }
        let rows = try SQLiteStatement(
            writer.connection,
            """
            SELECT id, created, updated, acl, body FROM objects
            WHERE class = ?1 AND id > ?2 ORDER BY id LIMIT ?3
            """)
        rows.bind(schema.number, at: 1)
        rows.bind(index.builtThrough, at: 2)
        rows.bind(Int64(limit), at: 3)
        let decoder = SQLiteDocumentDecoder()
        var last: String?
        while try rows.step() {
            let document = try decoder.document(
                rows, from: 1, className: className, objectId: rows.text(0))
            guard try writer.indexes.add(document, to: index) else {
                try writer.indexes.set(index, .dropping)
                return true
            }
            last = document.objectId
        }
        try writer.indexes.set(
            index, last == nil ? .whole : .building, builtThrough: last ?? "")
        return last != nil
    }

    /// Begins to remove an index, which no query uses any more; ``buildIndex(_:of:limit:)`` does
    /// the steps. False when there is none.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    package mutating func dropIndex(
        _ field: String, of className: String
    ) throws(StoreError) -> Bool {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className],
            let index = try writer.indexes.indexes(of: className, class: schema.number)
                .first(where: { $0.field == field })
        else { return false }
        try writer.indexes.set(index, .dropping)
        return true
    }
}

extension Reader {
    /// The indexes of a class.
    ///
    /// - Throws: ``StoreError``.
    package func indexes(of className: String) throws(StoreError) -> [ValueIndex] {
        guard let number = try connection.number(of: className) else { return [] }
        return try connection.indexes.indexes(of: className, class: number)
    }
}
