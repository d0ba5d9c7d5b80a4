import GeoStore
import JSONText

/// Who a request acts for.
struct ParseIdentity: Sendable {
    /// On whose behalf.
    let principals: Principals
    /// The device that the client runs on.
    let installationID: String?

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
    /// - Throws: ``ParseRefusal/unauthorized``; ``ParseError`` 209 for a session token, since there
    ///   are no sessions; 107 for a context that is no object.
    func identity(of credentials: ParseCredentials, _ request: Request) throws -> ParseIdentity {
        guard knows(credentials.applicationID) else { throw ParseRefusal.unauthorized }
        if let context = credentials.context, context.objectValue == nil {
            throw ParseError(.invalidJSON, "Invalid object for context.")
        }
        if try isMaster(credentials.masterKey, request) {
            return ParseIdentity(principals: .master, installationID: credentials.installationID)
        }
        if let restKey = keys.restKey {
            // All are compared, whichever matches, so that the time does not tell.
            let matches = credentials.clientKeys.count { Keys.areEqual($0, restKey) }
            guard matches > 0 else { throw ParseRefusal.unauthorized }
        }
        if let token = credentials.sessionToken, !token.isEmpty {
            throw ParseError(.invalidSessionToken, "Invalid session token")
        }
        return ParseIdentity(
            principals: .anonymous, installationID: credentials.installationID)
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
