extension AccountSettings {
    /// Takes one setting about login providers; false when it is none of these.
    ///
    /// - Throws: ``SettingError`` when it does not parse.
    mutating func setProvider(
        _ name: String, _ value: String
    ) throws(SettingError) -> Bool {
        switch name {
        case "GEOSERVICE_AUTH_PROVIDERS": providerNames = try Self.providers(name, value)
        case "GEOSERVICE_APPLE_CLIENT_IDS": appleClientIDs = try SettingValue.ids(name, value)
        case "GEOSERVICE_APPLE_KEYS_URL": appleKeysURL = try SettingValue.provider(name, value)
        case "GEOSERVICE_GOOGLE_CLIENT_IDS": googleClientIDs = try SettingValue.ids(name, value)
        case "GEOSERVICE_GOOGLE_KEYS_URL": googleKeysURL = try SettingValue.provider(name, value)
        case "GEOSERVICE_FACEBOOK_APP_IDS": facebookAppIDs = try SettingValue.ids(name, value)
        case "GEOSERVICE_FACEBOOK_URL": facebookURL = try SettingValue.provider(name, value)
        case "GEOSERVICE_SPOTIFY_URL": spotifyURL = try SettingValue.provider(name, value)
        default: return false
        }
        return true
    }

    private static let knownProviders = ["anonymous", "apple", "google", "facebook", "spotify"]

    private static func providers(
        _ name: String, _ value: String
    ) throws(SettingError) -> [String] {
        let names = value == "none" ? [] : try SettingValue.ids(name, value)
        guard names.allSatisfy(knownProviders.contains) else {
            let known = knownProviders.joined(separator: ",")
            throw SettingError(name, "must be none, or some of \(known)")
        }
        return names
    }

    /// The providers.
    ///
    /// - Throws: ``SettingError`` when one lacks what it needs.
    func providers() throws(SettingError) -> AuthProviders {
        var providers: [any AuthProvider] = []
        for name in providerNames {
            switch name {
            case "apple":
                try Self.require(appleClientIDs, "GEOSERVICE_APPLE_CLIENT_IDS", of: name)
                providers.append(
                    TokenProvider.apple(audiences: appleClientIDs, keysURL: appleKeysURL))
            case "google":
                try Self.require(googleClientIDs, "GEOSERVICE_GOOGLE_CLIENT_IDS", of: name)
                providers.append(
                    TokenProvider.google(audiences: googleClientIDs, keysURL: googleKeysURL))
            case "facebook":
                try Self.require(facebookAppIDs, "GEOSERVICE_FACEBOOK_APP_IDS", of: name)
                providers.append(
                    ProfileProvider.facebook(url: facebookURL, appIDs: facebookAppIDs))
            case "spotify": providers.append(ProfileProvider.spotify(url: spotifyURL))
            default: providers.append(AnonymousProvider())
            }
        }
        return AuthProviders(providers)
    }

    private static func require(
        _ ids: [String], _ setting: String, of provider: String
    ) throws(SettingError) {
        guard ids.isEmpty else { return }
        throw SettingError(
            setting, "must have the app's ids at \(provider): tokens of other apps are not taken")
    }
}
