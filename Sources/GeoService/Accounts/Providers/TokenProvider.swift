import GeoStore
import JSONText

/// A provider that signs a web token for each user: Apple (`token`), Google (`id_token`).
struct TokenProvider: AuthProvider {
    let name: String
    /// The members that may have the token.
    let members: [String]
    /// The provider's names for itself.
    let issuers: [String]
    /// The app's names at the provider: tokens made for other apps are none.
    let audiences: [String]
    let keys: WebKeySet
    let asksOthers = true

    /// Where Apple publishes its keys.
    static let appleKeys = "https://appleid.apple.com/auth/keys"
    /// Where Google publishes its keys.
    static let googleKeys = "https://www.googleapis.com/oauth2/v3/certs"

    static func apple(audiences: [String], keysURL: String) -> TokenProvider {
        TokenProvider(
            name: "apple", members: ["token"], issuers: ["https://appleid.apple.com"],
            audiences: audiences, keys: WebKeySet(url: keysURL))
    }

    static func google(audiences: [String], keysURL: String) -> TokenProvider {
        TokenProvider(
            name: "google", members: ["id_token"],
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            audiences: audiences, keys: WebKeySet(url: keysURL))
    }

    func verify(_ data: JSONObject) throws(AuthProviderError) {
        let id = try AuthProviders.id(in: data)
        let text = try AuthProviders.token(members, in: data)
        guard let token = WebToken(text) else { throw .invalid }
        let expectation = WebToken.Expectation(
            issuers: issuers, audiences: audiences, subject: id,
            now: Double(Timestamp.now().milliseconds) / 1000)
        // Before the keys are asked for: nobody is asked on behalf of a token that is none.
        guard token.meets(expectation) else { throw .invalid }
        let key: RSAPublicKey?
        do {
            key = try keys.key(token.keyID)
        } catch {
            Log.warning("the keys of \(name) cannot be had: \(error)")
            throw .unreachable
        }
        guard let key, token.isSigned(by: key) else { throw .invalid }
    }
}
