import GeoStore
import JSONText

/// The providers that vouch for a user, as they are kept: a secret of the user, `{"apple":
/// {"id": …}}`, without what proved it. The id of an anonymous user is a password of a kind, so
/// that it is not kept either: only the digest in the key.
struct LinkedProviders: Sendable {
    private(set) var members = JSONObject()

    init() {}

    /// - Throws: ``StoreError``.
    init(of userId: String, in transaction: borrowing WriteTransaction) throws {
        self.init(try transaction.secret(AccountNames.authData, of: AccountNames.user, userId))
    }

    /// - Throws: ``StoreError``.
    init(of userId: String, in reader: borrowing Reader) throws {
        self.init(try reader.secret(AccountNames.authData, of: AccountNames.user, userId))
    }

    private init(_ bytes: [UInt8]?) {
        members = bytes.flatMap { try? JSONParser.parse($0) }?.objectValue ?? [:]
    }

    /// As the user himself is shown it; nil when nobody vouches.
    var json: JSONValue? { members.isEmpty ? nil : .object(members) }

    func has(_ provider: String) -> Bool { members.contains(provider) }

    /// Links and unlinks providers of a user.
    ///
    /// - Throws: ``ParseError`` 208 when another user is linked; ``StoreError``.
    mutating func apply(
        _ proof: UserProof, to userId: String, in transaction: inout WriteTransaction
    ) throws {
        guard !proof.identities.isEmpty || !proof.unlinked.isEmpty else { return }
        for provider in proof.unlinked + proof.identities.map(\.provider) {
            try unlink(provider, from: userId, in: &transaction)
        }
        for identity in proof.identities {
            try transaction.claim(identity.key, for: userId, of: AccountNames.user)
            members[identity.provider] = identity.kept
        }
        for identity in proof.identities {
            try transaction.setSecret(
                Self.keyName(identity.provider), of: AccountNames.user, userId,
                to: identity.key.value)
        }
        try transaction.setSecret(
            AccountNames.authData, of: AccountNames.user, userId,
            to: members.isEmpty ? nil : JSONWriter.encode(.object(members)))
    }

    private mutating func unlink(
        _ provider: String, from userId: String, in transaction: inout WriteTransaction
    ) throws {
        guard members.removeValue(forKey: provider) != nil else { return }
        let name = Self.keyName(provider)
        guard let value = try transaction.secret(name, of: AccountNames.user, userId) else {
            return
        }
        try transaction.release(
            UniqueKey(scope: AccountNames.authScope, value: value), of: AccountNames.user,
            objectId: userId)
        try transaction.setSecret(name, of: AccountNames.user, userId, to: nil)
    }

    /// The secret that remembers the key of a provider, so that it can be released.
    private static func keyName(_ provider: String) -> String { "authData.\(provider)" }
}

/// A user at a provider who has proved to be that.
struct AuthIdentity: Hashable, Sendable {
    let provider: String
    let id: String

    var key: UniqueKey { AccountNames.authKey(provider, id) }

    /// What is kept of it in clear.
    var kept: JSONValue { provider == "anonymous" ? [:] : ["id": .string(id)] }
}

/// What was proved and hashed before a user is written.
struct UserProof: Sendable {
    var passwordHash: PasswordHash?
    var identities: [AuthIdentity] = []
    var unlinked: [String] = []
}
