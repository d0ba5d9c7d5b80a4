import JSONText

/// Asks a routing server, whose address is the operator's and never a client's: no redirections,
/// 10 s, 16 MB. Blocks.
struct RouterConnection: Sendable {
    private static let timeoutSeconds = 10
    private static let limitBytes = 16 << 20
    /// What in an address stands for the profile, for servers that have one address for each.
    static let profileMark = "{profile}"

    /// Without a slash at its end.
    let address: String

    /// What the server answered: 200 or a status of 400 to 499, with JSON in it.
    struct Answer {
        let status: Int
        let json: JSONValue
    }

    /// Sends a `GET`, or a `POST` of JSON when there is a body.
    ///
    /// - Parameter target: The path and the query, behind the address.
    /// - Throws: ``HTTPCallError`` when there is no answer, or one that is no JSON.
    func ask(
        _ target: String, profile: String, body: JSONValue? = nil
    ) throws(HTTPCallError) -> Answer {
        let url = address.replacing(RouterConnection.profileMark, with: profile) + target
        var call = try HTTPCall(
            url, isLocal: ProviderAddress.isLoopback(url),
            timeoutSeconds: RouterConnection.timeoutSeconds)
        try call.add("Accept", "application/json")
        let answer: HTTPCall.Answer
        if let body {
            try call.add("Content-Type", "application/json")
            var rest = JSONWriter.encode(body)[...]
            answer = try call.post(size: rest.count, limitBytes: RouterConnection.limitBytes) {
                most in
                defer { rest = rest.dropFirst(most) }
                return rest.prefix(most)
            }
        } else {
            answer = try call.get(limitBytes: RouterConnection.limitBytes)
        }
        guard answer.status == 200 || (400..<500).contains(answer.status) else {
            throw HTTPCallError(description: "the router answered with status \(answer.status)")
        }
        do {
            return Answer(status: answer.status, json: try JSONParser.parse(answer.body))
        } catch {
            throw HTTPCallError(description: "the router's answer is no JSON")
        }
    }
}
