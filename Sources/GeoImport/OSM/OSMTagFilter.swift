/// Which objects of an OpenStreetMap file are taken: those that have one of some keys, with any
/// value or with one of those that are named.
///
///     let filter = try OSMTagFilter("amenity, shop=bakery|butcher")
package struct OSMTagFilter: Hashable, Sendable {
    /// A key, and what it must be set to; no values are any.
    struct Condition: Hashable, Sendable {
        let key: String
        let values: [String]
    }

    /// The places that people look for.
    package static let places = OSMTagFilter(
        [
            "amenity", "shop", "tourism", "leisure", "historic", "office", "craft", "healthcare",
        ].map { Condition(key: $0, values: []) })

    /// More than anybody types.
    private static let limit = 1_000
    /// The longest key or value of OpenStreetMap, in bytes.
    private static let maxBytes = 1_020

    let conditions: [Condition]

    private init(_ conditions: [Condition]) { self.conditions = conditions }

    /// Reads `key`, or `key=value|value`, one or several, separated by commas.
    ///
    /// - Throws: ``OSMTagFilterError``.
    package init(_ text: String) throws(OSMTagFilterError) {
        var conditions: [Condition] = []
        var count = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = try OSMTagFilter.word(sides.first ?? "")
            let values = try sides.dropFirst().flatMap {
                $0.split(separator: "|", omittingEmptySubsequences: false)
            }.map { text throws(OSMTagFilterError) in try OSMTagFilter.word(text) }
            count += max(1, values.count)
            guard count <= OSMTagFilter.limit else { throw .tooMany(limit: OSMTagFilter.limit) }
            conditions.append(Condition(key: key, values: values))
        }
        self.init(conditions)
    }

    private static func word(_ text: Substring) throws(OSMTagFilterError) -> String {
        let word = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        guard !word.isEmpty else { throw .empty }
        guard word.utf8.count <= maxBytes, !word.utf8.contains(0) else {
            throw .tooLong(limitBytes: maxBytes)
        }
        return word
    }

    /// The filter in the words that it is read from.
    package var text: String {
        conditions.map {
            $0.values.isEmpty ? $0.key : "\($0.key)=\($0.values.joined(separator: "|"))"
        }.joined(separator: ",")
    }

    /// The value that tells what kind of place it is: that of the first key that the filter names.
    func kind(of tags: [(key: String, value: String)]) -> String? {
        for condition in conditions {
            let value = tags.first { $0.key == condition.key }?.value
            if let value, condition.values.isEmpty || condition.values.contains(value) {
                return value
            }
        }
        return nil
    }
}

/// Why a text is no filter of tags.
package enum OSMTagFilterError: Error, Equatable, Sendable {
    /// A key or a value has no characters.
    case empty
    /// A key or a value is longer than OpenStreetMap has them, or has a character of value zero.
    case tooLong(limitBytes: Int)
    /// There are more keys and values than are taken.
    case tooMany(limit: Int)
}

extension OSMTagFilterError: CustomStringConvertible {
    /// The rest of a sentence that begins with the name of the parameter.
    package var description: String {
        switch self {
        case .empty: "must be keys such as amenity or shop=bakery|butcher, separated by commas"
        case .tooLong(let limit): "has a key or value of more than \(limit) bytes"
        case .tooMany(let limit): "names more than \(limit) keys and values"
        }
    }
}
