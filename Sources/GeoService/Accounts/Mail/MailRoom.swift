import GeoStore
import JSONText
import Synchronization

/// Writes mails to users, one by one on a thread of its own.
final class MailRoom: Sendable {
    let pool = WorkPool(threads: 1, queueLimit: 1_024)
    private let outbox: any Outbox
    private let store: SQLiteStore
    private let verifiesEmails: Bool
    private let now: @Sendable () -> Timestamp
    private let appID: String
    /// The root of links: never what a request says, or anybody could have others sent to him.
    private let root: Mutex<String>

    init(
        _ outbox: any Outbox, store: SQLiteStore, appID: String, publicURL: String?,
        verifiesEmails: Bool, now: @escaping @Sendable () -> Timestamp
    ) {
        self.outbox = outbox
        self.store = store
        self.appID = appID
        root = Mutex(publicURL ?? "")
        self.verifiesEmails = verifiesEmails
        self.now = now
    }

    /// Says where the service listens, for links when no public address is set.
    func started(url: String) {
        root.withLock { if $0.isEmpty { $0 = url } }
    }

    /// New addresses are asked to be confirmed, once they are stored.
    func apply(_ changes: [DocumentChange]) {
        guard verifiesEmails else { return }
        for change in changes where change.className == AccountNames.user {
            guard let after = change.after, let email = after.fields["email"]?.stringValue,
                change.before?.fields["email"]?.stringValue != email,
                after.fields["emailVerified"] != true
            else { continue }
            if !send(.emailVerification, toUser: change.objectId) {
                Log.warning("a mail was not written: too many are waiting")
            }
        }
    }

    /// Has a mail with a new token written to a user, when he has an address; false when too many
    /// are waiting.
    func send(_ kind: SecretToken.Kind, toUser userId: String) -> Bool {
        pool.submit { [self] in
            do {
                try write(kind, toUser: userId)
            } catch {
                Log.warning("a mail was not sent: \(error)")
            }
        }
    }

    private func write(_ kind: SecretToken.Kind, toUser userId: String) throws {
        let now = now()
        let made: (SecretToken, String)? = try store.write { transaction in
            guard let user = try transaction.object(AccountNames.user, userId),
                let email = user.fields["email"]?.stringValue
            else { return nil }
            guard MailAddress.isValid(email) else {
                throw MailError(description: "the address of a user cannot be written to")
            }
            return (
                try MailTokens.make(kind, for: userId, email: email, at: now, in: &transaction),
                email
            )
        }
        guard let (token, email) = made else { return }
        try outbox.send(message(kind, token, to: email))
    }

    private func message(
        _ kind: SecretToken.Kind, _ token: SecretToken, to email: String
    ) -> MailMessage {
        let root = root.withLock { $0 }
        let page = kind == .passwordReset ? "request_password_reset" : "verify_email"
        let link =
            "\(root)\(ParsePath.mount)/apps/\(ParseLinks.escaped(appID))/\(page)"
            + "?token=\(token.text)"
        guard kind == .passwordReset else {
            return MailMessage(
                to: email, subject: "Please confirm your address",
                text: "Please confirm that this address is yours, within a week:\n\n\(link)\n")
        }
        return MailMessage(
            to: email, subject: "A new password",
            text: "Somebody, probably you, has asked for a new password. Choose one within an "
                + "hour:\n\n\(link)\n\nIf it was not you, there is nothing to do.\n")
    }
}
