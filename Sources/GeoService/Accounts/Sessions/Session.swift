import GeoStore

/// What a session's token stands for.
struct Session: Hashable, Sendable {
    /// The objectId of the session.
    let id: String
    /// The user and the roles, inherited ones included.
    let principals: Principals
    /// The first instant at which it is over.
    let expiresAt: Timestamp
}

/// The names of what the store keeps for accounts.
enum AccountNames {
    static let user = "_User"
    static let session = "_Session"
    static let role = "_Role"
    static let installation = "_Installation"

    /// The relations of a role.
    static let roleUsers = "users"
    static let roleRoles = "roles"

    /// Secrets of a user.
    static let password = "password"
    static let authData = "authData"

    static let usernameScope = "_User.username"
    static let emailScope = "_User.email"

    /// The key of a session's token.
    static func tokenKey(_ token: SecretToken) -> UniqueKey { tokenKey(ofDigest: token.digest) }

    /// The key of a session's token by its digest.
    static func tokenKey(ofDigest digest: [UInt8]) -> UniqueKey {
        UniqueKey(scope: "_Session.token", value: digest)
    }

    /// The key of a user's name.
    static func usernameKey(_ name: String) -> UniqueKey {
        UniqueKey(scope: usernameScope, FoldedText.of(name))
    }

    /// The key of a user's address.
    static func emailKey(_ email: String) -> UniqueKey {
        UniqueKey(scope: emailScope, FoldedText.of(email))
    }

    /// The key of a role's name.
    static func roleKey(_ name: String) -> UniqueKey {
        UniqueKey(scope: "_Role.name", name)
    }

    static let authScope = "_User.authData"

    /// The key of a user's id at a provider. An id may be a secret, as anonymous users' are, so
    /// that its digest is kept.
    static func authKey(_ provider: String, _ id: String) -> UniqueKey {
        UniqueKey(
            scope: authScope,
            value: Sodium.digest(Array("\(provider)\n\(id)".utf8), purpose: "provider's user id"))
    }
}
