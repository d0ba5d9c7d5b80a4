import JSONText

/// Reads the parameters of a `GET`.
enum ParseParameters {
    /// The parameters of a body with those of a URL, which win.
    ///
    /// A value in a URL is JSON when it can be read as such, else text: so `limit=20`,
    /// `order=["-createdAt"]` and `order=-createdAt` all mean what they look like.
    static func merged(
        _ body: JSONObject, _ items: [(name: String, value: String)]
    ) -> JSONObject {
        var merged = body
        for item in items {
            merged[item.name] = (try? JSONParser.parse(text: item.value)) ?? .string(item.value)
        }
        return merged
    }

    /// The parameters of a query in the URL.
    ///
    /// - Throws: ``ParseError`` 102 for a repeated parameter or a broken escape.
    static func items(_ request: Request) throws(ParseError) -> [(name: String, value: String)] {
        do {
            return try request.queryItems()
        } catch {
            throw ParseError(.invalidQuery, error.detail)
        }
    }

    /// The parameters of a query as it stands in a text.
    ///
    /// - Throws: ``ParseError`` 102 for a broken escape.
    static func items(
        query: Substring
    ) throws(ParseError) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1] : ""
            do throws(PercentFlaw) {
                items.append(
                    (
                        try PercentCoding.decodedQuery(Array(parts[0].utf8)[...]),
                        try PercentCoding.decodedQuery(Array(value.utf8)[...])
                    ))
            } catch {
                throw ParseError(.invalidQuery, "the query has a broken escape")
            }
        }
        return items
    }

    /// A whole number that is not negative; text of one is taken, too, since old clients send it.
    ///
    /// - Throws: ``ParseError`` 102 that names the parameter.
    static func count(_ value: JSONValue, of name: String) throws(ParseError) -> Int {
        var number = value.integerValue
        if number == nil, let text = value.stringValue { number = Int64(text) }
        guard let number, let count = Int(exactly: number), count >= 0 else {
            throw ParseError(.invalidQuery, "\(name) must be a whole number from 0 up")
        }
        return count
    }

    /// `true`, `1` or their texts; `false`, `0` or theirs.
    ///
    /// - Throws: ``ParseError`` 102 that names the parameter.
    static func flag(_ value: JSONValue, of name: String) throws(ParseError) -> Bool {
        switch value {
        case true, 1, "true", "1": return true
        case false, 0, "false", "0", .null: return false
        default: throw ParseError(.invalidQuery, "\(name) must be true or false, 1 or 0")
        }
    }

    /// Names separated by commas, or a list of such texts.
    ///
    /// - Throws: ``ParseError`` 102 that names the parameter.
    static func names(_ value: JSONValue, of name: String) throws(ParseError) -> [String] {
        var texts: [String] = []
        switch value {
        case .string(let text): texts = [text]
        case .array(let values):
            for element in values {
                guard let text = element.stringValue else {
                    throw ParseError(.invalidQuery, "\(name) must be a list of texts")
                }
                texts.append(text)
            }
        case .null: break
        default: throw ParseError(.invalidQuery, "\(name) must be names separated by commas")
        }
        return texts.flatMap { $0.split(separator: ",").map(String.init) }
    }
}
