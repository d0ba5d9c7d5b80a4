import GeoStore
import JSONText

/// The members of a user's body, those of accounts apart from all others.
struct UserFields: Sendable {
    /// The new name; nil keeps the former one.
    private(set) var username: String?
    /// The new password; nil keeps the former one.
    private(set) var password: String?
    /// What providers are shown, by their names; null unlinks.
    private(set) var authData: [(provider: String, data: JSONObject?)] = []
    /// The other members, name and address included: what the document gets.
    private(set) var body: JSONObject

    /// The longest name, in bytes.
    static let greatestNameBytes = 255
    private static let greatestProviderCount = 8
    /// Fields that are wholly given or not at all: no path of an update leads into them.
    private static let wholeFields: Set<String> = [
        "username", "password", "email", "emailVerified", "authData", "sessionToken",
    ]

    /// Reads a body.
    ///
    /// - Throws: ``ParseError``: 200, 201, 125 for a name, a password or an address that is none,
    ///   105 for a path into what is no object of the user's own, 119 for `emailVerified` of a client, 252 for `authData` in a wrong form.
    init(_ body: JSONObject, isMaster: Bool) throws(ParseError) {
        for key in body.keys where key.contains(".") {
            guard !Self.wholeFields.contains(FieldPath.field(of: key)) else {
                throw ParseError(
                    .invalidFieldName,
                    "\(key.prefix(200)) cannot be changed: \(FieldPath.field(of: key)) has no "
                        + "members.")
            }
        }
        var body = body
        // Some clients send it back; it is a field of no user.
        body.removeValue(forKey: "sessionToken")
        if let value = body["username"] { username = try Self.name(value) }
        if let value = body.removeValue(forKey: "password") {
            password = try Self.password(value)
        }
        if let value = body["email"] { body["email"] = try Self.email(value) }
        if body.contains("emailVerified"), !isMaster {
            throw ParseError(
                .operationForbidden,
                "Clients aren't allowed to manually update email verification.")
        }
        if let value = body.removeValue(forKey: "authData") {
            authData = try Self.authData(value)
        }
        self.body = body
    }

    /// Gives a user without a name one.
    mutating func setName(_ name: String) {
        username = name
        body["username"] = .string(name)
    }

    private static func name(_ value: JSONValue) throws(ParseError) -> String {
        guard let name = value.stringValue, !name.allSatisfy(\.isWhitespace) else {
            throw ParseError(.usernameMissing, "bad or missing username")
        }
        guard name.utf8.count <= greatestNameBytes, !name.utf8.contains(where: { $0 < 0x20 })
        else {
            throw ParseError(
                .usernameMissing,
                "username must have at most \(greatestNameBytes) bytes and no control characters")
        }
        return name
    }

    private static func password(_ value: JSONValue) throws(ParseError) -> String {
        guard let password = value.stringValue, !password.isEmpty else {
            throw ParseError(.passwordMissing, "password is required")
        }
        guard password.utf8.count <= PasswordHasher.greatestPasswordBytes else {
            throw ParseError(
                .passwordMissing,
                "password must have at most \(PasswordHasher.greatestPasswordBytes) bytes")
        }
        return password
    }

    /// An address, or the operation that takes it away.
    private static func email(_ value: JSONValue) throws(ParseError) -> JSONValue {
        if value.isNull || value["__op"] == "Delete" { return ["__op": "Delete"] }
        guard let email = value.stringValue, isEmail(email) else {
            throw ParseError(.invalidEmailAddress, "Email address format is invalid.")
        }
        return value
    }

    /// Whether a text is an address, as Parse sees it: something before and behind an `@`.
    static func isEmail(_ text: String) -> Bool {
        guard text.utf8.count <= MailAddress.greatestBytes,
            !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }),
            let place = text.firstIndex(of: "@")
        else { return false }
        return place != text.startIndex && text.index(after: place) != text.endIndex
    }

    private static func authData(
        _ value: JSONValue
    ) throws(ParseError) -> [(provider: String, data: JSONObject?)] {
        if value.isNull { return [] }
        guard let members = value.objectValue, members.count <= greatestProviderCount else {
            throw ParseError(
                .unsupportedService,
                "authData must be an object of at most \(greatestProviderCount) providers")
        }
        return try members.map { member throws(ParseError) in
            if member.value.isNull { return (member.key, nil) }
            guard let data = member.value.objectValue else {
                throw ParseError(
                    .unsupportedService, "authData.\(member.key.prefix(100)) must be an object")
            }
            return (member.key, data)
        }
    }
}
