import GeoStore
import JSONText

/// The parameters of a query, as far as this version has them.
struct FindParameters: Sendable {
    private(set) var limit = defaultLimit
    private(set) var skip = 0
    private(set) var wantsCount = false
    private(set) var order: [ObjectOrder] = []

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
        "comment", "readPreference", "includeReadPreference", "subqueryReadPreference",
    ]
    /// Parameters of the surface that this version does not carry out.
    private static let unsupported: Set<String> = [
        "where", "keys", "excludeKeys", "include", "includeAll", "hint", "explain",
        "redirectClassNameForKey", "distinct",
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
            case "order": order = try Self.order(member.value)
            // Some clients always send a condition, of nothing when there is none.
            case "where" where member.value == [:]: break
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

    private static func order(_ value: JSONValue) throws(ParseError) -> [ObjectOrder] {
        let names = try ParseParameters.names(value, of: "order")
        guard names.count <= greatestOrder else {
            throw ParseError(.invalidQuery, "order must have at most \(greatestOrder) keys")
        }
        return try names.map { name throws(ParseError) in
            let isDescending = name.hasPrefix("-")
            let key = isDescending ? String(name.dropFirst()) : name
            return ObjectOrder(try orderKey(key), isDescending: isDescending)
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
