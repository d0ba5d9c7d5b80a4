import JSONText

/// A signed token of a login provider: JSON Web Token (RFC 7519) with RS256, the only algorithm
/// that is taken, whatever the token says.
struct WebToken: Sendable {
    /// Which of the provider's keys has signed it.
    let keyID: String
    private let claims: JSONObject
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// The longest token, in bytes.
    static let greatestBytes = 8192
    /// How far clocks may be apart, in seconds.
    private static let leewaySeconds = 60.0

    /// Reads a token; nil when it is none of this kind.
    init?(_ text: String) {
        guard text.utf8.count <= Self.greatestBytes else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            header["alg"] == "RS256", header["crit"] == nil,
            let keyID = header["kid"]?.stringValue, let claims = Self.object(parts[1]),
            let signature = Base64.decodedURL(parts[2])
        else { return nil }
        self.keyID = keyID
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Whether a key has signed it.
    func isSigned(by key: RSAPublicKey) -> Bool { key.hasSigned(signed, signature) }

    /// What must be true of a token.
    struct Expectation: Sendable {
        /// The provider's names for itself.
        let issuers: [String]
        /// The app's names at the provider.
        let audiences: [String]
        /// The user's id at the provider.
        let subject: String
        /// Seconds since 1970.
        let now: Double
    }

    /// Whether its claims are as expected; the signature is another question.
    func meets(_ expectation: Expectation) -> Bool {
        guard let issuer = claims["iss"]?.stringValue, expectation.issuers.contains(issuer),
            claims["sub"]?.stringValue == expectation.subject,
            let end = claims["exp"]?.doubleValue,
            expectation.now < end + Self.leewaySeconds
        else { return false }
        if let start = claims["nbf"] {
            guard let start = start.doubleValue, start <= expectation.now + Self.leewaySeconds
            else { return false }
        }
        let audiences = claims["aud"]?.arrayValue ?? [claims["aud"] ?? .null]
        return audiences.contains { audience in
            audience.stringValue.map(expectation.audiences.contains) ?? false
        }
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Base64.decodedURL(part).flatMap { try? JSONParser.parse($0) }?.objectValue
    }
}
