import GeoStore
import JSONText

/// `GET /classes/C/id`: one object.
struct FetchObject: ReadOperation {
    private let className: String
    private let objectId: String
    private let writer: AnswerWriter
    private var caller: ParseCaller { writer.caller }

    /// Objects that it points to may be many, and long.
    var isQuick: Bool { writer.shape.followsNothing }
    /// Parameters that do not change an answer.
    private static let withoutEffect: Set<String> = [
        "readPreference", "includeReadPreference", "subqueryReadPreference",
    ]
    /// Documents longer than this are read on a thread of the pool.
    static let quickBytes = 16 << 10

    /// - Throws: As ``ClassAccess/check(_:_:)``; ``ParseError`` 102 for a parameter that is none of
    ///   this call, and as ``AnswerShape/init(_:)``.
    init(
        _ className: String, _ objectId: String, _ parameters: JSONObject, _ caller: ParseCaller
    ) throws(ParseError) {
        try ClassAccess.check(className, for: .get, caller)
        for name in parameters.keys
        where !AnswerShape.parameters.contains(name) && !Self.withoutEffect.contains(name) {
            throw ParseError(
                .invalidQuery, "Invalid parameter for query: \(name.prefix(100))")
        }
        self.className = className
        self.objectId = objectId
        writer = AnswerWriter(try AnswerShape(parameters), caller)
    }

    /// How long the object is shows when it is read.
    func isQuick(in reader: borrowing Reader) throws -> Bool { true }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        let found = try reader.found(
            className, ids: CollectionOfOne(objectId),
            for: caller.queryAccess(for: .get, of: className))
        guard !found.isEmpty else { throw ParseError.objectNotFound }
        var json = JSONWriter()
        try writer.write(found, of: reader, to: &json, &budget)
        try budget.take(json.bytes.count)
        return ParseAnswer(json.bytes)
    }
}
