extension WriteTransaction {
    /// Makes objects members of an object's relation; those that are already stay so. Whether
    /// there are such objects is not asked. No change is told of it: whoever follows changes sees
    /// the owner's, which a job changes along with it.
    ///
    /// - Throws: ``SchemaError/unknownField(className:field:)``,
    ///   ``SchemaError/notARelation(className:field:)``, ``SchemaError/invalidObjectId(_:)``,
    ///   ``SchemaError/fieldBeingRemoved(className:field:)``, ``StoreError``.
    /// - Returns: Whether any was not a member before.
    /// - Complexity: O(ids · log n).
    @discardableResult
    package mutating func relate(
        _ ids: [String], to field: String, of className: String, _ objectId: String
    ) throws -> Bool {
        let number = try relation(field, of: className)
        for id in [objectId] + ids where !ObjectID.isValid(id) {
            throw SchemaError.invalidObjectId(id)
        }
        var isChanged = false
        for id in ids {
            let isNew = try writer.relations.insert(id, field, class: number, owner: objectId)
            isChanged = isNew || isChanged
        }
        return isChanged
    }

    /// Makes objects no members of an object's relation; nothing happens to those that are none.
    ///
    /// - Throws: As ``relate(_:to:of:_:)``.
    /// - Returns: Whether any was a member before.
    /// - Complexity: O(ids · log n).
    @discardableResult
    package mutating func unrelate(
        _ ids: [String], from field: String, of className: String, _ objectId: String
    ) throws -> Bool {
        let number = try relation(field, of: className)
        var isChanged = false
        for id in ids {
            let wasOne = try writer.relations.delete(id, field, class: number, owner: objectId)
            isChanged = wasOne || isChanged
        }
        return isChanged
    }

    /// The ids of the members of an object's relation, in their order; some may be of objects that
    /// are gone. Empty when the class has no such relation. O(log n + limit).
    ///
    /// - Parameter after: Begins past this id, for paging.
    package func relatedIds(
        _ field: String, of className: String, _ objectId: String, after: String = "", limit: Int
    ) throws(StoreError) -> [String] {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return [] }
        return try writer.relationLookup.members(
            field, class: schema.number, of: objectId, after: after, limit: limit)
    }

    /// The ids of the objects of a class in whose relation an object is, in their order.
    /// O(log n + limit).
    ///
    /// - Parameter after: Begins past this id, for paging.
    package func owners(
        of memberId: String, _ field: String, of className: String, after: String = "", limit: Int
    ) throws(StoreError) -> [String] {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return [] }
        return try writer.relationLookup.owners(
            field, class: schema.number, of: memberId, after: after, limit: limit)
    }

    /// Whether an object is a member of an object's relation. O(log n).
    package func isRelated(
        _ memberId: String, to field: String, of className: String, _ objectId: String
    ) throws(StoreError) -> Bool {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return false }
        return try writer.relationLookup.has(
            memberId, field, class: schema.number, owner: objectId)
    }

    /// The number of the class of a relation that takes members.
    private func relation(_ field: String, of className: String) throws -> Int64 {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className], let type = schema.fields[field] else {
            throw SchemaError.unknownField(className: className, field: field)
        }
        guard case .relation = type else {
            throw SchemaError.notARelation(className: className, field: field)
        }
        guard !schema.removedFields.contains(field) else {
            throw SchemaError.fieldBeingRemoved(className: className, field: field)
        }
        return schema.number
    }
}

extension Reader {
    /// As ``WriteTransaction/relatedIds(_:of:_:after:limit:)``.
    ///
    /// - Throws: ``StoreError``.
    package func relatedIds(
        _ field: String, of className: String, _ objectId: String, after: String = "", limit: Int
    ) throws(StoreError) -> [String] {
        guard let number = try connection.number(of: className) else { return [] }
        return try connection.relations.members(
            field, class: number, of: objectId, after: after, limit: limit)
    }

    /// As ``WriteTransaction/owners(of:_:of:after:limit:)``.
    ///
    /// - Throws: ``StoreError``.
    package func owners(
        of memberId: String, _ field: String, of className: String, after: String = "", limit: Int
    ) throws(StoreError) -> [String] {
        guard let number = try connection.number(of: className) else { return [] }
        return try connection.relations.owners(
            field, class: number, of: memberId, after: after, limit: limit)
    }

    /// As ``WriteTransaction/isRelated(_:to:of:_:)``.
    ///
    /// - Throws: ``StoreError``.
    package func isRelated(
        _ memberId: String, to field: String, of className: String, _ objectId: String
    ) throws(StoreError) -> Bool {
        guard let number = try connection.number(of: className) else { return false }
        return try connection.relations.has(memberId, field, class: number, owner: objectId)
    }
}
