/// One JSON value.
///
/// Equality is that of the values, not of their spelling: `1` equals `1.0`, the order of an
/// object's members does not count, and strings are compared byte by byte (no Unicode
/// normalisation, since stored data must come back as it was sent).
package enum JSONValue: Sendable {
    /// `null`, which is kept: a member that is null differs from one that is absent.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits in 64 bits, exactly.
    case integer(Int64)
    /// Any other number. Never NaN or infinite when it was parsed.
    case number(Double)
    /// Text.
    case string(String)
    /// An ordered list.
    case array([JSONValue])
    /// Members in the order in which they were written.
    case object(JSONObject)
}

extension JSONValue {
    /// The text, when this is a string.
    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The truth value, when this is a boolean.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as a double, when this is one. Integers beyond 2^53 are rounded.
    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The number as an integer, when it is a whole number of 64 bits (`3.0` is 3).
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The elements, when this is an array.
    package var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, when this is an object.
    package var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// True for `null` alone.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of that name, when this is an object that has it.
    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }
}

extension JSONValue: Hashable {
    /// Deep equality; see the type. O(size).
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.integer(let a), .number(let b)): Int64(exactly: b) == a
        case (.number(let a), .integer(let b)): Int64(exactly: a) == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value):
            // A whole double must hash like the integer that it equals.
            if let whole = Int64(exactly: value) {
                hasher.combine(whole)
            } else {
                hasher.combine(value)
            }
        case .string(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension String {
    /// Equality of the UTF-8 bytes. `==` on strings also equates different spellings of one
    /// character, which would merge two members of an object. O(length).
    package func hasSameBytes(as other: String) -> Bool {
        // Most names differ in length, which is there without looking at the bytes.
        guard utf8.count == other.utf8.count else { return false }
        let left = utf8Span.span
        let right = other.utf8Span.span
        let count = left.count
        var place = 0
        // Words at a time: `elementsEqual` on the views was 5 % of an import.
        while place + 8 <= count {
            let a = unsafe left.bytes.unsafeLoadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            let b = unsafe right.bytes.unsafeLoadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            guard a == b else { return false }
            place += 8
        }
        while place < count {
            guard left[place] == right[place] else { return false }
            place += 1
        }
        return true
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}
