import GeoStore
import JSONText

/// What the permissions of classes say to a caller.
extension ObjectView {
    /// What permissions a class has.
    func permissions(of className: String) -> ClassPermissions {
        directory.permissions(of: className, in: catalog)
    }

    /// Refuses what the caller may do with no object of a class.
    ///
    /// - Throws: ``ParseError`` 119; 101 where a session would do.
    func check(
        _ operation: ClassPermissions.Operation, on className: String
    ) throws(ParseError) {
        guard !identity.isMaster else { return }
        switch permissions(of: className).verdict(on: operation, for: identity.principals) {
        case .granted, .limited: return
        case .needsUser:
            throw ParseError(
                .objectNotFound, "Permission denied, user needs to be authenticated.")
        case .refused: throw .denied(operation, className)
        }
    }

    /// Refuses a new object that does not name the caller where it has to.
    ///
    /// - Throws: ``ParseError`` 119.
    func checkCreated(_ document: Document) throws(ParseError) {
        guard mayDo(.create, with: document) else {
            throw .denied(.create, document.className)
        }
    }

    /// The objects to which permissions limit the caller; nil is all of the class.
    func limit(
        of operation: ClassPermissions.Operation, on className: String
    ) -> PointerLimit? {
        guard !identity.isMaster else { return nil }
        let verdict = permissions(of: className).verdict(on: operation, for: identity.principals)
        switch verdict {
        case .granted: return nil
        case .limited(let fields):
            return PointerLimit(fields: fields, user: identity.principals.userId)
        // These were refused before; should they not have been, there is nothing.
        case .needsUser, .refused: return PointerLimit(fields: [], user: nil)
        }
    }

    /// Whether permissions let the caller do something with an object.
    func mayDo(_ operation: ClassPermissions.Operation, with document: Document) -> Bool {
        limit(of: operation, on: document.className)?.covers(document) ?? true
    }

    /// The fields of a class that the caller is not shown, and may not use in conditions, orders,
    /// and what else tells about values.
    func hiddenFields(of className: String) -> Set<String> {
        guard !identity.isMaster else { return [] }
        return permissions(of: className).hiddenFields(from: identity.principals)
    }

    /// The fields of a class that no query of the caller may ask about: those that he is not shown,
    /// and the addresses of accounts.
    func unaskedFields(of className: String) -> Set<String> {
        let hidden = hiddenFields(of: className)
        guard !identity.isMaster, className == AccountNames.user else { return hidden }
        return hidden.union(["email"])
    }

    /// The fields of one object that the caller is not shown.
    func hiddenFields(of document: Document) -> Set<String> {
        guard !identity.isMaster else { return [] }
        return permissions(of: document.className)
            .hiddenFields(of: document, from: identity.principals)
    }

    /// Refuses a question about a field that the caller is not shown.
    ///
    /// - Parameter names: Fields, or paths that begin with them.
    /// - Throws: ``ParseError`` 119.
    func checkAsked(
        _ names: some Sequence<String>, of className: String
    ) throws(ParseError) {
        let hidden = hiddenFields(of: className)
        guard !hidden.isEmpty else { return }
        for name in names {
            // By bytes, as paths are read: a mark that combines with a dot must not hide it.
            let field = String(
                decoding: name.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
            guard !hidden.contains(field) else {
                throw ParseError(
                    .operationForbidden,
                    "This user is not allowed to query \(field) on class \(className)")
            }
        }
    }

    /// Refuses a write that would give a class a new field, when the caller may not do that.
    ///
    /// - Parameters:
    ///   - former: The object before; nil of one that comes into being, which can name nobody.
    ///   - catalog: The classes as the write meets them.
    /// - Throws: As ``check(_:on:)``.
    func checkAddedFields(
        _ changes: ObjectChanges, to className: String, former: Document?,
        in catalog: SchemaCatalog
    ) throws(ParseError) {
        guard !identity.isMaster, let schema = catalog[className], schema.settings != nil,
            changes.members.contains(where: { $0.isNewField(of: schema) })
        else { return }
        try check(.addField, on: className)
        let isCovered = former.map { mayDo(.addField, with: $0) }
        guard isCovered ?? (limit(of: .addField, on: className) == nil) else {
            throw .denied(.addField, className)
        }
    }
}

extension ParseError {
    /// What permissions refuse.
    fileprivate static func denied(
        _ operation: ClassPermissions.Operation, _ className: String
    ) -> ParseError {
        ParseError(
            .operationForbidden,
            "Permission denied for action \(operation.rawValue) on class \(className).")
    }
}

extension ObjectChanges.Member {
    /// Whether it gives the class a field.
    fileprivate func isNewField(of schema: ClassSchema) -> Bool {
        guard schema.fields[path.names[0]] == nil else { return false }
        return switch change {
        case .delete, .set(.null), .setOnInsert(.null): false
        case .set, .setOnInsert, .increment, .list, .relation: true
        }
    }
}
