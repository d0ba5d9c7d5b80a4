import GeoStore
import JSONText

/// The parameters of a query. Which fields and pointers it shows, ``AnswerShape`` reads.
struct FindParameters: Sendable {
    private(set) var limit = defaultLimit
    private(set) var skip = 0
    private(set) var wantsCount = false
    private(set) var order: [ObjectOrder] = []
    /// Whether what fits the words of `$text` best comes first.
    private(set) var isByScore = false
    /// The condition, not compiled yet.
    private(set) var condition: JSONValue?

    /// How many objects a query gives that does not say.
    static let defaultLimit = 100
    /// How many objects one answer has at most; a greater limit is taken for this one.
    static let greatestLimit = 10_000
    /// How many objects a query may skip: the store sorts that many.
    static let greatestSkip = 1_000_000
    /// How many keys an order may have.
    static let greatestOrder = 16

    /// Parameters that do not change an answer.
    static let withoutEffect: Set<String> = [
        "comment", "hint", "readPreference", "includeReadPreference", "subqueryReadPreference",
    ]
    /// Parameters of the surface that this version does not carry out.
    private static let unsupported: Set<String> = [
        "explain", "redirectClassNameForKey", "distinct",
    ]

    /// Reads the parameters.
    ///
    /// - Throws: ``ParseError`` 102 that names the parameter at fault, 105 for a key that cannot be
    ///   ordered by.
    init(_ parameters: JSONObject) throws(ParseError) {
        for member in parameters {
            switch member.key {
            case "limit":
                limit = min(
                    try ParseParameters.count(member.value, of: "limit"), Self.greatestLimit)
            case "skip": skip = try ParseParameters.count(member.value, of: "skip")
            case "count": wantsCount = try ParseParameters.flag(member.value, of: "count")
            case "order": try readOrder(member.value)
            case "where": condition = try Self.condition(member.value)
            case let name where AnswerShape.parameters.contains(name): break
            case let name where Self.withoutEffect.contains(name): break
            case let name:
                throw Self.refusal(of: name, isKnown: Self.unsupported.contains(name))
            }
        }
        guard skip <= Self.greatestSkip else {
            throw ParseError(.invalidQuery, "skip must be at most \(Self.greatestSkip)")
        }
    }

    /// What is said to a parameter that is not carried out.
    static func refusal(of name: String, isKnown: Bool) -> ParseError {
        let name = String(name.prefix(100))
        return ParseError(
            .invalidQuery,
            isKnown
                ? "the parameter \(name) is not supported by this version"
                : "Invalid parameter for query: \(name)")
    }

    /// A condition, which some clients send as text; nil when it asks nothing.
    ///
    /// - Throws: ``ParseError`` 102 when it is no object.
    static func condition(_ value: JSONValue) throws(ParseError) -> JSONValue? {
        var value = value
        if let text = value.stringValue { value = (try? JSONParser.parse(text: text)) ?? value }
        guard let members = value.objectValue else {
            throw ParseError(.invalidQuery, "where must be a JSON object such as {\"price\":5}")
        }
        // A plain nil would be JSON's null.
        return members.isEmpty ? JSONValue?.none : value
    }

    private mutating func readOrder(_ value: JSONValue) throws(ParseError) {
        var names = try ParseParameters.names(value, of: "order")
        guard names.count <= Self.greatestOrder else {
            throw ParseError(.invalidQuery, "order must have at most \(Self.greatestOrder) keys")
        }
        isByScore = names.contains { $0 == "$score" || $0 == "-$score" }
        names.removeAll { $0 == "$score" || $0 == "-$score" }
        order = try names.map { name throws(ParseError) in
            let isDescending = name.hasPrefix("-")
            let key = isDescending ? String(name.dropFirst()) : name
            return ObjectOrder(try Self.orderKey(key), isDescending: isDescending)
        }
    }

    private static func orderKey(_ name: String) throws(ParseError) -> ObjectOrder.Key {
        switch name {
        case "objectId": return .objectId
        case "createdAt", "_created_at": return .createdAt
        case "updatedAt", "_updated_at": return .updatedAt
        default:
            let names = name.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            guard names.count <= FieldPath.greatestDepth, let field = names.first,
                Naming.isIdentifier(field),
                names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isPathCharacter) })
            else {
                throw ParseError(.invalidFieldName, "Invalid key name: \(name.prefix(200))")
            }
            return .field(names)
        }
    }

    /// The store's paths cannot have the others between their quotation marks.
    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
