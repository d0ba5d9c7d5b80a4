import GeoStore
import JSONText

/// What a write does to one field, or to one member of an object field.
enum FieldChange: Hashable, Sendable {
    /// Puts this value in the place of the former one; null is a value.
    case set(JSONValue)
    /// Leaves the field without a value.
    case delete
    /// Adds to a number; a missing one is 0.
    case increment(by: JSONValue)

    /// Reads a value or an operation (`{"__op": "Increment", "amount": 1}`) of the wire.
    ///
    /// - Throws: ``ParseError`` 108 for an operation that this version does not have, 107 for a
    ///   malformed one, 111 for a value that is none of its type.
    init(_ value: JSONValue, of field: String) throws(ParseError) {
        guard let operation = value["__op"] else {
            self = .set(try WireValue.canonical(value, of: field))
            return
        }
        switch operation {
        case "Delete": self = .delete
        case "Increment":
            guard let amount = value["amount"], amount.doubleValue != nil else {
                throw ParseError(.invalidJSON, "\(field): Increment needs an amount, a number")
            }
            self = .increment(by: amount)
        default:
            let name = operation.stringValue ?? "of that name"
            throw ParseError(
                .commandUnavailable, "\(field): there is no operation \(name) in this version")
        }
    }

    /// Whether the caller, who cannot know the new value, is told it.
    var isAnswered: Bool {
        switch self {
        case .set, .delete: false
        case .increment: true
        }
    }

    /// The value after the change; nil is none.
    ///
    /// - Throws: ``ParseError`` 111 when the former value is of the wrong type.
    func applied(to former: JSONValue?, of field: String) throws(ParseError) -> JSONValue? {
        switch self {
        case .set(let value): return value
        case .delete: return nil
        case .increment(let amount):
            guard let former, !former.isNull else { return amount }
            guard let sum = WireValue.sum(former, amount) else {
                throw ParseError(
                    .incorrectType, "\(field) is not a number, so it cannot be incremented")
            }
            return sum
        }
    }
}
