import GeoStore
import JSONText

/// Makes a session for a user and answers with the whole user and the token.
struct StartSession: WriteOperation {
    let userId: String
    let origin: SessionOrigin
    let caller: ParseCaller
    /// Who was proved to be at providers, so that the client finds in the answer what it sent.
    var identities: [AuthIdentity] = []
    /// The password that was found right, and how it is to be kept from now on.
    var password: (found: PasswordHash, kept: PasswordHash)?
    /// What is said when there is no such user.
    var notFound = ParseError.wrongLogin

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        guard let user = try transaction.object(AccountNames.user, userId),
            caller.identity.isMaster || user.acl?.entries.isEmpty != true
        else { throw notFound }
        if let password {
            let stored = try transaction.secret(
                AccountNames.password, of: AccountNames.user, userId)
            // It may have been changed while it was compared.
            guard stored == Array(password.found.text.utf8) else { throw ParseError.wrongLogin }
            if password.kept != password.found {
                try transaction.setSecret(
                    AccountNames.password, of: AccountNames.user, userId,
                    to: Array(password.kept.text.utf8))
            }
        }
        let made = try SessionWriter.make(
            for: userId, origin, device: caller.identity.installationID, at: caller.view.now,
            in: &transaction)
        let linked = try LinkedProviders(of: userId, in: transaction)
        return OwnUser(user: user, linked: linked, token: made.token.text, sent: identities)
            .answer(caller)
    }
}

/// A user as he himself sees it.
struct OwnUser {
    let user: Document
    let linked: LinkedProviders
    /// The token of his session; nil leaves it out.
    let token: String?
    /// Ids that the client has just sent, which are not kept in clear.
    var sent: [AuthIdentity] = []

    func answer(_ caller: ParseCaller) -> ParseAnswer {
        var document = user
        var authData = linked.members
        for identity in sent where authData.contains(identity.provider) {
            authData[identity.provider] = ["id": .string(identity.id)]
        }
        if !authData.isEmpty { document.fields["authData"] = .object(authData) }
        if let token { document.fields["sessionToken"] = .string(token) }
        var json = JSONWriter()
        ObjectWriter(links: caller.links).write(document, to: &json)
        return ParseAnswer(json.bytes)
    }
}

extension ParseError {
    /// Which of the two is wrong is not told.
    static let wrongLogin = ParseError(.objectNotFound, "Invalid username/password.")
}
