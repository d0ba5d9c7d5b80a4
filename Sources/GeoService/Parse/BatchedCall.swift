import JSONText

/// One element of a batch: `{"method": "PUT", "path": "/parse/classes/C/id", "body": {…}}`.
struct BatchedCall {
    let method: HTTPMethod
    private let path: ParsePath
    private let query: Substring
    private let body: JSONValue?

    /// Reads the element.
    ///
    /// - Parameter mounts: The paths below which its own must lie.
    /// - Throws: ``ParseError`` 107: the batch as a whole is refused then.
    init(_ value: JSONValue, mounts: [String]) throws(ParseError) {
        guard let text = value["path"]?.stringValue else {
            throw ParseError(.invalidJSON, "a request of the batch has no path")
        }
        guard let name = value["method"]?.stringValue, let method = HTTPMethod(name.uppercased())
        else { throw ParseError(.invalidJSON, "a request of the batch has no method") }
        let shown = text.prefix(200)
        let end = text.firstIndex(of: "?") ?? text.endIndex
        guard
            let mount = mounts.first(where: {
                text.hasPrefix($0) && text.dropFirst($0.count).hasPrefix("/")
            })
        else { throw ParseError(.invalidJSON, "cannot route batch path \(shown)") }
        guard let path = ParsePath(text[..<end].dropFirst(mount.count)), path != .batch,
            path != .health
        else { throw ParseError(.invalidJSON, "cannot route \(name) \(shown)") }
        self.method = method
        self.path = path
        query = text[end...].dropFirst()
        body = value["body"]
    }

    /// The call, as its caller's.
    ///
    /// - Throws: ``ParseError`` 107 for a body that is no object, 102 for a broken query.
    func request(_ caller: ParseCaller) throws(ParseError) -> ParseRequest {
        var parameters: JSONObject
        switch body {
        case nil, .null?: parameters = JSONObject()
        case .object(let members)?: parameters = members
        case _?: throw ParseError(.invalidJSON, "the body of a request must be an object")
        }
        if method == .get {
            parameters = ParseParameters.merged(
                parameters, try ParseParameters.items(query: query))
        }
        return ParseRequest(
            method: method, path: path, parameters: parameters, payloadBytes: 0, caller: caller)
    }
}
