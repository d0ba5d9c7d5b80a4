/// The settings of accounts, each a `GEOSERVICE_*` variable.
struct AccountSettings: Sendable {
    /// Where mail goes.
    enum Mail: Sendable {
        case none, file
        case server(url: String)
    }

    /// How much memory each hash of a password fills, in bytes.
    var passwordMemoryBytes = PasswordHasher.defaultMemoryBytes
    /// Whether new users are readable by themselves alone, unless they say otherwise.
    var hasPrivateUsers = false
    /// What one address, and what one account, may do in a minute; nil is without a limit.
    var loginsPerAddress: Int? = 60
    var loginsPerAccount: Int? = 20
    var signUpsPerAddress: Int? = 30
    var resetsPerAddress: Int? = 10
    var resetsPerAccount: Int? = 3

    /// The providers that `authData` may be of.
    var providerNames = ["anonymous"]
    var appleClientIDs: [String] = []
    var appleKeysURL = TokenProvider.appleKeys
    var googleClientIDs: [String] = []
    var googleKeysURL = TokenProvider.googleKeys
    var facebookAppIDs: [String] = []
    var facebookURL = ProfileProvider.facebookURL
    var spotifyURL = ProfileProvider.spotifyURL

    var mail = Mail.none
    var mailSender: String?
    var mailUser: String?
    var mailPassword: String?
    /// Whether new addresses of users are asked to be confirmed.
    var verifiesEmails = false

    /// Takes one setting by the name of its variable; false when it is none of these.
    ///
    /// - Throws: ``SettingError`` when it does not parse.
    mutating func set(_ name: String, _ value: String) throws(SettingError) -> Bool {
        switch name {
        case "GEOSERVICE_PASSWORD_MEMORY_MB":
            guard let megabytes = Int(value), (8...1024).contains(megabytes) else {
                throw SettingError(name, "must be a whole number of megabytes from 8 to 1024")
            }
            passwordMemoryBytes = megabytes << 20
        case "GEOSERVICE_PRIVATE_USERS": hasPrivateUsers = try Configuration.flag(name, value)
        case "GEOSERVICE_LOGINS_PER_ADDRESS": loginsPerAddress = try Self.rate(name, value)
        case "GEOSERVICE_LOGINS_PER_ACCOUNT": loginsPerAccount = try Self.rate(name, value)
        case "GEOSERVICE_SIGNUPS_PER_ADDRESS": signUpsPerAddress = try Self.rate(name, value)
        case "GEOSERVICE_RESETS_PER_ADDRESS": resetsPerAddress = try Self.rate(name, value)
        case "GEOSERVICE_RESETS_PER_ACCOUNT": resetsPerAccount = try Self.rate(name, value)
        default:
            if try setProvider(name, value) { return true }
            return try setMail(name, value)
        }
        return true
    }

    private mutating func setProvider(
        _ name: String, _ value: String
    ) throws(SettingError) -> Bool {
        switch name {
        case "GEOSERVICE_AUTH_PROVIDERS": providerNames = try Self.providers(name, value)
        case "GEOSERVICE_APPLE_CLIENT_IDS": appleClientIDs = try Self.list(name, value)
        case "GEOSERVICE_APPLE_KEYS_URL": appleKeysURL = try Self.address(name, value)
        case "GEOSERVICE_GOOGLE_CLIENT_IDS": googleClientIDs = try Self.list(name, value)
        case "GEOSERVICE_GOOGLE_KEYS_URL": googleKeysURL = try Self.address(name, value)
        case "GEOSERVICE_FACEBOOK_APP_IDS": facebookAppIDs = try Self.list(name, value)
        case "GEOSERVICE_FACEBOOK_URL": facebookURL = try Self.address(name, value)
        case "GEOSERVICE_SPOTIFY_URL": spotifyURL = try Self.address(name, value)
        default: return false
        }
        return true
    }

    private mutating func setMail(_ name: String, _ value: String) throws(SettingError) -> Bool {
        switch name {
        case "GEOSERVICE_MAIL":
            switch value {
            case "none": mail = .none
            case "file": mail = .file
            default:
                guard MailServer.isValid(value) else {
                    throw SettingError(
                        name, "must be none, file, or a server such as smtp://mail.example.org:587")
                }
                mail = .server(url: value)
            }
        case "GEOSERVICE_MAIL_FROM":
            guard MailAddress.isValid(value) else {
                throw SettingError(name, "must be an address such as maps@example.org")
            }
            mailSender = value
        case "GEOSERVICE_MAIL_USER": mailUser = try Self.text(name, value)
        case "GEOSERVICE_MAIL_PASSWORD": mailPassword = try Self.text(name, value)
        case "GEOSERVICE_VERIFY_EMAILS": verifiesEmails = try Configuration.flag(name, value)
        default: return false
        }
        return true
    }

    // MARK: - Values

    private static func rate(_ name: String, _ value: String) throws(SettingError) -> Int? {
        if value == "off" { return nil }
        guard let number = Int(value), (1...100_000).contains(number) else {
            throw SettingError(name, "must be a whole number a minute from 1 to 100000, or off")
        }
        return number
    }

    private static func list(_ name: String, _ value: String) throws(SettingError) -> [String] {
        let items = value.split(separator: ",").map { String($0.drop { $0 == " " }) }
        let isPlain = items.allSatisfy { item in
            !item.isEmpty && item.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        }
        guard isPlain else {
            throw SettingError(name, "must be ids without spaces, separated by commas")
        }
        return items
    }

    private static let known = ["anonymous", "apple", "google", "facebook", "spotify"]

    private static func providers(
        _ name: String, _ value: String
    ) throws(SettingError) -> [String] {
        let names = value == "none" ? [] : try list(name, value)
        guard names.allSatisfy(known.contains) else {
            throw SettingError(
                name, "must be none, or some of \(known.joined(separator: ",")), without spaces")
        }
        return names
    }

    private static func address(_ name: String, _ value: String) throws(SettingError) -> String {
        guard ProviderAddress.isValid(value) else {
            throw SettingError(
                name, "must be an https address, or one of this machine such as http://127.0.0.1:9")
        }
        return value.hasSuffix("/") ? String(value.dropLast()) : value
    }

    private static func text(_ name: String, _ value: String) throws(SettingError) -> String {
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
        guard isPlain, (1...1024).contains(value.utf8.count) else {
            throw SettingError(name, "must be 1 to 1024 bytes without control characters")
        }
        return value
    }
}

extension AccountSettings {
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

    /// Where mail goes; nil is nowhere.
    ///
    /// - Throws: ``SettingError`` when the sender is missing.
    func outbox(directory: String) throws(SettingError) -> (any Outbox)? {
        switch mail {
        case .none:
            guard !verifiesEmails else {
                throw SettingError("GEOSERVICE_VERIFY_EMAILS", "needs GEOSERVICE_MAIL")
            }
            return nil
        case .file:
            return FileOutbox(
                folder: directory + "/outbox", sender: mailSender ?? "geoservice@localhost")
        case .server(let url):
            guard let mailSender else {
                throw SettingError("GEOSERVICE_MAIL_FROM", "must be set to send mail")
            }
            return SMTPOutbox(
                server: MailServer(url: url, user: mailUser, password: mailPassword),
                sender: mailSender)
        }
    }
}
