import GeoStore
import JSONText

/// What makes a user of an object: name and address that no other has, secrets, rights to itself.
struct UserRules: WriteRules {
    let caller: ParseCaller
    let proof: UserProof
    let settings: AccountSettings
    /// How the first session comes into being; nil of a user that is changed.
    let origin: SessionOrigin?
    /// Whether the client is told the name, since it was made here.
    let isNameMade: Bool

    func complete(
        _ document: inout Document, replacing former: Document?,
        in transaction: borrowing WriteTransaction
    ) throws {
        if former == nil, document.acl == nil {
            document.acl = settings.hasPrivateUsers ? AccessList() : AccessList(everybody: .read)
        }
        // Nobody locks himself out; only the master key does.
        if former == nil || (!caller.identity.isMaster && document.acl != former?.acl) {
            document.acl?[document.objectId] = [.read, .write]
        }
        guard document.fields["username"]?.stringValue != nil else {
            throw ParseError(.usernameMissing, "bad or missing username")
        }
        if email(document) != former.flatMap(email) {
            // A new address is not a confirmed one.
            if !(caller.identity.isMaster && document.fields["emailVerified"] == true) {
                document.fields["emailVerified"] =
                    settings.verifiesEmails && email(document) != nil ? false : nil
            }
        }
    }

    func stored(
        _ document: Document, replacing former: Document?,
        in transaction: inout WriteTransaction
    ) throws -> JSONObject {
        let id = document.objectId
        try claim(
            document.fields["username"]?.stringValue.map(AccountNames.usernameKey),
            former?.fields["username"]?.stringValue.map(AccountNames.usernameKey), id,
            in: &transaction)
        try claim(
            email(document).map(AccountNames.emailKey),
            former.flatMap(email).map(AccountNames.emailKey), id, in: &transaction)
        var linked = try LinkedProviders(of: id, in: transaction)
        try linked.apply(proof, to: id, in: &transaction)
        var answer = JSONObject()
        if isNameMade { answer["username"] = document.fields["username"] }
        if let token = try writePassword(of: id, isNew: former == nil, in: &transaction) {
            answer["sessionToken"] = .string(token.text)
        }
        return answer
    }

    /// Writes the password and gives the token of a new session, when there is one.
    private func writePassword(
        of id: String, isNew: Bool, in transaction: inout WriteTransaction
    ) throws -> SecretToken? {
        if let hash = proof.passwordHash {
            try transaction.setSecret(
                AccountNames.password, of: AccountNames.user, id, to: Array(hash.text.utf8))
            if !isNew {
                try SessionWriter.endAll(of: id, in: &transaction)
                try MailTokens.drop(.passwordReset, of: id, in: &transaction)
                // Who changes his own goes on, under a new token.
                guard caller.identity.principals.userId == id else { return nil }
            }
        } else if !isNew {
            return nil
        }
        return try SessionWriter.make(
            for: id, origin ?? .login("password"), device: caller.identity.installationID,
            at: caller.view.now, in: &transaction
        ).token
    }

    private func email(_ document: Document) -> String? {
        document.fields["email"]?.stringValue
    }

    private func claim(
        _ key: UniqueKey?, _ former: UniqueKey?, _ id: String,
        in transaction: inout WriteTransaction
    ) throws {
        guard key != former else { return }
        if let former {
            try transaction.release(former, of: AccountNames.user, objectId: id)
        }
        if let key { try transaction.claim(key, for: id, of: AccountNames.user) }
    }
}
