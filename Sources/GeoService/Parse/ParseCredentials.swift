import JSONText

/// What a request says of who sends it: in header fields, or in the body, as JavaScript clients do
/// to avoid a preflight.
struct ParseCredentials: Sendable {
    var applicationID: String?
    /// Keys of clients of any kind; this service makes no difference between the kinds.
    var clientKeys: [String] = []
    var masterKey: String?
    var sessionToken: String?
    /// The device that the client runs on.
    var installationID: String?
    /// What hooks are told, a JSON object.
    var context: JSONValue?

    private static let keyFields = [
        "X-Parse-REST-API-Key", "X-Parse-Client-Key", "X-Parse-Javascript-Key",
        "X-Parse-Windows-Key",
    ]

    /// Reads the header fields.
    init(_ request: Request) {
        applicationID = request.header("X-Parse-Application-Id")
        clientKeys = Self.keyFields.compactMap { request.header($0) }
        masterKey = request.header("X-Parse-Master-Key")
        sessionToken = request.header("X-Parse-Session-Token")
        installationID = request.header("X-Parse-Installation-Id")
        // Text that is no JSON is no object either, and is refused as such.
        context = request.header("X-Parse-Cloud-Context").map {
            (try? JSONParser.parse(text: $0)) ?? .string($0)
        }
        if applicationID == nil, let text = request.header("Authorization") { readBasic(text) }
    }

    /// Reads `Authorization: Basic`: the application's id as the user's name; as the password the
    /// master key, or `javascript-key=` and a client's key.
    private mutating func readBasic(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = Base64.decoded(parts[1])
        else { return }
        let pair = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        applicationID = String(pair[0])
        let prefix = "javascript-key="
        if pair[1].hasPrefix(prefix) {
            clientKeys.append(String(pair[1].dropFirst(prefix.count)))
        } else if masterKey == nil, !pair[1].isEmpty {
            masterKey = String(pair[1])
        }
    }

    /// Reads the members of a body.
    init(_ body: ControlMembers) {
        applicationID = body.text("_ApplicationId")
        clientKeys = [body.text("_JavaScriptKey")].compactMap(\.self)
        masterKey = body.text("_MasterKey")
        sessionToken = body.text("_SessionToken")
        installationID = body.text("_InstallationId")
        context = body["_context"].map { value in
            guard case .string(let text) = value else { return value }
            return (try? JSONParser.parse(text: text)) ?? value
        }
    }
}

/// The members of a body that steer the request and are never fields.
struct ControlMembers: Sendable {
    private var members = JSONObject()

    private static let names: Set<String> = [
        "_ApplicationId", "_JavaScriptKey", "_MasterKey", "_SessionToken", "_InstallationId",
        "_ClientVersion", "_ContentType", "_RevocableSession", "_noBody", "_context", "_method",
    ]

    /// Takes the members out of a body.
    init(takenFrom body: inout JSONObject) {
        guard body.members.contains(where: { Self.names.contains($0.key) }) else { return }
        var rest = JSONObject()
        rest.reserveCapacity(body.count)
        for member in body {
            if Self.names.contains(member.key) {
                members[member.key] = member.value
            } else {
                rest[member.key] = member.value
            }
        }
        body = rest
    }

    subscript(name: String) -> JSONValue? { members[name] }

    /// The text of a member; nil when it is absent or no text.
    func text(_ name: String) -> String? { members[name]?.stringValue }
}
