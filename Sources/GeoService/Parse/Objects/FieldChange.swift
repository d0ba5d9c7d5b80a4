import GeoStore
import JSONText

/// What a write does to one field, or to one member of an object field.
enum FieldChange: Hashable, Sendable {
    /// Puts this value in the place of the former one; null is a value.
    case set(JSONValue)
    /// As ``set(_:)`` in an object that comes into being; nothing in one that is there.
    case setOnInsert(JSONValue)
    /// Leaves the field without a value.
    case delete
    /// Adds to a number; a missing one is 0.
    case increment(by: JSONValue)
    /// Changes a list; a missing one is empty.
    case list(ListChange)
    /// Adds or removes members of a relation, which are kept beside the object.
    case relation(RelationChange)

    /// Reads a value or an operation (`{"__op": "Increment", "amount": 1}`) of the wire.
    ///
    /// - Throws: ``ParseError`` 108 for an operation that there is not, 107 for a malformed one, 111
    ///   for a value that is none of its type, 155 for one of too many elements.
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
        case "SetOnInsert":
            guard let amount = value["amount"], amount["__op"] == nil else {
                throw ParseError(.invalidJSON, "\(field): SetOnInsert needs an amount, a value")
            }
            self = .setOnInsert(try WireValue.canonical(amount, of: field))
        case "Add": self = .list(try ListChange(.add, value, of: field))
        case "AddUnique": self = .list(try ListChange(.addUnique, value, of: field))
        case "Remove": self = .list(try ListChange(.remove, value, of: field))
        case "AddRelation", "RemoveRelation", "Batch":
            self = .relation(try RelationChange(value, of: field))
        default: throw FieldChange.unknown(operation, of: field)
        }
    }

    /// What is said to an operation that there is not.
    static func unknown(_ operation: JSONValue, of field: String) -> ParseError {
        let name = operation.stringValue.map { String($0.prefix(100)) } ?? "of that name"
        return ParseError(.commandUnavailable, "\(field): there is no operation \(name)")
    }

    /// The elements that an operation carries.
    ///
    /// - Throws: ``ParseError`` 107 when they are no array, 155 when there are too many.
    static func elements(of operation: JSONValue, in field: String) throws(ParseError)
        -> [JSONValue]
    {
        guard let elements = operation["objects"]?.arrayValue else {
            throw ParseError(
                .invalidJSON,
                "\(field): \(operation["__op"]?.stringValue ?? "it") needs objects, an array")
        }
        guard elements.count <= FieldChange.greatestElements else {
            throw ParseError(
                .requestLimitExceeded,
                "\(field): an operation has at most \(FieldChange.greatestElements) objects")
        }
        return elements
    }

    /// How many elements one operation may carry.
    static let greatestElements = 10_000

    /// Whether the caller, who cannot know the new value, is told it.
    ///
    /// - Parameter isNew: Whether the object comes into being.
    func isAnswered(isNew: Bool) -> Bool {
        switch self {
        case .set, .delete, .relation: false
        case .setOnInsert: isNew
        case .increment, .list: true
        }
    }

    /// The value after the change; nil is none.
    ///
    /// - Parameters:
    ///   - isNew: Whether the object comes into being.
    ///   - place: The class and the field, for messages: `C.f`.
    /// - Throws: ``ParseError`` 111 when the former value is of the wrong type.
    func applied(
        to former: JSONValue?, isNew: Bool, at place: String
    ) throws(ParseError) -> JSONValue? {
        switch self {
        case .set(let value): return value
        case .setOnInsert(let value): return isNew ? value : former
        case .delete: return nil
        case .increment(let amount):
            guard let former, !former.isNull else { return amount }
            guard former.doubleValue != nil else {
                throw FieldChange.mismatch(at: place, former, got: .number)
            }
            guard let sum = WireValue.sum(former, amount) else {
                throw ParseError(.incorrectType, "\(place) would be too large a number")
            }
            return sum
        case .list(let change):
            guard let former, !former.isNull else { return .array(change.applied(to: [])) }
            guard let elements = former.arrayValue else {
                throw FieldChange.mismatch(at: place, former, got: .array)
            }
            return .array(change.applied(to: elements))
        case .relation(let change): return change.fieldValue ?? former
        }
    }

    private static func mismatch(
        at place: String, _ former: JSONValue, got: FieldType
    ) -> ParseError {
        let expected = (try? FieldType.of(former))?.map(\.description) ?? "another type"
        return ParseError(
            .incorrectType, "schema mismatch for \(place); expected \(expected) but got \(got)")
    }
}
