extension Request {
    /// The bytes behind the `?`, without it; empty when there is none.
    private var query: ArraySlice<UInt8> {
        pathRange.upperBound < target.count ? target[(pathRange.upperBound + 1)...] : []
    }

    /// A parameter of the query, decoded; `nil` when it is not there, empty when it has no value.
    ///
    /// `+` is a space, as forms write it. A parameter that stands twice is refused: which of the
    /// two counts is for nobody to guess.
    ///
    /// - Throws: ``Problem`` (400) for a repeated parameter, a broken escape, or what is not UTF-8;
    ///   it names the parameter.
    /// - Complexity: O(length of the query).
    package func query(_ name: String) throws(Problem) -> String? {
        var found: String?
        try forEachItem { (encoded, value) throws(Problem) in
            guard try Self.isName(encoded, name) else { return }
            if found != nil {
                throw .parameter(name, "stands more than once")
            }
            found = try Self.decoded(value, of: name)
        }
        return found
    }

    /// How many parameters ``queryItems()`` takes: each is compared with all before it.
    static let greatestItemCount = 64

    /// All parameters of the query, decoded, in order.
    ///
    /// - Throws: ``Problem`` (400) as ``query(_:)-method`` does, and for more than 64.
    package func queryItems() throws(Problem) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        try forEachItem { (encoded, value) throws(Problem) in
            let name = try Self.decoded(encoded, of: "query")
            guard items.count < Self.greatestItemCount else {
                throw .parameter(
                    "query", "has more than \(Self.greatestItemCount) parameters")
            }
            if items.contains(where: { $0.name == name }) {
                throw .parameter(name, "stands more than once")
            }
            items.append((name, try Self.decoded(value, of: name)))
        }
        return items
    }

    /// Calls `body` with the names and the values that are not empty together, as they are encoded.
    private func forEachItem(
        _ body: (ArraySlice<UInt8>, ArraySlice<UInt8>) throws(Problem) -> Void
    ) throws(Problem) {
        var rest = query
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x26) ?? rest.endIndex
            let item = rest[..<end]
            rest = rest[end...].dropFirst()
            guard !item.isEmpty else { continue }
            let equals = item.firstIndex(of: 0x3d) ?? end
            try body(item[..<equals], item[equals...].dropFirst())
        }
    }

    /// Whether an encoded name is the wanted one. Only escapes are decoded.
    private static func isName(
        _ name: ArraySlice<UInt8>, _ wanted: String
    ) throws(Problem) -> Bool {
        guard name.contains(where: { $0 == 0x25 || $0 == 0x2b }) else {
            return name.count == wanted.utf8.count && name.elementsEqual(wanted.utf8)
        }
        return try decoded(name, of: "query").utf8.elementsEqual(wanted.utf8)
    }

    private static func decoded(
        _ text: ArraySlice<UInt8>, of name: String
    ) throws(Problem) -> String {
        do {
            return try PercentCoding.decodedQuery(text)
        } catch {
            switch error {
            case .escape: throw .parameter(name, "has a % without two hexadecimal digits")
            case .utf8: throw .parameter(name, "is not UTF-8")
            case .control, .slash, .dots: throw .parameter(name, "has a character of value zero")
            }
        }
    }
}
