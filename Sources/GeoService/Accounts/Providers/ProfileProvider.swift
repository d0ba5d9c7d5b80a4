import JSONText

/// A provider that is asked who the owner of an access token is: Spotify, Facebook.
struct ProfileProvider: AuthProvider {
    let name: String
    /// The members that may have the access token.
    let members: [String]
    /// The address that answers `{"id": …}` of the token's owner.
    let profileURL: String
    /// The address that answers `{"id": …}` of the app that the token was made for, and the ids
    /// that are taken; nil where the provider has no such address.
    let app: App?
    let asksOthers = true

    struct App: Sendable {
        let url: String
        let ids: [String]
    }

    static let spotifyURL = "https://api.spotify.com/v1/me"
    static let facebookURL = "https://graph.facebook.com/v19.0"

    /// - Parameter url: The address of the profile.
    static func spotify(url: String) -> ProfileProvider {
        ProfileProvider(
            name: "spotify", members: ["access_token"], profileURL: url, app: nil)
    }

    /// - Parameter url: The address below which `me` and `app` lie.
    static func facebook(url: String, appIDs: [String]) -> ProfileProvider {
        ProfileProvider(
            name: "facebook", members: ["access_token", "token"],
            profileURL: "\(url)/me?fields=id", app: App(url: "\(url)/app", ids: appIDs))
    }

    func verify(_ data: JSONObject) throws(AuthProviderError) {
        let id = try AuthProviders.id(in: data)
        let token = try AuthProviders.token(members, in: data)
        if let app {
            let owner = try ask(app.url, token)
            guard let appID = owner, app.ids.contains(appID) else { throw .invalid }
        }
        guard let known = try ask(profileURL, token), known == id else { throw .invalid }
    }

    /// The id in an answer; nil when the token is refused.
    private func ask(_ url: String, _ token: String) throws(AuthProviderError) -> String? {
        let answer: ProviderCall.Answer
        do {
            answer = try ProviderCall.get(url, bearer: token)
        } catch {
            Log.warning("\(name) cannot be asked: \(error)")
            throw .unreachable
        }
        switch answer {
        case .object(let profile): return profile["id"]?.stringValue
        case .refused(let status):
            if (400..<500).contains(status), status != 429 { return nil }
            Log.warning("\(name) answered \(status)")
            throw .unreachable
        }
    }
}
