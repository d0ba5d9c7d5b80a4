import GeoStore
import JSONText

extension ParseOperation {
    /// Understands a call about accounts; nil when it is about something else, or like any class.
    ///
    /// - Throws: ``ParseRefusal/noRoute(method:path:)``; what the resource says to its parameters.
    init?(account request: ParseRequest) throws {
        let caller = request.caller
        let parameters = request.parameters
        switch (request.path, request.method) {
        case (.account(let path), let method):
            self = try Self.operation(path, method, request)
        case (.objects(AccountNames.user), .post):
            self = try SignUp.operation(parameters, caller)
        case (.object(AccountNames.user, let id), .get):
            self = .read(try FetchUser(id, parameters, caller))
        case (.object(AccountNames.user, let id), .put):
            self = try ChangeUser.operation(id, parameters, caller)
        case (.object(AccountNames.user, let id), .delete):
            self = .write(try DeleteUser(id, caller))
        case (.objects(AccountNames.session), .post):
            self = .write(try MakeSession(parameters, .create, caller))
        case (.object(AccountNames.session, let id), .delete):
            self = .write(try DeleteSession(id, caller))
        case (.object(AccountNames.session, let id), .put):
            try SessionAccess.checkChange(parameters, caller)
            self = .write(try UpdateObject(AccountNames.session, id, parameters, caller))
        case (.objects(AccountNames.session), _), (.object(AccountNames.session, _), _):
            try SessionAccess.requireSession(caller)
            return nil
        case (.objects(AccountNames.role), .post):
            self = .write(
                try CreateObject(
                    AccountNames.role, parameters, caller, rules: RoleRules(caller: caller)))
        case (.object(AccountNames.role, let id), .put):
            self = .write(
                try UpdateObject(
                    AccountNames.role, id, parameters, caller, rules: RoleRules(caller: caller)))
        default: return nil
        }
    }

    private static func operation(
        _ path: AccountPath, _ method: HTTPMethod, _ request: ParseRequest
    ) throws -> ParseOperation {
        let caller = request.caller
        switch (path, method) {
        case (.me, .get):
            guard let userId = caller.identity.principals.userId else {
                throw ParseError.invalidSession
            }
            return .read(
                FetchOwnUser(
                    userId: userId, token: caller.identity.sessionToken, caller: caller))
        case (.login, .get), (.login, .post): return .prepared(try LogIn(request, .session))
        case (.verifyPassword, .get), (.verifyPassword, .post):
            return .prepared(try LogIn(request, .check))
        case (.logout, .post): return .write(LogOut(sessionID: caller.identity.sessionID))
        case (.loginAs, .post): return try LogInAs.operation(request.parameters, caller)
        case (.currentSession, .get):
            guard let id = caller.identity.sessionID, let token = caller.identity.sessionToken
            else { throw ParseError.sessionRequired }
            return .read(FetchCurrentSession(sessionID: id, token: token, caller: caller))
        case (.upgradeSession, .post):
            return .write(try MakeSession([:], .upgrade, caller))
        case (.requestPasswordReset, .post):
            return try RequestPasswordReset.operation(request.parameters, caller)
        case (.verificationEmailRequest, .post):
            return .read(try RequestVerification(request.parameters, caller))
        default:
            throw ParseRefusal.noRoute(method: request.method.name, path: request.path.text)
        }
    }
}
