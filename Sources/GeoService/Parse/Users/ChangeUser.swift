import GeoStore
import JSONText

/// `PUT /users/id`: a user changes himself, or the master key does.
enum ChangeUser {
    /// - Throws: ``ParseError``: 206 for another user, as ``UserFields`` and ``UpdateObject`` do.
    static func operation(
        _ userId: String, _ body: JSONObject, _ caller: ParseCaller
    ) throws -> ParseOperation {
        try requireSelf(userId, caller, "Cannot modify user \(userId.prefix(100)).")
        let fields = try UserFields(body, isMaster: caller.identity.isMaster)
        _ = try UpdateObject(AccountNames.user, userId, fields.body, caller)
        return try UserPreparation(fields, of: userId) { proof in
            let rules = UserRules(
                caller: caller, proof: proof, settings: caller.accounts.settings, origin: nil,
                isNameMade: false)
            return .write(
                try UpdateObject(
                    AccountNames.user, userId, fields.body, caller, rules: rules))
        }.operation
    }

    /// - Throws: ``ParseError`` 206 for anybody but the user and the master key.
    static func requireSelf(
        _ userId: String, _ caller: ParseCaller, _ message: String
    ) throws(ParseError) {
        guard caller.identity.isMaster || caller.identity.principals.userId == userId else {
            throw ParseError(.sessionMissing, message)
        }
    }
}

/// `DELETE /users/id`: the sessions end with the user.
struct DeleteUser: WriteOperation {
    private let userId: String

    /// - Throws: ``ParseError`` 206 for another user.
    init(_ userId: String, _ caller: ParseCaller) throws(ParseError) {
        try ChangeUser.requireSelf(
            userId, caller, "Insufficient auth to delete user \(userId.prefix(100)).")
        try caller.view.check(.delete, on: AccountNames.user)
        self.userId = userId
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        guard try transaction.object(AccountNames.user, userId) != nil else {
            throw ParseError.objectNotFound
        }
        try SessionWriter.endAll(of: userId, in: &transaction)
        try transaction.delete(AccountNames.user, userId)
        return ParseAnswer([:])
    }
}
