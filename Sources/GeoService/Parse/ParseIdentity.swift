import GeoStore
import JSONText

/// Who a request acts for.
struct ParseIdentity: Sendable {
    /// On whose behalf.
    let principals: Principals
    /// The session that the request carries.
    var sessionID: String?
    /// The token of the session. Until ``ParseIdentity/with(_:)`` it may be any text.
    var sessionToken: String?
    /// The device that the client runs on.
    let installationID: String?

    /// Somebody without a session.
    init(
        _ principals: Principals, installationID: String? = nil, sessionToken: String? = nil
    ) {
        self.principals = principals
        self.installationID = installationID
        self.sessionToken = sessionToken
    }

    /// The user of a session.
    func with(_ session: Session) -> ParseIdentity {
        var identity = ParseIdentity(
            session.principals, installationID: installationID, sessionToken: sessionToken)
        identity.sessionID = session.id
        return identity
    }

    /// Whether access lists and permissions do not apply.
    var isMaster: Bool { principals.isMaster }

    /// Whether an object of this access list is there for the caller.
    func mayRead(_ acl: AccessList?) -> Bool { principals.mayRead(acl) }

    /// Whether the caller may change or delete an object of this access list.
    func mayWrite(_ acl: AccessList?) -> Bool { principals.mayWrite(acl) }
}

/// Checks keys.
struct ParseGate: Sendable {
    /// The keys, and where the master key counts.
    let access: MasterAccess

    var keys: Keys { access.keys }

    /// Whether the application id is this service's. It is no secret.
    func knows(_ applicationID: String?) -> Bool { applicationID == keys.appID }

    /// Who the credentials stand for.
    ///
    /// A master key that is wrong is as if it were not there: the client's key decides.
    ///
    /// Whose session token they have is not asked yet: the store may have to be.
    ///
    /// - Throws: ``ParseRefusal/unauthorized``; ``ParseError`` 107 for a context that is no object.
    func identity(of credentials: ParseCredentials, _ request: Request) throws -> ParseIdentity {
        guard knows(credentials.applicationID) else { throw ParseRefusal.unauthorized }
        if let context = credentials.context, context.objectValue == nil {
            throw ParseError(.invalidJSON, "Invalid object for context.")
        }
        let token = credentials.sessionToken.flatMap { $0.isEmpty ? nil : $0 }
        if try isMaster(credentials.masterKey, request) {
            return ParseIdentity(
                .master, installationID: credentials.installationID, sessionToken: token)
        }
        if let restKey = keys.restKey {
            // All are compared, whichever matches, so that the time does not tell.
            let matches = credentials.clientKeys.count { Keys.areEqual($0, restKey) }
            guard matches > 0 else { throw ParseRefusal.unauthorized }
        }
        return ParseIdentity(
            .anonymous, installationID: credentials.installationID, sessionToken: token)
    }

    /// Whether a request carries the master key, from an address that may use it.
    ///
    /// - Throws: ``ParseRefusal/unauthorized`` for the right key from a wrong address.
    func isMaster(_ key: String?, _ request: Request) throws(ParseRefusal) -> Bool {
        guard let key else { return false }
        switch access.judge(key, of: request) {
        case .granted: return true
        case .noKey, .wrongKey, .wrongApplication: return false
        case .wrongAddress: throw .unauthorized
        }
    }
}
