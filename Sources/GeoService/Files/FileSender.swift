import GeoStore

/// Who sends a file, and whether he may.
struct FileSender: Sendable {
    private let identity: ParseIdentity
    private let accounts: Accounts
    private let isPublicAllowed: Bool

    /// Judges what can be judged at once, before any bytes are taken.
    ///
    /// - Throws: ``ParseRefusal``; ``ParseError`` 130 for the public where it may not, 209 for a
    ///   session that is known to be none.
    init(
        _ gate: ParseGate, _ accounts: Accounts, isPublicAllowed: Bool,
        _ credentials: ParseCredentials, _ request: Request
    ) throws {
        identity = try gate.identity(of: credentials, request)
        self.accounts = accounts
        self.isPublicAllowed = isPublicAllowed
        guard !identity.isMaster else { return }
        guard let token = identity.sessionToken else {
            guard isPublicAllowed else {
                throw ParseError(.fileSave, "File upload by public is disabled.")
            }
            return
        }
        if case .none = try accounts.sessions.findAtOnce(token) { throw ParseError.invalidSession }
    }

    /// Whether the master key was sent.
    var isMaster: Bool { identity.isMaster }

    /// Judges the rest. Blocks for the store.
    ///
    /// - Throws: ``ParseError`` 209, 130 for an anonymous user where the public may not;
    ///   ``StoreError``.
    func admit() throws {
        guard !identity.isMaster, let token = identity.sessionToken else { return }
        guard let session = try accounts.sessions.find(token) else {
            throw ParseError.invalidSession
        }
        guard !isPublicAllowed, let user = session.principals.userId else { return }
        let isAnonymous = try accounts.store.read {
            try LinkedProviders(of: user, in: $0).has("anonymous")
        }
        if isAnonymous {
            throw ParseError(.fileSave, "File upload by anonymous user is disabled.")
        }
    }
}
