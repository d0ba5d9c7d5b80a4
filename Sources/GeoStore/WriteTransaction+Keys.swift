extension WriteTransaction {
    /// Gives a key to an object. Giving it again to the same object does nothing. A class that is
    /// not there is made, so that a job may claim first and insert then; an object that never
    /// comes keeps its keys.
    ///
    /// - Throws: ``StoreError/keyTaken(_:by:)``, ``StoreError/valueTooLarge(name:bytes:limitBytes:)``,
    ///   and as the type says.
    /// - Complexity: O(log n).
    package mutating func claim(
        _ key: UniqueKey, for objectId: String, of className: String
    ) throws {
        try writer.requireTransaction()
        guard key.value.count <= UniqueKey.maximumBytes else {
            throw StoreError.valueTooLarge(
                name: key.scope, bytes: key.value.count, limitBytes: UniqueKey.maximumBytes)
        }
        let schema = try schemaForBelongings(className, objectId)
        if try writer.keys.insert(key, class: schema.number, id: objectId) { return }
        guard let holder = try writer.keyLookup.holder(of: key) else { throw StoreError.corrupt }
        guard holder.className == className, holder.objectId == objectId else {
            throw StoreError.keyTaken(key, by: holder.objectId)
        }
    }

    /// Takes a key from an object; nothing happens when it has not got it. O(log n).
    package mutating func release(
        _ key: UniqueKey, of className: String, objectId: String
    ) throws(StoreError) {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return }
        try writer.keys.delete(key, class: schema.number, id: objectId)
    }

    /// The object that has a key. O(log n).
    package func holder(
        of key: UniqueKey
    ) throws(StoreError) -> (className: String, objectId: String)? {
        try writer.requireTransaction()
        return try writer.keyLookup.holder(of: key)
    }

    /// The largest secret, in bytes.
    package static var maximumSecretBytes: Int { 64 << 10 }

    /// Sets what belongs to an object and is in no document, such as the hash of a password; nil
    /// removes it. A class that is not there is made. No change is told of it.
    ///
    /// What was there before is gone from the database file with the commit, and soon from its log.
    ///
    /// - Throws: ``StoreError/valueTooLarge(name:bytes:limitBytes:)``, and as the type says.
    /// - Complexity: O(size + log n).
    package mutating func setSecret(
        _ name: String, of className: String, _ objectId: String, to value: [UInt8]?
    ) throws {
        try writer.requireTransaction()
        guard let value else {
            guard let schema = writer.catalog[className] else { return }
            if try writer.secrets.delete(name, class: schema.number, id: objectId) {
                writer.hasDroppedSecrets = true
            }
            return
        }
        guard value.count <= Self.maximumSecretBytes else {
            throw StoreError.valueTooLarge(
                name: name, bytes: value.count, limitBytes: Self.maximumSecretBytes)
        }
        let schema = try schemaForBelongings(className, objectId)
        if try writer.secrets.set(name, to: value, class: schema.number, id: objectId) {
            writer.hasDroppedSecrets = true
        }
    }

    /// A secret of an object; nil when it has none of that name. O(log n).
    package func secret(
        _ name: String, of className: String, _ objectId: String
    ) throws(StoreError) -> [UInt8]? {
        try writer.requireTransaction()
        guard let schema = writer.catalog[className] else { return nil }
        return try writer.secretLookup.value(name, class: schema.number, id: objectId)
    }

    /// The class of an object that is given something; made when it is not there.
    private mutating func schemaForBelongings(
        _ className: String, _ objectId: String
    ) throws -> ClassSchema {
        guard ObjectID.isValid(objectId) else { throw SchemaError.invalidObjectId(objectId) }
        return try addedClass(className)
    }

    /// Removes what a deleted object had.
    mutating func deleteBelongings(of objectId: String, _ schema: ClassSchema) throws(StoreError) {
        try writer.keys.deleteAll(class: schema.number, id: objectId)
        if try writer.secrets.deleteAll(class: schema.number, id: objectId) {
            writer.hasDroppedSecrets = true
        }
        for (field, type) in schema.fields {
            guard case .relation = type else { continue }
            try writer.relations.deleteAll(field, class: schema.number, owner: objectId)
        }
    }
}

extension Reader {
    /// The object that has a key.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(log n).
    package func holder(
        of key: UniqueKey
    ) throws(StoreError) -> (className: String, objectId: String)? {
        try connection.keys.holder(of: key)
    }

    /// A secret of an object; nil when it has none of that name.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(log n).
    package func secret(
        _ name: String, of className: String, _ objectId: String
    ) throws(StoreError) -> [UInt8]? {
        guard let number = try connection.number(of: className) else { return nil }
        return try connection.secrets.value(name, class: number, id: objectId)
    }
}
