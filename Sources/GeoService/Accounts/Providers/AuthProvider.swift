import JSONText

/// Somebody who vouches for users: what a client sends of it is checked before anybody is let in.
protocol AuthProvider: Sendable {
    /// Its name in `authData`.
    var name: String { get }

    /// Whether the check asks others, and so may take seconds.
    var asksOthers: Bool { get }

    /// Checks what a client sends: `{"id": …}` and what proves it. Blocks when it asks others.
    ///
    /// - Throws: ``AuthProviderError``.
    func verify(_ data: JSONObject) throws(AuthProviderError)
}

/// Why a provider does not vouch for a user.
enum AuthProviderError: Error, Equatable, Sendable {
    /// The data lack a member, or have it in a wrong form.
    case malformed(member: String)
    /// The proof is none: wrong, over, or of another app or user.
    case invalid
    /// The provider does not answer.
    case unreachable
}

/// The providers of a service, by name.
struct AuthProviders: Sendable {
    private let providers: [String: any AuthProvider]

    /// The longest id of a user at a provider, in bytes.
    static let greatestIDBytes = 256

    init(_ providers: [any AuthProvider]) {
        self.providers = Dictionary(providers.map { ($0.name, $0) }) { first, _ in first }
    }

    subscript(name: String) -> (any AuthProvider)? { providers[name] }

    /// The user's id at a provider, as a client sends it.
    ///
    /// - Throws: ``AuthProviderError/malformed(member:)``.
    static func id(in data: JSONObject) throws(AuthProviderError) -> String {
        guard let id = data["id"]?.stringValue, (1...greatestIDBytes).contains(id.utf8.count)
        else { throw .malformed(member: "id") }
        return id
    }

    /// A text among the data.
    ///
    /// - Throws: ``AuthProviderError/malformed(member:)`` when it is missing, or too long for a
    ///   header field.
    static func token(
        _ names: [String], in data: JSONObject
    ) throws(AuthProviderError) -> String {
        for name in names {
            guard let token = data[name]?.stringValue else { continue }
            let isPlain = token.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            guard isPlain, (1...WebToken.greatestBytes).contains(token.utf8.count) else {
                throw .malformed(member: name)
            }
            return token
        }
        throw .malformed(member: names.first ?? "token")
    }
}

/// Nobody: the client has made up an id, which is its secret. Whoever knows it, is the user.
struct AnonymousProvider: AuthProvider {
    let name = "anonymous"
    let asksOthers = false

    func verify(_ data: JSONObject) throws(AuthProviderError) {
        _ = try AuthProviders.id(in: data)
    }
}
