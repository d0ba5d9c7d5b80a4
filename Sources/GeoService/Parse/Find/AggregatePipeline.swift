import GeoStore
import JSONText

/// A pipeline of aggregation: `$match`, `$group`, `$project`, `$sort`, `$limit`, `$skip`,
/// `$sample`, each stage once over all rows of the one before.
struct AggregatePipeline: Sendable {
    private enum Stage: Sendable {
        case match(Where)
        case group(AggregateGroup)
        case project([(name: String, value: AggregateTerm?)])
        case sort([(path: [Substring], isDescending: Bool)])
        case limit(Int)
        case skip(Int)
        case sample(Int)
    }

    private var stages: [Stage] = []
    /// The condition of the first stage, which the store can answer.
    private(set) var firstCondition: Where?

    /// How many stages a pipeline may have.
    private static let greatestStages = 32

    /// - Parameter condition: Compiles a `$match`.
    /// - Throws: ``ParseError`` 102 that names the stage at fault, and what `condition` throws.
    init(_ json: JSONValue, condition: (JSONValue) throws -> Where?) throws {
        var list = json.arrayValue ?? [json]
        if let text = json.stringValue {
            list = (try? JSONParser.parse(text: text))?.arrayValue ?? [json]
        }
        guard list.count <= Self.greatestStages else {
            throw ParseError(
                .invalidQuery, "pipeline must have at most \(Self.greatestStages) stages")
        }
        for (index, stage) in list.enumerated() {
            guard let members = stage.objectValue, members.count == 1,
                let member = members.first(where: { _ in true })
            else {
                throw ParseError(
                    .invalidQuery, "pipeline[\(index)] must be an object of one stage")
            }
            if member.key == "$match" {
                guard let found = try condition(Self.renamed(member.value)) else { continue }
                if stages.isEmpty, firstCondition == nil {
                    firstCondition = found
                } else {
                    stages.append(.match(found))
                }
            } else {
                stages.append(try Self.stage(member.key, member.value))
            }
        }
    }

    /// A condition in which `_id` is called as elsewhere.
    private static func renamed(_ value: JSONValue) -> JSONValue {
        guard let members = value.objectValue else { return value }
        return .object(
            JSONObject(members.map { ($0.key == "_id" ? "objectId" : $0.key, $0.value) }))
    }

    private static func stage(_ name: String, _ value: JSONValue) throws -> Stage {
        switch name {
        case "$group": return .group(try AggregateGroup(value))
        case "$project":
            guard let members = value.objectValue else { throw refusal(name, "an object") }
            return .project(
                try members.map { member in
                    switch member.value {
                    case 0, false: (member.key, nil)
                    case 1, true: (member.key, .path(member.key.split(separator: ".")))
                    default: (member.key, try AggregateTerm(member.value, in: name))
                    }
                })
        case "$sort":
            guard let members = value.objectValue else { throw refusal(name, "an object") }
            return .sort(
                try members.map { member in
                    guard member.value == 1 || member.value == -1 else {
                        throw refusal(name, "an object of fields with 1 or -1")
                    }
                    return (member.key.split(separator: "."), member.value == -1)
                })
        case "$limit": return .limit(try ParseParameters.count(value, of: name))
        case "$skip": return .skip(try ParseParameters.count(value, of: name))
        case "$sample":
            return .sample(try ParseParameters.count(value["size"] ?? value, of: "$sample.size"))
        default:
            throw ParseError(
                .invalidQuery,
                "\(name.prefix(40)) is no stage that is supported; there are $match, $group, "
                    + "$project, $sort, $limit, $skip, $sample")
        }
    }

    static func refusal(_ name: String, _ wanted: String) -> ParseError {
        ParseError(.invalidQuery, "\(name) must be \(wanted)")
    }

    /// What the rows become. O(rows · stages), and n log n for a sort.
    func run(_ rows: [JSONObject]) throws -> [JSONObject] {
        var rows = rows
        for stage in stages {
            switch stage {
            case .match(let condition):
                rows = try rows.filter { try condition.matches(Self.document($0)) }
            case .group(let group): rows = group.rows(of: rows)
            case .project(let fields): rows = rows.map { Self.project($0, fields) }
            case .sort(let keys): rows = Self.sorted(rows, keys)
            case .limit(let count): rows = Array(rows.prefix(count))
            case .skip(let count): rows = Array(rows.dropFirst(count))
            case .sample(let count): rows = Array(rows.shuffled().prefix(count))
            }
        }
        return rows
    }

    /// A row as a condition judges it.
    private static func document(_ row: JSONObject) -> Document {
        var fields = row
        let id = fields.removeValue(forKey: "_id")?.stringValue ?? ""
        let created = fields.removeValue(forKey: "createdAt")?.dateValue
        let updated = fields.removeValue(forKey: "updatedAt")?.dateValue
        return Document(
            className: "", objectId: id, createdAt: created ?? Timestamp(milliseconds: 0),
            updatedAt: updated ?? Timestamp(milliseconds: 0), fields: fields)
    }

    private static func project(
        _ row: JSONObject, _ fields: [(name: String, value: AggregateTerm?)]
    ) -> JSONObject {
        let source = AggregateRow(row)
        let shown = fields.filter { $0.value != nil }
        var result = JSONObject()
        if shown.isEmpty {
            result = row
        } else if let id = row["_id"] {
            result["_id"] = id
        }
        for field in fields {
            let name = field.name == "objectId" ? "_id" : field.name
            if let term = field.value {
                if let value = term.value(of: source) { result[name] = value }
            } else {
                result.removeValue(forKey: name)
            }
        }
        return result
    }

    private static func sorted(
        _ rows: [JSONObject], _ keys: [(path: [Substring], isDescending: Bool)]
    ) -> [JSONObject] {
        let values = rows.map { row in
            keys.map { AggregateRow(row).value($0.path).map { FieldValue($0) } ?? .missing }
        }
        // Rows that are alike stay in the order in which they came.
        return rows.indices.sorted { left, right in
            for (index, key) in keys.enumerated() {
                let order = FieldValue.order(values[left][index], values[right][index])
                if order != 0 { return key.isDescending ? order > 0 : order < 0 }
            }
            return left < right
        }.map { rows[$0] }
    }
}
