/// A secret that a client is given once and shows again later: a session's token, or that of a
/// mail. Only its digest is stored.
struct SecretToken: Sendable {
    /// What a token opens. A token of one kind is none of another.
    enum Kind: Sendable {
        case session, passwordReset, emailVerification

        fileprivate var purpose: StaticString {
            switch self {
            case .session: "session token"
            case .passwordReset: "password reset token"
            case .emailVerification: "email verification token"
            }
        }

        /// What stands before the digits; clients of Parse ask for `r:` in a session's.
        fileprivate var prefix: String { self == .session ? "r:" : "" }
    }

    /// The secret itself.
    let text: String
    /// What is stored of it: it finds the token, and does not give it away.
    let digest: [UInt8]

    private static let randomBytes = 16
    /// No token is longer; what is, need not be digested.
    private static let greatestLength = 64

    /// Makes a token of 128 random bits.
    init(_ kind: Kind) {
        let digits = Array("0123456789abcdef".utf8)
        var text = kind.prefix
        for byte in Sodium.randomBytes(Self.randomBytes) {
            text.unicodeScalars.append(Unicode.Scalar(digits[Int(byte >> 4)]))
            text.unicodeScalars.append(Unicode.Scalar(digits[Int(byte & 15)]))
        }
        self.init(text, kind)
    }

    /// A token that a client shows; nil when it cannot be one.
    init?(shown text: String, _ kind: Kind) {
        guard text.utf8.count <= Self.greatestLength, text.hasPrefix(kind.prefix) else {
            return nil
        }
        self.init(text, kind)
    }

    private init(_ text: String, _ kind: Kind) {
        self.text = text
        // 128 random bits cannot be guessed from their digest, so that it needs no salt and no
        // slowness, and can be a key.
        digest = Sodium.digest(Array(text.utf8), purpose: kind.purpose)
    }
}
