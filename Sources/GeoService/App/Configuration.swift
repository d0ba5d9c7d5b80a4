import GeoStore
import JSONText

/// All settings of a service, from flags, then `GEOSERVICE_*` variables, then `DIR/config.json`.
package struct Configuration: Sendable {
    /// Whether a demo city is made, and whether it lives.
    package enum Demo: Sendable {
        case none, still, living
    }

    /// The data directory.
    package var dataDirectory = "./geodata"
    /// Where to listen: `HOST:PORT`; port 0 takes a free one.
    package var listen = "127.0.0.1:8080"
    /// The folder with `web/` and the world map; nil looks beside the binary, then in the checkout.
    package var assets: String?
    /// What to show without any data of one's own.
    package var demo = Demo.none
    /// The root of links, without a slash at its end.
    package var publicURL: String?
    /// Proxies whose `Forwarded` fields count.
    package var trustedProxies: [AddressRange] = []
    /// The root of an OSRM's or Valhalla's addresses, without a slash at its end; nil is none.
    package var router: String?
    /// Origins that may read answers.
    package var cors = CORSPolicy.any
    /// The keys of the application; nil ones are kept in, or made for, the data directory.
    package var appID: String?
    package var restKey: String?
    package var masterKey: String?
    /// Addresses that may use the master key.
    package var masterKeyAddresses: [AddressRange] = Configuration.loopback
    /// Whether clients may make classes by writing to them; nil is: in loopback mode only.
    package var clientClassCreation: Bool?
    /// Whether clients without a user, and anonymous users, may send files; nil is: in loopback
    /// mode only.
    package var publicUploads: Bool?
    /// Paths below `/parse` whose writes are done once for each id of a request.
    var idempotentPaths: [TextPattern] = []
    /// Bytes of rendered tiles that are kept.
    package var tileCacheBytes = 128 << 20
    /// Bytes of resolved clusters that are kept for each layer.
    package var clusterCacheBytes = 128 << 20
    /// Memory for what signed-in viewers see of layers beside everybody.
    package var viewCacheBytes = defaultViewCacheBytes
    static let defaultViewCacheBytes = 256 << 20
    /// What map answers with a `where` may cost.
    var conditions = WhereAnswers.Limits()
    /// Users, sessions, roles, mail.
    var accounts = AccountSettings()
    /// How long a stop waits for requests under way.
    package var stopDeadline: Duration = .seconds(15)

    /// The defaults.
    package init() {}

    /// How large a cache may be, in megabytes.
    private static let cacheMegabytes = 1...1_000_000
    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Takes the settings of an environment.
    ///
    /// - Throws: ``SettingError`` for one that does not parse.
    package mutating func read(environment: [String: String]) throws(SettingError) {
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("GEOSERVICE_") {
            try set(name, value)
        }
    }

    /// Takes one setting by the name of its variable.
    ///
    /// - Throws: ``SettingError`` when it does not parse; unknown names are refused, since a
    ///   misspelt setting would otherwise leave a door open.
    package mutating func set(_ name: String, _ value: String) throws(SettingError) {
        switch name {
        case "GEOSERVICE_LISTEN": listen = value
        case "GEOSERVICE_DATA": dataDirectory = value
        case "GEOSERVICE_ASSETS": assets = value
        case "GEOSERVICE_STORE":
            guard value == "sqlite" else {
                throw SettingError(name, "must be sqlite: this version stores in SQLite")
            }
        case "GEOSERVICE_APP_ID": appID = try SettingValue.key(name, value)
        case "GEOSERVICE_REST_KEY": restKey = try SettingValue.key(name, value)
        case "GEOSERVICE_MASTER_KEY": masterKey = try SettingValue.key(name, value)
        case "GEOSERVICE_MASTER_KEY_IPS":
            masterKeyAddresses = try SettingValue.ranges(name, value)
        case "GEOSERVICE_TRUSTED_PROXIES": trustedProxies = try SettingValue.ranges(name, value)
        case "GEOSERVICE_PUBLIC_URL": publicURL = try SettingValue.root(name, value)
        case "GEOSERVICE_ROUTER": router = try SettingValue.root(name, value)
        case "GEOSERVICE_CORS_ORIGINS":
            cors = value == "*" ? .any : .origins(try SettingValue.origins(name, value))
        case "GEOSERVICE_CLIENT_CLASS_CREATION":
            clientClassCreation = try SettingValue.flag(name, value)
        case "GEOSERVICE_PUBLIC_UPLOADS":
            publicUploads = try SettingValue.flag(name, value)
        case "GEOSERVICE_IDEMPOTENT_PATHS":
            idempotentPaths = try SettingValue.patterns(name, value)
        case "GEOSERVICE_TILE_CACHE_MB":
            tileCacheBytes = try SettingValue.megabytes(
                name, value, in: Configuration.cacheMegabytes)
        case "GEOSERVICE_CLUSTER_CACHE_MB":
            clusterCacheBytes = try SettingValue.megabytes(
                name, value, in: Configuration.cacheMegabytes)
        case "GEOSERVICE_VIEW_CACHE_MB":
            viewCacheBytes = try SettingValue.megabytes(
                name, value, in: Configuration.cacheMegabytes)
        case "GEOSERVICE_WHERE_CANDIDATES":
            conditions.candidates = try SettingValue.number(
                name, value, of: "objects", in: 1_000...100_000_000)
        case "GEOSERVICE_WHERE_CACHE_MB":
            conditions.bytes = try SettingValue.megabytes(
                name, value, in: Configuration.cacheMegabytes)
        default:
            guard try accounts.set(name, value) else {
                throw SettingError(name, "is no setting of this version")
            }
        }
    }
}

extension Configuration {
    /// Takes the settings of `config.json` in the data directory, when there is one: an object of
    /// variables' names and texts.
    ///
    /// - Throws: ``SettingError``.
    package mutating func readFile() throws {
        let path = dataDirectory + "/config.json"
        guard let bytes = try SmallFile.read(path, limitBytes: 1 << 20) else { return }
        guard let object = (try? JSONParser.parse(bytes))?.objectValue else {
            throw SettingError("config.json", "must be a JSON object of settings")
        }
        for member in object {
            guard let text = member.value.stringValue else {
                throw SettingError(member.key, "in config.json must be text in quotes")
            }
            try set(member.key, text)
        }
    }

    /// Takes keys from a file of lines `GEOSERVICE_MASTER_KEY=…`.
    ///
    /// - Throws: ``SettingError``.
    package mutating func readKeys(file: String) throws {
        guard let bytes = try SmallFile.read(file, limitBytes: 64 << 10) else {
            throw SettingError("--key-file", "names a file that is not there")
        }
        let known = ["GEOSERVICE_APP_ID", "GEOSERVICE_REST_KEY", "GEOSERVICE_MASTER_KEY"]
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.drop { $0 == " " }
            if text.isEmpty || text.hasPrefix("#") { continue }
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, known.contains(String(parts[0])) else {
                throw SettingError(
                    "--key-file", "must have lines such as GEOSERVICE_MASTER_KEY=…")
            }
            try set(String(parts[0]), String(parts[1]))
        }
    }
}
