import GeoStore
import JSONText

/// `/login` and `/verifyPassword`: compares a password. Whether the user or the password is wrong
/// is not told, and takes the same time.
struct LogIn: PreparedOperation {
    /// What comes of the right password.
    enum Purpose: Sendable {
        case session, check
    }

    let work = PreparationWork.hashing
    private let name: String?
    private let email: String?
    private let password: String
    private let purpose: Purpose
    private let caller: ParseCaller

    /// - Throws: ``ParseError``: 200 without a name and an address, 201 without a password.
    init(_ request: ParseRequest, _ purpose: Purpose) throws(ParseError) {
        // In a URL, a name or a password of digits is text all the same.
        let items = try ParseParameters.items(request.caller.links.request)
        func text(_ member: String) -> String? {
            let text =
                items.first { $0.name == member }?.value
                ?? request.parameters[member]?.stringValue
            // An empty one is as good as none, as forms send it.
            return text?.isEmpty == false ? text : nil
        }
        name = text("username")
        email = text("email")
        guard name != nil || email != nil else {
            throw ParseError(.usernameMissing, "username/email is required.")
        }
        guard let password = text("password") else {
            throw ParseError(.passwordMissing, "password is required.")
        }
        self.password = String(
            decoding: password.utf8.prefix(PasswordHasher.greatestPasswordBytes + 1),
            as: UTF8.self)
        self.purpose = purpose
        caller = request.caller
    }

    /// What guesses are counted under: the same for all ways to write one name.
    private var account: String {
        String(FoldedText.of(name ?? email ?? "").prefix(UserFields.greatestNameBytes))
    }

    func admit(_ accounts: Accounts) throws {
        guard !caller.identity.isMaster else { return }
        try accounts.limits.check(.login, address: caller.limitedAddress)
        try accounts.limits.check(.login, account: account)
    }

    func prepare(_ accounts: Accounts) throws -> ParseOperation {
        let user = try accounts.store.read { try find(in: $0) }
        let hasher = accounts.passwords.hasher
        // Too long a password is nobody's.
        let isPossible = password.utf8.count <= PasswordHasher.greatestPasswordBytes
        let isRight = hasher.verify(isPossible ? password : "", isPossible ? user?.hash : nil)
        guard isRight, let user, let hash = user.hash else { throw ParseError.wrongLogin }
        if !caller.identity.isMaster {
            accounts.limits.succeeded(.login, account: account)
        }
        guard purpose == .session else {
            return .read(FetchOwnUser(userId: user.id, token: nil, caller: caller))
        }
        var kept = hash
        if hasher.isOutdated(hash), let new = try? hasher.hash(password) { kept = new }
        return .write(
            StartSession(
                userId: user.id, origin: .login("password"), caller: caller,
                password: (hash, kept)))
    }

    /// The user of the name, or of the address; names win.
    private func find(
        in reader: borrowing Reader
    ) throws -> (id: String, hash: PasswordHash?)? {
        var keys: [UniqueKey] = []
        if let name { keys += [AccountNames.usernameKey(name), AccountNames.emailKey(name)] }
        if let email { keys.append(AccountNames.emailKey(email)) }
        for key in keys where key.value.count <= UniqueKey.maximumBytes {
            guard let holder = try reader.holder(of: key) else { continue }
            if let name, let email {
                // Both were given: both must be his.
                let user = try reader.object(AccountNames.user, holder.objectId)
                let keys = (
                    user?.fields["username"]?.stringValue.map(AccountNames.usernameKey),
                    user?.fields["email"]?.stringValue.map(AccountNames.emailKey)
                )
                guard keys == (AccountNames.usernameKey(name), AccountNames.emailKey(email))
                else { return nil }
            }
            let secret = try reader.secret(
                AccountNames.password, of: AccountNames.user, holder.objectId)
            return (
                holder.objectId,
                secret.map { PasswordHash(text: String(decoding: $0, as: UTF8.self)) }
            )
        }
        return nil
    }
}
