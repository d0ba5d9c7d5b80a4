import GeoStore
import JSONText

/// What of accounts is not for everybody who may read an object.
enum AccountFields {
    /// The fields of a class that a caller is shown of his own object only.
    static func hidden(in className: String, from identity: ParseIdentity) -> Set<String> {
        className == AccountNames.user && !identity.isMaster ? ["email"] : []
    }

    /// Takes out what is not for a caller: the address of another user, and the list by which a
    /// session is its user's.
    static func hide(in document: inout Document, from identity: ParseIdentity) {
        switch document.className {
        case AccountNames.user where identity.principals.userId != document.objectId:
            document.fields.removeValues(forKeys: hidden(in: AccountNames.user, from: identity))
        case AccountNames.session: document.acl = nil
        default: break
        }
    }

    /// Refuses a list of objects whose order or condition would tell what is hidden in them.
    /// Conditions on other classes that ask about users are judged where they are read.
    ///
    /// - Throws: ``ParseError`` 119.
    static func check(
        _ parameters: JSONObject, of className: String, for identity: ParseIdentity
    ) throws(ParseError) {
        let hidden = hidden(in: className, from: identity)
        guard !hidden.isEmpty else { return }
        var asked = Set(
            try ParseParameters.names(parameters["order"] ?? .null, of: "order").map { name in
                String(name.drop { $0 == "-" }.prefix { $0 != "." })
            })
        if let condition = parameters["where"] {
            let text = condition.stringValue
            note(text.flatMap { try? JSONParser.parse(text: $0) } ?? condition, in: &asked)
        }
        guard let name = hidden.intersection(asked).first else { return }
        throw ParseError(
            .operationForbidden,
            "This user is not allowed to query \(name) on class \(className)")
    }

    /// Notes the fields that a condition asks about, at any depth of `$or` and the like.
    private static func note(_ condition: JSONValue, in asked: inout Set<String>) {
        for member in condition.objectValue ?? [:] {
            if member.key.hasPrefix("$") {
                for part in member.value.arrayValue ?? [] { note(part, in: &asked) }
            } else {
                asked.insert(String(member.key.prefix { $0 != "." }))
            }
        }
    }
}
