import GeoStore
import JSONText

/// Tokens that stand in addresses of the map, for what cannot send header fields, such as an
/// `<img>`.
///
/// A token holds the digest of a session's token and when it ends, sealed by a key of this process:
/// nothing is stored, and a token ends with its session, with its time, and with the process. The
/// digest finds the session and does not open it: whoever reads an address in a log sees at most a
/// map, for some minutes.
struct MapTokens: Sendable {
    /// The parameter of addresses.
    static let parameter = "mapToken"
    /// How long a token is good.
    static let lifetimeMilliseconds: Int64 = 15 * 60_000

    private static let timeBytes = 8
    private let key: [UInt8]
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) {
        key = Sodium.randomBytes(Sodium.digestBytes)
        self.now = now
    }

    /// A token for a session.
    func token(forSession digest: [UInt8]) -> (text: String, expires: Timestamp) {
        let expires = Timestamp(
            milliseconds: now().milliseconds + MapTokens.lifetimeMilliseconds)
        let content = MapTokens.bytes(expires) + digest
        let seal = Sodium.digest(content, key: key)
        return (Base64.encodedURL(content + seal), expires)
    }

    /// The digest of the session's token that a token is for; nil when it is none of this process,
    /// or over. The time that it takes does not tell how much of a seal is right.
    func sessionDigest(of text: String) -> [UInt8]? {
        let size = MapTokens.timeBytes + 2 * Sodium.digestBytes
        // Four digits stand for three bytes.
        guard text.utf8.count == (size * 4 + 2) / 3, let bytes = Base64.decodedURL(text),
            bytes.count == size
        else { return nil }
        let content = Array(bytes.prefix(size - Sodium.digestBytes))
        let seal = Array(bytes.suffix(Sodium.digestBytes))
        guard Sodium.areEqual(seal, Sodium.digest(content, key: key)) else { return nil }
        let expires = content.prefix(MapTokens.timeBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard Int64(bitPattern: expires) > now().milliseconds else { return nil }
        return Array(content.dropFirst(MapTokens.timeBytes))
    }

    private static func bytes(_ time: Timestamp) -> [UInt8] {
        let bits = UInt64(bitPattern: time.milliseconds)
        return (0..<timeBytes).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    }
}

/// `POST /v1/map-token`.
struct MapTokenRoutes: Sendable {
    let viewers: Viewers

    func register(in router: inout Router) {
        viewers.add(.post, "/v1/map-token", to: &router) { request, viewer in
            _ = try MapQuery(
                request, viewer, own: [], isFiltered: false, isMap: false, now: .now())
            guard !viewer.isAnonymous, !viewer.isByMapToken,
                let text = request.header("X-Parse-Session-Token"),
                let token = SecretToken(shown: text, .session)
            else {
                throw Problem(
                    .unauthorized, "this needs the header X-Parse-Session-Token of a session")
            }
            let (sealed, expires) = viewers.tokens.token(forSession: token.digest)
            var response = Response(
                .ok, .json,
                JSONWriter.encode([
                    "token": .string(sealed), "expires": .string(expires.description),
                ]))
            response.cacheControl = "no-store"
            return .reply(response)
        }
    }
}
