import GeoStore
import JSONText

/// `POST /logout`: ends the session of the token; without one, nothing.
struct LogOut: WriteOperation {
    let sessionID: String?

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        if let sessionID { try SessionWriter.end(sessionID, in: &transaction) }
        return ParseAnswer([:])
    }
}

/// `POST /sessions` and `/upgradeToRevocableSession`: a further session of the user.
struct MakeSession: WriteOperation {
    private let userId: String
    private let origin: SessionOrigin
    private let changes: ObjectChanges
    private let caller: ParseCaller

    /// Members that only the server sets.
    static let ownedFields: Set<String> = [
        "user", "sessionToken", "createdWith", "restricted", "expiresAt", "installationId",
    ]

    /// - Throws: ``ParseError``: 209 without a session, 105 for an access list; as
    ///   ``ObjectChanges`` does.
    init(_ body: JSONObject, _ origin: SessionOrigin, _ caller: ParseCaller) throws {
        guard let userId = caller.identity.principals.userId else {
            throw ParseError.sessionRequired
        }
        try SessionAccess.refuseACL(in: body)
        var body = body
        body.removeValues(forKeys: Self.ownedFields)
        self.userId = userId
        self.origin = origin
        changes = try ObjectChanges(creating: body)
        self.caller = caller
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        var fields = JSONObject()
        _ = try changes.apply(
            to: &fields, of: AccountNames.session, transaction.catalog[AccountNames.session],
            isNew: true)
        // The session that is replaced by an upgrade goes on until its client lets it go.
        let made = try SessionWriter.make(
            for: userId, origin,
            device: origin.action == "create" ? nil : caller.identity.installationID,
            at: caller.view.now, isRestricted: origin.action == "create", fields: fields,
            in: &transaction)
        var answer = SessionAccess.answer(made.session, token: made.token.text, caller)
        if origin.action == "create" {
            answer.status = .created
            answer.location = caller.links.object(AccountNames.session, made.session.objectId)
        }
        return answer
    }
}

/// `GET /sessions/me`.
struct FetchCurrentSession: ReadOperation {
    let sessionID: String
    let token: String
    let caller: ParseCaller

    let isQuick = true

    func isQuick(in reader: borrowing Reader) -> Bool { true }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        guard let session = try reader.object(AccountNames.session, sessionID) else {
            throw ParseError.invalidSession
        }
        let answer = SessionAccess.answer(session, token: token, caller)
        try budget.take(answer.json.count)
        return answer
    }
}

/// `DELETE /sessions/id`: one of one's own.
struct DeleteSession: WriteOperation {
    let sessionID: String
    let caller: ParseCaller

    /// - Throws: ``ParseError`` 209 without a session.
    init(_ sessionID: String, _ caller: ParseCaller) throws(ParseError) {
        try SessionAccess.requireSession(caller)
        self.sessionID = sessionID
        self.caller = caller
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        guard let session = try transaction.object(AccountNames.session, sessionID),
            caller.identity.mayWrite(session.acl)
        else { throw ParseError.objectNotFound }
        try SessionWriter.end(sessionID, in: &transaction)
        return ParseAnswer([:])
    }
}

/// What holds for all calls about sessions.
enum SessionAccess {
    /// - Throws: ``ParseError`` 209 without a session or the master key.
    static func requireSession(_ caller: ParseCaller) throws(ParseError) {
        guard caller.identity.isMaster || caller.identity.principals.userId != nil else {
            throw ParseError.sessionRequired
        }
    }

    /// A session is its user's, whatever is asked.
    ///
    /// - Throws: ``ParseError`` 105.
    static func refuseACL(in body: JSONObject) throws(ParseError) {
        guard !body.contains("ACL") else {
            throw ParseError(.invalidFieldName, "Cannot set ACL on a Session.")
        }
    }

    /// The body of a change, when it has nothing that is the server's alone.
    ///
    /// - Throws: ``ParseError``: 209 without a session, 105 for what may not be changed.
    static func checkChange(_ body: JSONObject, _ caller: ParseCaller) throws(ParseError) {
        try requireSession(caller)
        try refuseACL(in: body)
        for key in body.keys where MakeSession.ownedFields.contains(FieldPath.field(of: key)) {
            guard caller.identity.isMaster, key == "expiresAt" else {
                throw ParseError(
                    .invalidFieldName, "\(key.prefix(200)) of a Session cannot be changed.")
            }
        }
    }

    /// A session as its user sees it.
    static func answer(
        _ session: Document, token: String?, _ caller: ParseCaller
    ) -> ParseAnswer {
        var document = session
        document.acl = nil
        if let token { document.fields["sessionToken"] = .string(token) }
        var json = JSONWriter()
        ObjectWriter(links: caller.links).write(document, to: &json)
        return ParseAnswer(json.bytes)
    }
}
