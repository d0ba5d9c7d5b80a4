import GeoStore
import JSONText

/// What the rules of a class ask of the field that names whose object it is: that users write
/// objects of their own. The master key may write anybody's.
enum OwnerRule {
    /// Fills in the owner of a new object, and tells it.
    ///
    /// - Throws: ``ParseError`` 206 without a user, 119 for another's name.
    static func complete(
        _ fields: inout JSONObject, answered: inout JSONObject, of className: String,
        _ caller: ParseCaller, in catalog: SchemaCatalog
    ) throws(ParseError) {
        guard let owner = field(of: className, caller, catalog) else { return }
        guard let user = caller.identity.principals.userId else {
            throw ParseError(
                .sessionMissing, "\(className).\(owner) names the object's user: log in first")
        }
        if let value = fields[owner], !value.isNull {
            guard value.userID == user else {
                throw ParseError(
                    .operationForbidden, "\(className).\(owner) must be the user who is logged in")
            }
            return
        }
        let pointer: JSONValue = [
            "__type": "Pointer", "className": .string(AccountNames.user),
            "objectId": .string(user),
        ]
        fields[owner] = pointer
        answered[owner] = pointer
    }

    /// Judges a change of an object.
    ///
    /// - Throws: ``ParseError`` 119 for another owner.
    static func check(
        _ after: Document, replacing before: Document, _ caller: ParseCaller,
        in catalog: SchemaCatalog
    ) throws(ParseError) {
        guard let owner = field(of: after.className, caller, catalog),
            after.fields[owner]?.userID != before.fields[owner]?.userID
        else { return }
        throw ParseError(
            .operationForbidden,
            "\(after.className).\(owner) cannot be changed: it names whose object it is")
    }

    /// What a client is told of fields that the service alone sets: the value that they have.
    static func correct(
        _ answered: inout JSONObject, of className: String, _ objectId: String,
        in transaction: borrowing WriteTransaction
    ) throws(StoreError) {
        guard let owned = transaction.catalog.rules?[className]?.ownedFields else { return }
        for field in owned where answered.contains(field) {
            answered[field] = try transaction.object(className, objectId)?.fields[field]
        }
    }

    private static func field(
        of className: String, _ caller: ParseCaller, _ catalog: SchemaCatalog
    ) -> String? {
        caller.identity.isMaster ? nil : catalog.rules?[className]?.rules?.owner
    }
}
