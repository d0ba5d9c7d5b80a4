import GeoStore
import JSONText

/// Why a setting was not taken.
package struct SettingError: Error, Equatable, CustomStringConvertible {
    /// A sentence that names the setting and says what would be right. Never holds a secret.
    package let description: String

    /// Names a setting.
    package init(_ name: String, _ whatIsRight: String) {
        description = "\(name) \(whatIsRight)"
    }
}

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
        case "GEOSERVICE_APP_ID": appID = try Configuration.key(name, value)
        case "GEOSERVICE_REST_KEY": restKey = try Configuration.key(name, value)
        case "GEOSERVICE_MASTER_KEY": masterKey = try Configuration.key(name, value)
        case "GEOSERVICE_MASTER_KEY_IPS":
            masterKeyAddresses = try Configuration.ranges(name, value)
        case "GEOSERVICE_TRUSTED_PROXIES": trustedProxies = try Configuration.ranges(name, value)
        case "GEOSERVICE_PUBLIC_URL": publicURL = try Configuration.root(name, value)
        case "GEOSERVICE_CORS_ORIGINS":
            cors = value == "*" ? .any : .origins(try Configuration.origins(name, value))
        case "GEOSERVICE_CLIENT_CLASS_CREATION":
            clientClassCreation = try Configuration.flag(name, value)
        case "GEOSERVICE_IDEMPOTENT_PATHS":
            idempotentPaths = try Configuration.patterns(name, value)
        case "GEOSERVICE_TILE_CACHE_MB":
            guard let megabytes = Int(value), (1...1_000_000).contains(megabytes) else {
                throw SettingError(name, "must be a whole number of megabytes from 1 to 1000000")
            }
            tileCacheBytes = megabytes << 20
        case "GEOSERVICE_CLUSTER_CACHE_MB":
            guard let megabytes = Int(value), (1...1_000_000).contains(megabytes) else {
                throw SettingError(name, "must be a whole number of megabytes from 1 to 1000000")
            }
            clusterCacheBytes = megabytes << 20
        case "GEOSERVICE_VIEW_CACHE_MB":
            guard let megabytes = Int(value), (1...1_000_000).contains(megabytes) else {
                throw SettingError(name, "must be a whole number of megabytes from 1 to 1000000")
            }
            viewCacheBytes = megabytes << 20
        case "GEOSERVICE_WHERE_CANDIDATES":
            guard let number = Int(value), (1_000...100_000_000).contains(number) else {
                throw SettingError(
                    name, "must be a whole number of objects from 1000 to 100000000")
            }
            conditions.candidates = number
        case "GEOSERVICE_WHERE_CACHE_MB":
            guard let megabytes = Int(value), (1...1_000_000).contains(megabytes) else {
                throw SettingError(name, "must be a whole number of megabytes from 1 to 1000000")
            }
            conditions.bytes = megabytes << 20
        default:
            guard try accounts.set(name, value) else {
                throw SettingError(name, "is no setting of this version")
            }
        }
    }

    /// A key, when it is one: an empty one would be equal to that of a request without any.
    ///
    /// - Throws: ``SettingError`` that names the setting, without its value.
    static func key(_ name: String, _ value: String) throws(SettingError) -> String {
        let isPlain = value.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        guard isPlain, (1...256).contains(value.utf8.count) else {
            throw SettingError(name, "must be 1 to 256 printable ASCII characters without spaces")
        }
        return value
    }

    /// Origins in the form in which browsers send them.
    private static func origins(
        _ name: String, _ value: String
    ) throws(SettingError) -> [String] {
        try value.split(separator: ",", omittingEmptySubsequences: false).map {
            text throws(SettingError) in
            let parts = trimmed(text).lowercased().split(
                separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
            let isScheme =
                parts[0].utf8.allSatisfy {
                    (0x61...0x7a).contains($0) || (0x30...0x39).contains($0)
                        || [0x2b, 0x2d, 0x2e].contains($0)
                } && parts[0].utf8.first.map { (0x61...0x7a).contains($0) } == true
            guard isScheme, parts.count == 2, let host = Authority(parts[1]) else {
                throw SettingError(
                    name,
                    "must be * or origins such as https://maps.example.org:8443, separated by "
                        + "commas")
            }
            return "\(parts[0])://\(host)"
        }
    }

    /// A text without spaces around it.
    private static func trimmed(_ text: Substring) -> Substring {
        let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) }
        return text[..<(end ?? text.startIndex)].drop { $0 == " " }
    }

    static func flag(_ name: String, _ value: String) throws(SettingError) -> Bool {
        switch value.lowercased() {
        case "1", "true", "on", "yes": return true
        case "0", "false", "off", "no": return false
        default: throw SettingError(name, "must be on or off")
        }
    }

    /// Patterns of paths, which may begin with the slash that paths begin with.
    private static func patterns(
        _ name: String, _ value: String
    ) throws(SettingError) -> [TextPattern] {
        if trimmed(value[...]).lowercased() == "none" { return [] }
        return try value.split(separator: ",", omittingEmptySubsequences: false).map {
            text throws(SettingError) in
            let text = trimmed(text)
            guard !text.isEmpty,
                let pattern = TextPattern(text.hasPrefix("/") ? String(text) : "/\(text)")
            else {
                throw SettingError(
                    name,
                    "must be none or regular expressions such as classes/Order.*, separated by "
                        + "commas")
            }
            return pattern
        }
    }

    private static func ranges(_ name: String, _ value: String) throws(SettingError)
        -> [AddressRange]
    {
        try value.split(separator: ",").map { text throws(SettingError) in
            let trimmed = String(text.drop { $0 == " " })
            guard let range = AddressRange(trimmed) else {
                throw SettingError(
                    name, "must be addresses or ranges such as 10.0.0.0/8, separated by commas")
            }
            return range
        }
    }

    private static func root(_ name: String, _ value: String) throws(SettingError) -> String {
        let isPlain = value.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 }
        guard isPlain, value.hasPrefix("http://") || value.hasPrefix("https://"),
            !value.contains("?"), !value.contains("#")
        else {
            throw SettingError(name, "must be an address such as https://maps.example.org")
        }
        return value.hasSuffix("/") ? String(value.dropLast()) : value
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
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
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
