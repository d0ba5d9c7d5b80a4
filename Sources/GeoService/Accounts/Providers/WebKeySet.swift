import JSONText
import Synchronization

/// The keys of a login provider (JSON Web Key Set, RFC 7517), fetched when they are needed.
final class WebKeySet: Sendable {
    private struct State {
        var keys: [String: RSAPublicKey] = [:]
        /// When they were fetched, in milliseconds of the monotonic clock.
        var fetchedAt: UInt64?
    }

    private let url: String
    private let state = Mutex(State())
    private let now: @Sendable () -> UInt64

    /// For how long keys are taken without asking again.
    private static let lifetimeMilliseconds: UInt64 = 3_600_000
    /// How soon an unknown key leads to another question.
    private static let pauseMilliseconds: UInt64 = 60_000
    private static let greatestCount = 64

    init(
        url: String, now: @escaping @Sendable () -> UInt64 = { MonotonicClock.milliseconds }
    ) {
        self.url = url
        self.now = now
    }

    /// The key of an id; nil when the provider has none of it. Blocks while it is asked.
    ///
    /// - Throws: ``HTTPCallError`` when the provider does not answer with keys.
    func key(_ id: String) throws(HTTPCallError) -> RSAPublicKey? {
        let time = now()
        let (known, age) = state.withLock { state in
            (state.keys[id], state.fetchedAt.map { time - min($0, time) })
        }
        if let age {
            if known != nil, age < Self.lifetimeMilliseconds { return known }
            if known == nil, age < Self.pauseMilliseconds { return nil }
        }
        guard case .object(let answer) = try ProviderCall.get(url) else {
            throw HTTPCallError(description: "the keys' address answers with no success")
        }
        let keys = Self.keys(answer)
        state.withLock { state in
            state.keys = keys
            state.fetchedAt = time
        }
        return keys[id]
    }

    private static func keys(_ answer: JSONObject) -> [String: RSAPublicKey] {
        var keys: [String: RSAPublicKey] = [:]
        for key in (answer["keys"]?.arrayValue ?? []).prefix(greatestCount) {
            guard key["kty"] == "RSA", key["use"] ?? "sig" == "sig",
                key["alg"] ?? "RS256" == "RS256", let id = key["kid"]?.stringValue,
                let modulus = key["n"]?.stringValue.flatMap({ Base64.decodedURL($0) }),
                let exponent = key["e"]?.stringValue.flatMap({ Base64.decodedURL($0) }),
                let made = RSAPublicKey(modulus: modulus, exponent: exponent)
            else { continue }
            keys[id] = made
        }
        return keys
    }
}
