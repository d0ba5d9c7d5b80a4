/// The place of a value that a `where` asks about: a field, a member of an object field
/// (`address.city`), or one of the three properties that every object has.
package struct WherePath: Hashable, Sendable {
    /// The names from the field inwards, at least one.
    let names: [String]

    /// How deep a path may lead.
    static let greatestDepth = 16

    /// The path as it stands in a query.
    package var text: String { names.joined(separator: ".") }

    /// The field that it begins with.
    package var field: String { names[0] }

    /// Whether it is a field or leads into it.
    package func isBelow(_ field: String?) -> Bool { names.first == field }

    /// Fields of users that no query may touch, whoever asks.
    private static let secrets: Set<String> = ["password", "authData", "sessionToken"]

    /// Reads a key of a query.
    ///
    /// - Parameter className: The class that is asked; nil knows no fields of users.
    /// - Throws: ``WhereError``: `fieldName`, `forbidden`, `malformed` for the access list.
    package init(_ key: String, of className: String?, at path: String) throws(WhereError) {
        names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let first = names[0]
        guard !first.hasPrefix("_") else {
            throw WhereError(.forbidden, path, "is internal: no query can ask about it")
        }
        guard first != "ACL" else {
            throw WhereError(.malformed, path, "cannot be asked about: rights are not a field")
        }
        if className == "_User", WherePath.secrets.contains(first) {
            throw WhereError(.forbidden, path, "is secret: no query can ask about it")
        }
        guard Naming.isIdentifier(first), !names.contains("") else {
            throw WhereError(
                .fieldName, path,
                "is no field: a name begins with a letter and has letters, "
                    + "digits and underscores only; a dot leads into an object")
        }
        guard names.count <= WherePath.greatestDepth else {
            throw WhereError(
                .fieldName, path, "leads deeper than \(WherePath.greatestDepth) names")
        }
    }

    /// A path that was read before: the store's own.
    init(trusted text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The id of an object.
    static let objectId = WherePath(trusted: "objectId")

    /// Whether the path is a time that every object has.
    var isTime: Bool { names == ["createdAt"] || names == ["updatedAt"] }
}
