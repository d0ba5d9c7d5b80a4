import GeoStore
import JSONText

/// `GET` or `POST /aggregate/C`: the different values of a field, or what a pipeline makes of the
/// objects. For the master key only.
struct AggregateObjects: ReadOperation {
    private enum Question: Sendable {
        case distinct(WherePath)
        case pipeline(AggregatePipeline)
    }

    private let className: String
    private let question: Question
    private let condition: Where?
    private let caller: ParseCaller

    let isQuick = false
    let readsClass = true

    /// How many values an answer has at most, and rows a pipeline holds.
    static let greatestRows = 100_000

    /// - Throws: ``Problem`` 403 without the master key; ``ParseError`` 102 that names the
    ///   parameter at fault; ``WhereError``.
    init(_ className: String, _ parameters: JSONObject, _ caller: ParseCaller) throws {
        guard caller.identity.isMaster else {
            throw Problem(.forbidden, "unauthorized: master key is required")
        }
        try ClassAccess.check(className, caller.identity)
        self.className = className
        self.caller = caller
        condition = try caller.condition(
            try parameters["where"].flatMap { try FindParameters.condition($0) }, of: className)
        if let key = parameters["distinct"] {
            guard let name = key.stringValue else {
                throw ParseError(.invalidQuery, "distinct must be the name of a field")
            }
            question = .distinct(try WherePath(name, of: className, at: "distinct"))
            return
        }
        let stages = try parameters["pipeline"] ?? Self.stages(of: parameters)
        question = .pipeline(
            try AggregatePipeline(stages) { try caller.condition($0, of: className) })
    }

    /// Stages that stand as parameters of their own, as old clients write them.
    private static func stages(of parameters: JSONObject) throws(ParseError) -> JSONValue {
        var stages: [JSONValue] = []
        for member in parameters where member.key != "where" {
            let name = member.key.hasPrefix("$") ? member.key : "$" + member.key
            stages.append(.object(JSONObject([(name, member.value)])))
        }
        return .array(stages)
    }

    func isQuick(in reader: borrowing Reader) -> Bool { false }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        let results =
            switch question {
            case .distinct(let path): try distinct(path, in: reader)
            case .pipeline(let pipeline): try rows(of: pipeline, in: reader)
            }
        let answer = ParseAnswer(["results": .array(results)])
        try budget.take(answer.json.count)
        return answer
    }

    private func distinct(_ path: WherePath, in reader: borrowing Reader) throws -> [JSONValue] {
        var seen: Set<FieldValue> = []
        var values: [JSONValue] = []
        try reader.visit(className, condition, for: caller.queryAccess()) { document in
            guard let value = AggregateRow(document).value(path.text.split(separator: "."))
            else { return true }
            for element in value.arrayValue ?? [value] where !element.isNull {
                guard seen.insert(FieldValue(element)).inserted else { continue }
                values.append(element)
                try Self.check(values.count)
            }
            return true
        }
        return values
    }

    private func rows(
        of pipeline: AggregatePipeline, in reader: borrowing Reader
    ) throws -> [JSONValue] {
        var rows: [JSONObject] = []
        let first = pipeline.firstCondition
        try reader.visit(className, first ?? condition, for: caller.queryAccess()) { document in
            if first != nil, let condition, try !condition.matches(document) { return true }
            rows.append(AggregateRow(document).members)
            try Self.check(rows.count)
            return true
        }
        return try pipeline.run(rows).map { row in
            // What a group is named by is its objectId.
            JSONValue.object(
                JSONObject(row.map { ($0.key == "_id" ? "objectId" : $0.key, $0.value) }))
        }
    }

    private static func check(_ count: Int) throws(ParseError) {
        guard count <= greatestRows else {
            throw ParseError(
                .requestLimitExceeded,
                "aggregate holds at most \(greatestRows) rows: begin with a narrower $match")
        }
    }
}

/// An object as a row of a pipeline: its fields, its id as `_id`, its times as dates.
struct AggregateRow {
    let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    init(_ document: Document) {
        var members = JSONObject()
        members["_id"] = .string(document.objectId)
        members["createdAt"] = Self.date(document.createdAt)
        members["updatedAt"] = Self.date(document.updatedAt)
        for member in document.fields { members[member.key] = member.value }
        self.members = members
    }

    private static func date(_ time: Timestamp) -> JSONValue {
        ["__type": "Date", "iso": .string(time.description)]
    }

    /// The value at a path; nil when there is none.
    func value(_ path: [Substring]) -> JSONValue? {
        var value: JSONValue? = .object(members)
        for name in path {
            let key =
                name == "objectId" || name == "_created_at" || name == "_updated_at"
                ? Self.names[String(name)] ?? String(name) : String(name)
            value = value?[key]
        }
        return value
    }

    /// Other names of the properties that every object has.
    private static let names = [
        "objectId": "_id", "_created_at": "createdAt", "_updated_at": "updatedAt",
    ]
}
