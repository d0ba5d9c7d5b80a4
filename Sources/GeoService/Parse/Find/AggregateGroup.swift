import GeoStore
import JSONText

/// A value that is made of a row: a field (`"$price"`), a constant, or an object of such.
indirect enum AggregateTerm: Sendable {
    case path([Substring])
    case constant(JSONValue)
    case object([(name: String, term: AggregateTerm)])

    /// - Throws: ``ParseError`` 102 for an operator.
    init(_ json: JSONValue, in stage: String, depth: Int = 0) throws(ParseError) {
        guard depth < 16 else {
            throw AggregatePipeline.refusal(stage, "nested less than 16 levels deep")
        }
        switch json {
        case .string(let text) where text.hasPrefix("$"):
            self = .path(text.dropFirst().split(separator: "."))
        case .object(let members):
            if let member = members.first(where: { $0.key.hasPrefix("$") }) {
                throw ParseError(
                    .invalidQuery,
                    "\(stage) has \(member.key.prefix(40)), which is not supported")
            }
            var terms: [(name: String, term: AggregateTerm)] = []
            for member in members {
                terms.append(
                    (
                        member.key,
                        try AggregateTerm(member.value, in: stage, depth: depth + 1)
                    ))
            }
            self = .object(terms)
        default: self = .constant(json)
        }
    }

    /// The value of a row; nil when it has no such field.
    func value(of row: AggregateRow) -> JSONValue? {
        switch self {
        case .path(let path): return row.value(path)
        case .constant(let value): return value
        case .object(let terms):
            return .object(
                JSONObject(
                    terms.compactMap { entry in entry.term.value(of: row).map { (entry.name, $0) } }
                ))
        }
    }
}

/// A stage `$group`: rows of one `_id` become one.
struct AggregateGroup: Sendable {
    private enum Function: String {
        case sum = "$sum"
        case average = "$avg"
        case least = "$min"
        case greatest = "$max"
        case first = "$first"
        case last = "$last"
        case list = "$push"
        case set = "$addToSet"
        case count = "$count"
    }

    private let id: AggregateTerm
    private let fields: [(name: String, function: Function, term: AggregateTerm)]

    /// - Throws: ``ParseError`` 102.
    init(_ json: JSONValue) throws(ParseError) {
        guard let members = json.objectValue, !members.contains("objectId"),
            let id = members["_id"]
        else {
            throw AggregatePipeline.refusal("$group", "an object with _id")
        }
        self.id = try AggregateTerm(id, in: "$group")
        var fields: [(name: String, function: Function, term: AggregateTerm)] = []
        for member in members where member.key != "_id" {
            guard let call = member.value.objectValue, call.count == 1,
                let part = call.first(where: { _ in true }),
                let function = Function(rawValue: part.key)
            else {
                throw AggregatePipeline.refusal(
                    "$group.\(member.key.prefix(100))",
                    "an object of one of $sum, $avg, $min, $max, $first, $last, $push, $addToSet, "
                        + "$count")
            }
            fields.append((member.key, function, try AggregateTerm(part.value, in: "$group")))
        }
        self.fields = fields
    }

    /// One row for each group, in the order in which they first occur. O(rows · fields).
    func rows(of rows: [JSONObject]) -> [JSONObject] {
        var places: [JSONValue: Int] = [:]
        var ids: [JSONValue] = []
        var members: [[AggregateRow]] = []
        for row in rows.map({ AggregateRow($0) }) {
            let value = id.value(of: row) ?? .null
            if let place = places[value] {
                members[place].append(row)
            } else {
                places[value] = ids.count
                ids.append(value)
                members.append([row])
            }
        }
        return zip(ids, members).map { id, rows in
            var result = JSONObject()
            result["_id"] = id
            for field in fields {
                result[field.name] = Self.value(field.function, field.term, rows)
            }
            return result
        }
    }

    private static func value(
        _ function: Function, _ term: AggregateTerm, _ rows: [AggregateRow]
    ) -> JSONValue {
        let values = rows.compactMap { term.value(of: $0) }
        let numbers = values.compactMap(\.doubleValue)
        switch function {
        case .count: return .integer(Int64(rows.count))
        case .sum: return number(numbers.reduce(0, +))
        case .average:
            return numbers.isEmpty ? .null : number(numbers.reduce(0, +) / Double(numbers.count))
        case .first: return rows.first.flatMap { term.value(of: $0) } ?? .null
        case .last: return rows.last.flatMap { term.value(of: $0) } ?? .null
        case .list: return .array(values)
        case .set:
            var seen: Set<JSONValue> = []
            return .array(values.filter { seen.insert($0).inserted })
        case .least, .greatest:
            let known = values.filter { !$0.isNull }
            let sign = function == .least ? 1 : -1
            return known.min { sign * FieldValue.order(FieldValue($0), FieldValue($1)) < 0 }
                ?? .null
        }
    }

    /// A number as it was most likely written.
    private static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }
}
