import GeoStore
import JSONText

/// How a session came into being, as it is kept in the session.
struct SessionOrigin: Sendable {
    /// `signup`, `login`, `create` or `upgrade`.
    let action: String
    /// `password`, `anonymous` and so on; nil where nothing was shown.
    let provider: String?

    static func signUp(_ provider: String) -> SessionOrigin {
        SessionOrigin(action: "signup", provider: provider)
    }
    static func login(_ provider: String) -> SessionOrigin {
        SessionOrigin(action: "login", provider: provider)
    }
    static let create = SessionOrigin(action: "create", provider: nil)
    static let upgrade = SessionOrigin(action: "upgrade", provider: nil)

    var json: JSONValue {
        var members: JSONObject = ["action": .string(action)]
        if let provider { members["authProvider"] = .string(provider) }
        return .object(members)
    }
}

/// Makes and ends sessions, within a transaction of the store.
enum SessionWriter {
    /// How long a session lasts: a year, in milliseconds.
    static let lifetimeMilliseconds: Int64 = 365 * 86_400_000
    /// The longest id of an installation that is kept, in bytes.
    static let greatestDeviceBytes = 128

    /// Makes a session of a user.
    ///
    /// Another one of the same device ends, and so do those that are over.
    ///
    /// - Parameters:
    ///   - device: The installation's id.
    ///   - fields: What the client wants to be kept in it.
    /// - Returns: The token, which is stored nowhere, and the session as it is stored.
    /// - Throws: ``StoreError``, ``SchemaError``.
    static func make(
        for userId: String, _ origin: SessionOrigin, device: String?, at now: Timestamp,
        isRestricted: Bool = false, fields: JSONObject = [:],
        in transaction: inout WriteTransaction
    ) throws -> (token: SecretToken, session: Document) {
        let device = device.flatMap { id in
            (1...greatestDeviceBytes).contains(id.utf8.count) ? id : nil
        }
        let expiresAt = Timestamp(milliseconds: now.milliseconds + lifetimeMilliseconds)
        var document = Document(
            className: AccountNames.session, objectId: ObjectID.random(), createdAt: now,
            acl: owned(by: userId), fields: fields)
        document.fields["user"] = pointer(to: userId)
        document.fields["createdWith"] = origin.json
        document.fields["restricted"] = .bool(isRestricted)
        document.fields["expiresAt"] = WireValue.date(expiresAt)
        if let device { document.fields["installationId"] = .string(device) }
        try transaction.insert(document)
        let token = SecretToken(.session)
        try transaction.claim(
            AccountNames.tokenKey(token), for: document.objectId, of: AccountNames.session)

        var list = try SessionList(of: userId, in: transaction)
        for id in superfluous(in: list, device: device, at: now) {
            try transaction.delete(AccountNames.session, id)
            list.remove(id)
        }
        list.add(
            SessionList.Entry(id: document.objectId, device: device, expiresAt: expiresAt))
        try list.store(for: userId, in: &transaction)
        return (token, document)
    }

    /// The sessions that end when another one of a device is made.
    private static func superfluous(
        in list: SessionList, device: String?, at now: Timestamp
    ) -> [String] {
        var kept = list.entries.filter { entry in
            entry.expiresAt > now && (device == nil || entry.device != device)
        }
        kept = kept.suffix(SessionList.greatestCount - 1)
        let ids = Set(kept.map(\.id))
        return list.entries.map(\.id).filter { !ids.contains($0) }
    }

    /// Ends a session; false when there is none.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    static func end(_ id: String, in transaction: inout WriteTransaction) throws -> Bool {
        guard let session = try transaction.delete(AccountNames.session, id) else { return false }
        if let userId = session.fields["user"]?["objectId"]?.stringValue,
            try transaction.object(AccountNames.user, userId) != nil
        {
            var list = try SessionList(of: userId, in: transaction)
            list.remove(id)
            try list.store(for: userId, in: &transaction)
        }
        return true
    }

    /// Ends all sessions of a user.
    ///
    /// - Throws: ``StoreError``.
    static func endAll(of userId: String, in transaction: inout WriteTransaction) throws {
        for entry in try SessionList(of: userId, in: transaction).entries {
            try transaction.delete(AccountNames.session, entry.id)
        }
        try transaction.setSecret(
            SessionList.secret, of: AccountNames.user, userId, to: nil)
    }

    /// What is kept of the right to a session: it is its user's alone.
    static func owned(by userId: String) -> AccessList {
        var list = AccessList()
        list[userId] = [.read, .write]
        return list
    }

    static func pointer(to userId: String) -> JSONValue {
        [
            "__type": "Pointer", "className": .string(AccountNames.user),
            "objectId": .string(userId),
        ]
    }
}
