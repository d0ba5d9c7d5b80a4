import GeoStore
import JSONText
import Synchronization

/// Finds out who a session's token stands for.
///
/// It keeps what it found, and is exact all the same: it is told of every commit before the commit
/// is answered (``apply(_:)``), and what was read before a commit is not kept after it. So a
/// session that ended, or a role that was given or taken, counts on the next request.
final class SessionDirectory: Sendable {
    private struct State {
        var cache: SessionCache
        /// Counts the commits that may have changed what is kept.
        var generation = 0
    }

    private let state: Mutex<State>
    private let store: SQLiteStore
    private let now: @Sendable () -> Timestamp

    /// What the sessions that are kept may take.
    static let defaultBytes = 32 << 20

    init(
        _ store: SQLiteStore, limitBytes: Int = defaultBytes,
        now: @escaping @Sendable () -> Timestamp
    ) {
        state = Mutex(State(cache: SessionCache(limitBytes: limitBytes)))
        self.store = store
        self.now = now
    }

    /// What is known of a token at once.
    enum Knowledge: Sendable {
        /// It is this session's.
        case session(Session)
        /// It is no session's.
        case none
        /// The store must be asked, on a thread that may wait.
        case unknown
    }

    /// The session of a token, when it is known or the store is free: for threads that must not
    /// wait. About 1 µs when it is known.
    ///
    /// - Throws: ``StoreError``.
    func findAtOnce(_ text: String) throws -> Knowledge {
        guard let token = SecretToken(shown: text, .session) else { return .none }
        return try findAtOnce(token.digest)
    }

    /// As with the token itself, by the digest of a token.
    func findAtOnce(_ digest: [UInt8]) throws -> Knowledge {
        let (known, generation) = state.withLock { state in
            (state.cache.find(digest), state.generation)
        }
        if let known { return isOver(known) ? .none : .session(known) }
        let found = try store.readIfFree { try Self.session(of: digest, in: $0) }
        guard let found else { return .unknown }
        return keep(found, digest, generation).map { .session($0) } ?? .none
    }

    /// The session of a token; nil when it is none's. Waits for the store.
    ///
    /// - Throws: ``StoreError``.
    func find(_ text: String) throws -> Session? {
        guard let token = SecretToken(shown: text, .session) else { return nil }
        return try find(token.digest)
    }

    /// The session of a token's digest; nil when it is none's. Waits for the store.
    ///
    /// - Throws: ``StoreError``.
    func find(_ digest: [UInt8]) throws -> Session? {
        let (known, generation) = state.withLock { state in
            (state.cache.find(digest), state.generation)
        }
        if let known { return isOver(known) ? nil : known }
        return keep(try store.read { try Self.session(of: digest, in: $0) }, digest, generation)
    }

    /// Takes over the changes of a commit: called on the writer's thread, after the commit and
    /// before it is answered.
    ///
    /// - Complexity: O(changes), and O(sessions kept) when users are deleted.
    func apply(_ changes: [DocumentChange]) {
        var ended: [String] = []
        var gone: [String] = []
        var areRolesChanged = false
        for change in changes {
            switch change.className {
            // A new session was not known before.
            case AccountNames.session where change.before != nil: ended.append(change.objectId)
            case AccountNames.user where change.after == nil: gone.append(change.objectId)
            case AccountNames.role: areRolesChanged = true
            default: break
            }
        }
        guard areRolesChanged || !ended.isEmpty || !gone.isEmpty else { return }
        state.withLock { state in
            state.generation += 1
            if areRolesChanged { return state.cache.removeAll() }
            for id in ended { state.cache.remove(id) }
            for id in gone { state.cache.removeAll(of: id) }
        }
    }

    private func keep(_ session: Session?, _ digest: [UInt8], _ generation: Int) -> Session? {
        guard let session, !isOver(session) else { return nil }
        state.withLock { state in
            // A commit meanwhile may have made it untrue.
            guard state.generation == generation else { return }
            state.cache.keep(session, as: digest)
        }
        return session
    }

    private func isOver(_ session: Session) -> Bool { session.expiresAt <= now() }

    /// The session of a token as the store has it, whether it is over or not. The outer nil is
    /// none at all for ``SQLiteStore/readIfFree(_:)``.
    private static func session(
        of digest: [UInt8], in reader: borrowing Reader
    ) throws -> Session? {
        guard let holder = try reader.holder(of: AccountNames.tokenKey(ofDigest: digest)),
            let document = try reader.object(AccountNames.session, holder.objectId),
            let userId = document.fields["user"]?["objectId"]?.stringValue,
            let expiresAt = document.fields["expiresAt"]?.dateValue,
            ObjectID.isValid(userId),
            try reader.byteCount(AccountNames.user, userId) != nil
        else { return nil }
        let roles = try RoleGraph.roles(of: userId, in: reader)
        return Session(
            id: document.objectId, principals: Principals(user: userId, roles: roles),
            expiresAt: expiresAt)
    }
}
