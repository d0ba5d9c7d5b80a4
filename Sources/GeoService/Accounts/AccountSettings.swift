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
            passwordMemoryBytes = try SettingValue.megabytes(name, value, in: 8...1024)
        case "GEOSERVICE_PRIVATE_USERS": hasPrivateUsers = try SettingValue.flag(name, value)
        case "GEOSERVICE_LOGINS_PER_ADDRESS": loginsPerAddress = try SettingValue.rate(name, value)
        case "GEOSERVICE_LOGINS_PER_ACCOUNT": loginsPerAccount = try SettingValue.rate(name, value)
        case "GEOSERVICE_SIGNUPS_PER_ADDRESS":
            signUpsPerAddress = try SettingValue.rate(name, value)
        case "GEOSERVICE_RESETS_PER_ADDRESS": resetsPerAddress = try SettingValue.rate(name, value)
        case "GEOSERVICE_RESETS_PER_ACCOUNT": resetsPerAccount = try SettingValue.rate(name, value)
        default:
            if try setProvider(name, value) { return true }
            return try setMail(name, value)
        }
        return true
    }
}
