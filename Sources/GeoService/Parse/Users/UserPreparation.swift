import GeoStore
import JSONText

/// The steps before a user is written: providers are asked, then the password is hashed.
struct UserPreparation: PreparedOperation {
    let fields: UserFields
    /// The user that is changed; nil of one that comes into being.
    let userId: String?
    /// The act that is counted against limits, and the address of who does it; nil is none.
    let act: AccountLimits.Act?
    let address: IPAddress?
    /// What was done so far.
    private var proof = UserProof()
    private var isVerified: Bool
    private let finish: @Sendable (UserProof) throws -> ParseOperation

    /// - Parameter finish: The operation, once all is proved and hashed.
    init(
        _ fields: UserFields, of userId: String?, act: AccountLimits.Act? = nil,
        address: IPAddress? = nil,
        finish: @escaping @Sendable (UserProof) throws -> ParseOperation
    ) {
        self.fields = fields
        self.userId = userId
        self.act = act
        self.address = address
        self.finish = finish
        isVerified = fields.authData.isEmpty
    }

    /// The first step.
    var operation: ParseOperation {
        get throws {
            isVerified && fields.password == nil && act == nil ? try finish(proof) : .prepared(self)
        }
    }

    var work: PreparationWork { isVerified ? .hashing : .asking }

    func admit(_ accounts: Accounts) throws {
        guard let act else { return }
        try accounts.limits.check(act, address: address)
    }

    func prepare(_ accounts: Accounts) throws -> ParseOperation {
        var next = self
        guard isVerified else {
            next.proof = try verified(accounts)
            next.isVerified = true
            return fields.password == nil ? try finish(next.proof) : .prepared(next)
        }
        if let password = fields.password {
            do throws(PasswordError) {
                next.proof.passwordHash = try accounts.passwords.hasher.hash(password)
            } catch {
                throw ParseError.tooManyLogins
            }
        }
        return try finish(next.proof)
    }

    /// Asks the providers of what is new.
    private func verified(_ accounts: Accounts) throws -> UserProof {
        var proof = UserProof()
        let known = try userId.map { id in
            try accounts.store.read { try LinkedProviders(of: id, in: $0) }
        }
        for (name, data) in fields.authData {
            guard let data else {
                proof.unlinked.append(name)
                continue
            }
            // Clients send back what they were shown; it proves nothing and changes nothing.
            if let kept = known?.members[name], kept == .object(data) { continue }
            guard let provider = accounts.providers[name] else {
                throw ParseError(
                    .unsupportedService, "This authentication method is unsupported.")
            }
            proof.identities.append(try Self.identity(data, provider))
        }
        return proof
    }

    private static func identity(
        _ data: JSONObject, _ provider: any AuthProvider
    ) throws(ParseError) -> AuthIdentity {
        do throws(AuthProviderError) {
            let id = try AuthProviders.id(in: data)
            try provider.verify(data)
            return AuthIdentity(provider: provider.name, id: id)
        } catch {
            switch error {
            case .malformed(let member):
                throw ParseError(
                    .unsupportedService,
                    "authData.\(provider.name) needs \(member), a text that is not too long")
            case .invalid:
                throw ParseError(
                    .objectNotFound, "\(provider.name) auth is invalid for this user.")
            case .unreachable:
                throw ParseError(
                    .unsupportedService, "\(provider.name) cannot be asked now; try again later")
            }
        }
    }
}
