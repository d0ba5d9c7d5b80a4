import JSONText

/// One question to a login provider, whose address is from the settings: no redirections, 5 s,
/// 64 kB; what it answers is never shown to a client.
enum ProviderCall {
    private static let limitBytes = 64 << 10
    private static let timeoutSeconds = 5

    /// What a provider answered.
    enum Answer: Sendable {
        /// A success.
        case object(JSONObject)
        /// Another status than success.
        case refused(status: Int)
    }

    /// Asks for a JSON object. Blocks.
    ///
    /// - Parameter bearer: The token to show; it goes into a header field.
    /// - Throws: ``HTTPCallError`` when there is no answer, or a success that is no JSON object.
    static func get(_ url: String, bearer: String? = nil) throws(HTTPCallError) -> Answer {
        var call = try HTTPCall(
            url, isLocal: ProviderAddress.isLoopback(url), timeoutSeconds: timeoutSeconds)
        try call.add("Accept", "application/json")
        if let bearer { try call.add("Authorization", "Bearer \(bearer)") }
        let answer = try call.get(limitBytes: limitBytes)
        guard answer.status == 200 else { return .refused(status: answer.status) }
        guard let object = (try? JSONParser.parse(answer.body))?.objectValue else {
            throw HTTPCallError(description: "the answer is no JSON object")
        }
        return .object(object)
    }
}

/// Addresses of providers, as the settings have them.
enum ProviderAddress {
    /// Whether a text is an address that may be asked: `https`, or `http` on this machine.
    static func isValid(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 }
        guard isPlain, let host = host(of: text), !host.isEmpty, !host.contains("@") else {
            return false
        }
        return text.hasPrefix("https://") || isLoopback(text)
    }

    /// Whether an address is one of this machine, which no proxy is asked for.
    static func isLoopback(_ text: String) -> Bool {
        guard let host = host(of: text), let authority = Authority(host) else { return false }
        return authority.isLocal
    }

    private static func host(of text: String) -> Substring? {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty else {
            return nil
        }
        return parts[2].prefix { $0 != "?" && $0 != "#" }
    }
}
