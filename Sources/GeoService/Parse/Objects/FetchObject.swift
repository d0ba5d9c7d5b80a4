import GeoStore
import JSONText

/// `GET /classes/C/id`: one object.
struct FetchObject: ReadOperation {
    private let className: String
    private let objectId: String
    private let caller: ParseCaller

    let isQuick = true
    /// Documents longer than this are read on a thread of the pool.
    private static let quickBytes = 16 << 10

    /// Parameters of the surface that this version does not carry out.
    private static let unsupported: Set<String> = ["include", "keys", "excludeKeys", "includeAll"]

    /// - Throws: As ``ClassAccess/check(_:_:)``; ``ParseError`` 102 for a parameter.
    init(
        _ className: String, _ objectId: String, _ parameters: JSONObject, _ caller: ParseCaller
    ) throws(ParseError) {
        try ClassAccess.check(className, caller.identity)
        for parameter in parameters.keys
        where !FindParameters.withoutEffect.contains(parameter) {
            throw FindParameters.refusal(
                of: parameter, isKnown: Self.unsupported.contains(parameter))
        }
        self.className = className
        self.objectId = objectId
        self.caller = caller
    }

    func isQuick(in reader: borrowing Reader) throws -> Bool {
        try reader.byteCount(className, objectId) ?? 0 <= Self.quickBytes
    }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        guard
            let document = try reader.object(className, objectId).flatMap({ caller.view.shown($0) })
        else { throw ParseError.objectNotFound }
        var json = JSONWriter()
        ObjectWriter(links: caller.links).write(document, to: &json)
        try budget.take(json.bytes.count)
        return ParseAnswer(json.bytes)
    }
}
