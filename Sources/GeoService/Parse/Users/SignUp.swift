import GeoStore
import JSONText

/// `POST /users`: a new user with a session; who is known to a provider is logged in instead.
enum SignUp {
    /// - Throws: ``ParseError``: 200, 201, 125, 119, 252; as ``CreateObject`` does.
    static func operation(
        _ body: JSONObject, _ caller: ParseCaller
    ) throws -> ParseOperation {
        var fields = try UserFields(body, isMaster: caller.identity.isMaster)
        let isVouchedFor = fields.authData.contains { $0.data != nil }
        if !isVouchedFor {
            guard fields.username != nil else {
                throw ParseError(.usernameMissing, "bad or missing username")
            }
            guard fields.password != nil else {
                throw ParseError(.passwordMissing, "password is required")
            }
        }
        let isNameMade = fields.username == nil
        if isNameMade { fields.setName(madeName()) }
        // What is wrong with the rest is said before anything is hashed.
        _ = try CreateObject(AccountNames.user, fields.body, caller)
        let complete = fields
        return try UserPreparation(
            complete, of: nil, act: caller.identity.isMaster ? nil : .signUp,
            address: caller.limitedAddress
        ) { proof in
            .write(
                try MakeUser(complete, proof: proof, isNameMade: isNameMade, caller: caller))
        }.operation
    }

    /// A name that nobody guesses or has: 25 characters.
    private static func madeName() -> String {
        ObjectID.random() + ObjectID.random() + ObjectID.random().prefix(5)
    }
}

/// Writes a new user, or logs in one who is known.
private struct MakeUser: WriteOperation {
    private let create: CreateObject
    private let proof: UserProof
    private let caller: ParseCaller

    init(_ fields: UserFields, proof: UserProof, isNameMade: Bool, caller: ParseCaller) throws {
        let provider = proof.identities.first?.provider ?? "password"
        create = try CreateObject(
            AccountNames.user, fields.body, caller,
            rules: UserRules(
                caller: caller, proof: proof, settings: caller.accounts.settings,
                origin: .signUp(provider), isNameMade: isNameMade))
        self.proof = proof
        self.caller = caller
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        var known: Set<String> = []
        for identity in proof.identities {
            if let holder = try transaction.holder(of: identity.key) {
                known.insert(holder.objectId)
            }
        }
        guard let userId = known.first, let provider = proof.identities.first?.provider else {
            return try create.run(in: &transaction)
        }
        guard known.count == 1 else { throw ParseError.accountAlreadyLinked }
        var linked = try LinkedProviders(of: userId, in: transaction)
        var more = proof
        more.identities = proof.identities.filter { !linked.has($0.provider) }
        more.unlinked = []
        try linked.apply(more, to: userId, in: &transaction)
        return try StartSession(
            userId: userId, origin: .login(provider), caller: caller, identities: proof.identities
        ).run(in: &transaction)
    }
}

extension ParseError {
    static let accountAlreadyLinked = ParseError(
        .accountAlreadyLinked, "this auth is already used")
}
