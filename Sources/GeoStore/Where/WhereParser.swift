import GeoIndex
import JSONText

/// Reads a `where` and checks all of it, so that matching cannot fail but for its cost.
struct WhereParser {
    /// How deep `$or`, `$and` and `$nor` may nest.
    static let depthLimit = 16
    /// How many conditions one query may have.
    static let conditionLimit = 256
    /// How many values lists of operands may have, all together.
    static let operandLimit = 10_000
    /// How many patterns one query may have.
    static let patternLimit = 16
    /// How many other classes and relations one query may ask about.
    static let subqueryLimit = 16

    let className: String?
    let options: Where.Options
    private(set) var paths: [WherePath] = []
    /// What is asked about other objects.
    var subqueries: [WhereSubquery] = []
    /// See ``Where/near``.
    private(set) var near: Where.Near?
    /// See ``Where/words``.
    private(set) var words: (number: Int, words: WhereWords)?
    private var numbers: [WherePath: Int] = [:]
    private var conditions = 0
    private var operands = 0
    private var patterns = 0

    init(className: String?, options: Where.Options) {
        self.className = className
        self.options = options
    }

    /// Reads an object of conditions that all must hold.
    mutating func condition(
        _ members: JSONObject, at path: String, depth: Int
    ) throws(WhereError) -> WhereCondition {
        var parts: [WhereCondition] = []
        for member in members {
            let here = "\(path).\(member.key)"
            switch member.key {
            case "$or": parts.append(.any(try branches(member.value, at: here, depth)))
            case "$and": parts.append(.all(try branches(member.value, at: here, depth)))
            case "$nor": parts.append(.none(try branches(member.value, at: here, depth)))
            case "$relatedTo" where options.find != nil:
                try count(at: here)
                parts.append(try relatedTo(member.value, at: here))
            case let key where key.hasPrefix("$"):
                throw WhereParser.refusal(of: key, at: here)
            case let key:
                let path = try WherePath(key, of: className, at: here)
                try checkIsShown(path, at: here)
                if let found = try relation(member.value, of: path, at: here) {
                    parts += found
                    continue
                }
                let number = number(of: path)
                for test in try tests(member.value, at: here, of: path) {
                    parts.append(.field(number, test))
                    if depth == 0 { note(test, of: number, member.value) }
                }
            }
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func branches(
        _ value: JSONValue, at path: String, _ depth: Int
    ) throws(WhereError) -> [WhereCondition] {
        guard let values = value.arrayValue, !values.isEmpty else {
            throw WhereError(.malformed, path, "must be a list of conditions, at least one")
        }
        guard depth < WhereParser.depthLimit else {
            throw WhereError(
                .tooCostly, path, "is nested deeper than \(WhereParser.depthLimit) levels")
        }
        var found: [WhereCondition] = []
        for (index, value) in values.enumerated() {
            let here = "\(path)[\(index)]"
            guard let members = value.objectValue else {
                throw WhereError(.malformed, here, "must be an object of conditions")
            }
            try count(at: here)
            found.append(try condition(members, at: here, depth: depth + 1))
        }
        return found
    }

    /// Notes what puts the matches in order.
    private mutating func note(_ test: WhereTest, of number: Int, _ value: JSONValue) {
        switch test {
        case .hasWords(let words) where self.words == nil: self.words = (number, words)
        case .inCircle(let centre, let haversine)
        where near == nil && value["$nearSphere"] != nil:
            near = Where.Near(path: paths[number], centre: centre, haversine: haversine)
        default: break
        }
    }

    /// Refuses a field that the caller does not see.
    private func checkIsShown(_ path: WherePath, at place: String) throws(WhereError) {
        guard let find = options.find, let className, find.isHidden(className, path.names[0])
        else { return }
        throw WhereError(
            .forbidden, place, "is hidden: this user is not allowed to query it on \(className)")
    }

    /// The number of a path in ``paths``.
    mutating func number(of path: WherePath) -> Int {
        if let known = numbers[path] { return known }
        numbers[path] = paths.count
        paths.append(path)
        return paths.count - 1
    }

    /// Counts one condition more.
    mutating func count(at path: String) throws(WhereError) {
        conditions += 1
        guard conditions <= WhereParser.conditionLimit else {
            throw WhereError(
                .tooCostly, path,
                "is condition \(conditions): a query has at most \(WhereParser.conditionLimit)")
        }
    }

    /// Counts values of lists.
    mutating func count(operands number: Int, at path: String) throws(WhereError) {
        operands += number
        guard operands <= WhereParser.operandLimit else {
            throw WhereError(
                .tooCostly, path,
                "has too many values: the lists of a query have at most "
                    + "\(WhereParser.operandLimit) together")
        }
    }

    /// Compiles a pattern and counts it.
    mutating func pattern(
        _ value: JSONValue, options: JSONValue?, at path: String
    ) throws(WhereError) -> WhereTest {
        guard let text = value.stringValue else {
            throw WhereError(.malformed, path, "must be a pattern, a text")
        }
        var letters = ""
        if let options {
            guard let given = options.stringValue else {
                throw WhereError(.malformed, path, "has $options that are no text of i, m, s, x")
            }
            letters = given
        }
        patterns += 1
        guard patterns <= WhereParser.patternLimit else {
            throw WhereError(
                .tooCostly, path,
                "is one pattern too many: a query has at most "
                    + "\(WhereParser.patternLimit)")
        }
        return .matches(try WherePattern(text, options: letters, at: path), path: path)
    }

    /// Operators of Parse that this matcher does not have, and what they would need.
    private static let elsewhere: [String: String] = [
        "$inQuery": "needs another class", "$notInQuery": "needs another class",
        "$select": "needs another class", "$dontSelect": "needs another class",
        "$relatedTo": "needs another class", "$text": "needs a search index",
    ]

    /// What is said to an operator that is not taken.
    static func refusal(of name: String, at path: String) -> WhereError {
        if let reason = elsewhere[name] {
            return WhereError(
                .unsupported, path, "is not taken here: \(name.prefix(20)) \(reason)")
        }
        return WhereError(
            .malformed, path, "is no operator; there are \(known.joined(separator: ", "))")
    }

    private static let known = [
        "$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$all", "$containedBy",
        "$exists", "$regex", "$options", "$within", "$geoWithin", "$geoIntersects", "$or", "$and",
        "$nor",
    ]
}
