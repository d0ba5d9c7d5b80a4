import GeoStore

/// The forms that the values of settings have. Each function gives a value from its text.
///
/// All throw ``SettingError``, which names the setting and says what would be right, and never
/// holds the value: it may be a secret. Spaces around the items of a list do not count.
enum SettingValue {
    static func flag(_ name: String, _ value: String) throws(SettingError) -> Bool {
        switch value.lowercased() {
        case "1", "true", "on", "yes": return true
        case "0", "false", "off", "no": return false
        default: throw SettingError(name, "must be on or off")
        }
    }

    /// A whole number of something.
    static func number(
        _ name: String, _ value: String, of unit: String, in range: ClosedRange<Int>
    ) throws(SettingError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw SettingError(
                name,
                "must be a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A size in bytes, from its megabytes.
    static func megabytes(
        _ name: String, _ value: String, in range: ClosedRange<Int>
    ) throws(SettingError) -> Int {
        try number(name, value, of: "megabytes", in: range) << 20
    }

    /// How often something may be done in a minute; nil is without a limit.
    static func rate(_ name: String, _ value: String) throws(SettingError) -> Int? {
        if value == "off" { return nil }
        guard let number = Int(value), (1...100_000).contains(number) else {
            throw SettingError(name, "must be a whole number a minute from 1 to 100000, or off")
        }
        return number
    }

    /// A key, when it is one: an empty one would be equal to that of a request without any.
    static func key(_ name: String, _ value: String) throws(SettingError) -> String {
        guard isPrintable(value), (1...256).contains(value.utf8.count) else {
            throw SettingError(name, "must be 1 to 256 printable ASCII characters without spaces")
        }
        return value
    }

    /// A text such as a name or a password.
    static func text(_ name: String, _ value: String) throws(SettingError) -> String {
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
        guard isPlain, (1...1024).contains(value.utf8.count) else {
            throw SettingError(name, "must be 1 to 1024 bytes without control characters")
        }
        return value
    }

    /// Ids of apps; none is no ids.
    static func ids(_ name: String, _ value: String) throws(SettingError) -> [String] {
        try value.split(separator: ",").map { text throws(SettingError) in
            let item = trimmed(text)
            guard !item.isEmpty, isPrintable(item) else {
                throw SettingError(name, "must be ids without spaces, separated by commas")
            }
            return String(item)
        }
    }

    static func ranges(
        _ name: String, _ value: String
    ) throws(SettingError) -> [AddressRange] {
        try value.split(separator: ",").map { text throws(SettingError) in
            guard let range = AddressRange(String(trimmed(text))) else {
                throw SettingError(
                    name, "must be addresses or ranges such as 10.0.0.0/8, separated by commas")
            }
            return range
        }
    }

    /// Origins in the form in which browsers send them.
    static func origins(_ name: String, _ value: String) throws(SettingError) -> [String] {
        try items(value).map { text throws(SettingError) in
            let parts = text.lowercased().split(
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

    /// Patterns of paths, which may begin with the slash that paths begin with.
    static func patterns(_ name: String, _ value: String) throws(SettingError) -> [TextPattern] {
        if trimmed(value[...]).lowercased() == "none" { return [] }
        return try items(value).map { text throws(SettingError) in
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

    /// The root of links, without a slash at its end.
    static func root(_ name: String, _ value: String) throws(SettingError) -> String {
        guard isPrintable(value), !value.contains(where: { "\"?#".contains($0) }),
            value.hasPrefix("http://") || value.hasPrefix("https://")
        else {
            throw SettingError(name, "must be an address such as https://maps.example.org")
        }
        return withoutLastSlash(value)
    }

    /// The address of a provider, without a slash at its end.
    static func provider(_ name: String, _ value: String) throws(SettingError) -> String {
        guard ProviderAddress.isValid(value) else {
            throw SettingError(
                name, "must be an https address, or one of this machine such as http://127.0.0.1:9")
        }
        return withoutLastSlash(value)
    }

    // MARK: - Parts

    /// Printable ASCII without spaces.
    private static func isPrintable(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// What stands between commas, empty items too.
    private static func items(_ value: String) -> [Substring] {
        value.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
    }

    /// A text without spaces around it.
    private static func trimmed(_ text: Substring) -> Substring {
        let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) }
        return text[..<(end ?? text.startIndex)].drop { $0 == " " }
    }

    private static func withoutLastSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
