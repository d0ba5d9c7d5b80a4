import GeoIndex
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
        /// What finds take beside that; nil for the map.
        package var find: Find?

        /// The options; without arguments those of the map.
        package init(takesNear: Bool = false, find: Find? = nil) {
            self.takesNear = takesNear
            self.find = find
        }
    }

    /// What the store's objects are asked beside the map: other classes, relations, words, times
    /// that are relative to now.
    package struct Find: Sendable {
        /// The request's one reading of the clock.
        let now: Timestamp
        /// The relation fields of a class and the class of their members.
        let relations: @Sendable (String) -> [String: String]
        /// Whether a field of a class is hidden from the caller, so that no query may ask about it.
        let isHidden: @Sendable (_ className: String, _ field: String) -> Bool
        /// How many queries may yet stand inside one another.
        var depth = 4

        /// What finds take.
        package init(
            now: Timestamp, relations: @escaping @Sendable (String) -> [String: String],
            isHidden: @escaping @Sendable (_ className: String, _ field: String) -> Bool
        ) {
            self.now = now
            self.relations = relations
            self.isHidden = isHidden
        }
    }

    /// A place that the matches are to be put in order by, nearest first.
    package struct Near: Hashable, Sendable {
        /// The field.
        let path: WherePath
        /// The place.
        let centre: RoundedPosition
        /// The haversine of the greatest distance.
        let haversine: Double
    }

    /// What is asked, in one form for each meaning: compare queries by it.
    package let name: String
    /// The fields that are asked about; ``holds(_:)`` gives their numbers.
    package let paths: [WherePath]
    var condition: WhereCondition
    /// What is to be answered before; see ``resolved(_:)``.
    package let subqueries: [WhereSubquery]
    /// The first `$nearSphere` that every match must fulfil.
    package let near: Near?
    /// The first `$text` that every match must fulfil.
    let words: (number: Int, words: WhereWords)?

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
        subqueries = parser.subqueries
        near = parser.near
        words = parser.words
        name = String(decoding: JSONWriter.encode(Where.sorted(json)), as: UTF8.self)
    }

    /// The fields that an index would help to answer this with, the most helpful first.
    package var indexableFields: [String] { QueryBounds(self).indexable }

    /// Whether an object is judged in about a microsecond: by few tests, none of them costly.
    package var isCheap: Bool { subqueries.isEmpty && condition.weight <= 16 }

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
