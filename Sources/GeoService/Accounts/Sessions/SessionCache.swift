import GeoStore

/// Sessions by the digest of their token, bounded: what was not asked for during a whole turn goes.
///
/// Entries live in a young half and an old one, as in ``TwoGenerationCache``; unlike there, those
/// of a session or of all can be taken out.
struct SessionCache {
    private struct Half {
        var sessions: [[UInt8]: Session] = [:]
        /// The token's digest of each session.
        var digests: [String: [UInt8]] = [:]
        var bytes = 0
    }

    private var young = Half()
    private var old = Half()
    private let limitBytes: Int

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// The session of a token's digest.
    mutating func find(_ digest: [UInt8]) -> Session? {
        if let session = young.sessions[digest] { return session }
        guard let session = old.sessions[digest] else { return nil }
        keep(session, as: digest)
        return session
    }

    mutating func keep(_ session: Session, as digest: [UInt8]) {
        remove(session.id)
        young.sessions[digest] = session
        young.digests[session.id] = digest
        young.bytes += Self.bytes(session)
        guard young.bytes > limitBytes / 2 else { return }
        old = young
        young = Half()
    }

    /// Takes a session out.
    mutating func remove(_ id: String) {
        Self.remove(id, from: &young)
        Self.remove(id, from: &old)
    }

    /// Takes the sessions of a user out. O(sessions).
    mutating func removeAll(of userId: String) {
        for half in [young, old] {
            for session in half.sessions.values where session.principals.userId == userId {
                remove(session.id)
            }
        }
    }

    mutating func removeAll() {
        young = Half()
        old = Half()
    }

    private static func remove(_ id: String, from half: inout Half) {
        guard let digest = half.digests.removeValue(forKey: id),
            let session = half.sessions.removeValue(forKey: digest)
        else { return }
        half.bytes -= bytes(session)
    }

    /// About how much memory a session takes: each name of a role is held twice.
    private static func bytes(_ session: Session) -> Int {
        400 + session.principals.roles.reduce(0) { $0 + 2 * (32 + $1.utf8.count) }
    }
}
