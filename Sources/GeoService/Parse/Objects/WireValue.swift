import GeoStore
import JSONText

/// Values of fields as they come over the wire.
enum WireValue {
    /// The one form in which a value is stored, whatever form it came in: dates with milliseconds
    /// and `Z`, rings closed, objects that were included as pointers to them, without members that mean
    /// nothing. A value of no such type, or a
    /// malformed one, is left as it is: the class judges it.
    ///
    /// - Throws: ``ParseError`` 111 for a polygon with fewer than three corners.
    /// - Complexity: O(size of the value).
    static func canonical(_ value: JSONValue, of field: String) throws(ParseError) -> JSONValue {
        if case .array(let elements) = value { return .array(elements.map(element)) }
        guard case .string(let type)? = value["__type"] else { return value }
        switch type {
        case "Date":
            guard let text = value["iso"]?.stringValue, let time = Timestamp(rfc3339: text) else {
                return value
            }
            return date(time)
        case "Pointer", "Object":
            guard let className = value["className"], let id = value["objectId"] else {
                return value
            }
            return ["__type": "Pointer", "className": className, "objectId": id]
        case "Polygon":
            guard let corners = value["coordinates"]?.arrayValue else { return value }
            return [
                "__type": "Polygon",
                "coordinates": .array(try closed(corners, of: field)),
            ]
        default: return value
        }
    }

    /// The one form of a list's element: as ``canonical(_:of:)`` for dates and pointers, so that equal
    /// ones are equal values; others are left as they are.
    static func element(_ value: JSONValue) -> JSONValue {
        switch value["__type"] {
        case "Date"?, "Pointer"?, "Object"?: (try? canonical(value, of: "")) ?? value
        default: value
        }
    }

    /// A date as a field's value.
    static func date(_ time: Timestamp) -> JSONValue {
        ["__type": "Date", "iso": .string(time.description)]
    }

    /// The sum of two numbers, whole as long as it fits 64 bits; nil when one is none or the sum
    /// is not finite.
    static func sum(_ left: JSONValue, _ right: JSONValue) -> JSONValue? {
        if case .integer(let a) = left, case .integer(let b) = right {
            let (sum, overflow) = a.addingReportingOverflow(b)
            if !overflow { return .integer(sum) }
        }
        guard let a = left.doubleValue, let b = right.doubleValue, (a + b).isFinite else {
            return nil
        }
        return .number(a + b)
    }

    /// The ring with its first corner again at its end.
    private static func closed(
        _ corners: [JSONValue], of field: String
    ) throws(ParseError) -> [JSONValue] {
        guard Set(corners).count >= 3 else {
            throw ParseError(
                .incorrectType, "\(field) is no Polygon: it needs at least 3 different corners")
        }
        guard let first = corners.first, corners.last != first else { return corners }
        return corners + [first]
    }
}
