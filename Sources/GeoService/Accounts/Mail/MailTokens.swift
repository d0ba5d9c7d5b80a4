import GeoStore
import JSONText

/// Tokens that are sent by mail: each user has one of a kind at most. Only digests are stored.
enum MailTokens {
    /// How long a token is good for, in milliseconds.
    static func lifetimeMilliseconds(_ kind: SecretToken.Kind) -> Int64 {
        kind == .passwordReset ? 3_600_000 : 7 * 86_400_000
    }

    private static func scope(_ kind: SecretToken.Kind) -> String {
        kind == .passwordReset ? "_User.passwordReset" : "_User.emailVerification"
    }

    private static func secret(_ kind: SecretToken.Kind) -> String {
        kind == .passwordReset ? "passwordReset" : "emailVerification"
    }

    private static func key(_ digest: [UInt8], _ kind: SecretToken.Kind) -> UniqueKey {
        UniqueKey(scope: scope(kind), value: digest)
    }

    /// Makes a token for a user, in the place of an earlier one.
    ///
    /// - Parameter email: The address that it is sent to: once the user has another, it is no good.
    /// - Throws: ``StoreError``.
    static func make(
        _ kind: SecretToken.Kind, for userId: String, email: String, at now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> SecretToken {
        try drop(kind, of: userId, in: &transaction)
        let token = SecretToken(kind)
        try transaction.claim(key(token.digest, kind), for: userId, of: AccountNames.user)
        let end = now.milliseconds + lifetimeMilliseconds(kind)
        let note = token.digest + withBytes(of: end) + Array(email.utf8)
        try transaction.setSecret(secret(kind), of: AccountNames.user, userId, to: note)
        return token
    }

    /// Takes a user's token back.
    ///
    /// - Throws: ``StoreError``.
    static func drop(
        _ kind: SecretToken.Kind, of userId: String, in transaction: inout WriteTransaction
    ) throws {
        guard let note = try transaction.secret(secret(kind), of: AccountNames.user, userId)
        else { return }
        try transaction.release(
            key(Array(note.prefix(Sodium.digestBytes)), kind), of: AccountNames.user,
            objectId: userId)
        try transaction.setSecret(secret(kind), of: AccountNames.user, userId, to: nil)
    }

    /// Takes a token that came back; the user that it was sent to, or nil when it is no good. It is
    /// good once.
    ///
    /// - Throws: ``StoreError``.
    static func redeem(
        _ token: SecretToken, _ kind: SecretToken.Kind, at now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> Document? {
        guard let holder = try transaction.holder(of: key(token.digest, kind)),
            let note = try transaction.secret(
                secret(kind), of: AccountNames.user, holder.objectId),
            let user = try transaction.object(AccountNames.user, holder.objectId)
        else { return nil }
        try drop(kind, of: holder.objectId, in: &transaction)
        let rest = note.dropFirst(Sodium.digestBytes)
        let end = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let email = String(decoding: rest.dropFirst(8), as: UTF8.self)
        guard Timestamp(milliseconds: Int64(bitPattern: end)) > now,
            user.fields["email"]?.stringValue?.hasSameBytes(as: email) == true
        else { return nil }
        return user
    }

    private static func withBytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64(56 - 8 * $0)) }
    }
}
