package import JSONText

/// A compiled `where` of Parse, matched in memory.
///
///     let query = try Where(["price": ["$lt": 5], "tags": "new"], of: "Spot")
///     try query.matches(document)
///
/// The rules are Parse's on MongoDB: a plain value is equality, on a list containment; null is
/// missing or null; `$ne` and `$nin` hold for what is missing; comparisons never do, and compare
/// only values of one kind; of a list, one element is enough. `$exists` counts null as there.
package struct Where: Sendable {
    /// What a query may ask beside plain conditions.
    package struct Options: Sendable {
        /// Whether `$nearSphere` is taken, as a circle: the caller puts matches in order.
        package var takesNear: Bool

        /// The options; without arguments those of the map.
        package init(takesNear: Bool = false) { self.takesNear = takesNear }
    }

    /// What is asked, in one form for each meaning: compare queries by it.
    package let name: String
    /// The fields that are asked about; ``holds(_:)`` gives their numbers.
    package let paths: [WherePath]
    let condition: WhereCondition

    /// Compiles a query.
    ///
    /// - Parameters:
    ///   - json: The object that Parse calls `where`.
    ///   - className: The class that is asked.
    /// - Throws: ``WhereError`` that names the place in the query.
    /// - Complexity: O(size of the query).
    package init(
        _ json: JSONValue, of className: String?, options: Options = Options()
    ) throws(WhereError) {
        guard let members = json.objectValue else {
            throw WhereError(.malformed, "where", "must be a JSON object such as {\"price\":5}")
        }
        var parser = WhereParser(className: className, options: options)
        condition = try parser.condition(members, at: "where", depth: 0)
        paths = parser.paths
        name = String(decoding: JSONWriter.encode(Where.sorted(json)), as: UTF8.self)
    }

    /// Whether a document matches.
    ///
    /// - Throws: ``WhereError`` `tooCostly` when a pattern takes too many steps.
    package func matches(_ document: Document) throws -> Bool {
        try condition.holds { FieldValue(paths[$0], of: document) }
    }

    /// Whether the values of an object match.
    ///
    /// - Parameter value: The value of the field that stands at a place of ``paths``.
    /// - Throws: ``WhereError`` `tooCostly`, and what `value` throws.
    package func holds(_ value: (Int) throws -> FieldValue) throws -> Bool {
        try condition.holds(value)
    }

    /// The value with the members of all objects in the order of their names.
    private static func sorted(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            .object(
                JSONObject(
                    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                        .map { ($0.key, sorted($0.value)) }))
        case .array(let values): .array(values.map { sorted($0) })
        default: json
        }
    }
}
