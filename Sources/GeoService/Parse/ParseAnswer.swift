import JSONText

/// The answer to one call, as it stands alone or in a batch.
struct ParseAnswer: Sendable {
    var status = HTTPStatus.ok
    /// The body, as JSON text.
    var json: [UInt8]
    /// The address of what was made.
    var location: String?

    init(_ json: [UInt8]) {
        self.json = json
    }

    init(_ value: JSONValue) {
        self.init(JSONWriter.encode(value))
    }

    /// As an answer of its own.
    var response: Response {
        var response = Response(status, .parse, json)
        // Some clients' caches would serve it for every other query of the same path.
        response.cacheControl = "no-store"
        if let location { response.headers.append(HeaderField("Location", location)) }
        return response
    }
}
