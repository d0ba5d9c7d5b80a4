import GeoIndex
import JSONText

extension WhereParser {
    /// Reads what is asked of one field: a value, or an object of operators.
    mutating func tests(
        _ value: JSONValue, at path: String, of field: WherePath
    ) throws(WhereError) -> [WhereTest] {
        guard case .object(let members) = value,
            members.contains(where: { $0.key.hasPrefix("$") })
        else {
            try count(at: path)
            return [.equals(try operand(value, at: path, of: field))]
        }
        var found: [WhereTest] = []
        for member in members {
            let here = "\(path).\(member.key)"
            guard member.key.hasPrefix("$") else {
                throw WhereError(
                    .malformed, here, "stands beside operators: it must be one, or there be none")
            }
            try count(at: here)
            if let test = try test(member.key, member.value, members, at: here, of: field) {
                found.append(test)
            }
        }
        return found
    }

    /// Reads one operator; nil for one that belongs to another.
    private mutating func test(
        _ name: String, _ value: JSONValue, _ all: JSONObject, at path: String,
        of field: WherePath
    ) throws(WhereError) -> WhereTest? {
        switch name {
        case "$eq": return .equals(try operand(value, at: path, of: field))
        case "$ne": return .not(.equals(try operand(value, at: path, of: field)))
        case "$lt", "$lte":
            return .less(try bound(value, at: path, of: field), orEqual: name == "$lte")
        case "$gt", "$gte":
            return .greater(try bound(value, at: path, of: field), orEqual: name == "$gte")
        case "$in": return .isIn(Set(try list(value, at: path, of: field, flattens: true)))
        case "$nin": return .not(.isIn(Set(try list(value, at: path, of: field, flattens: true))))
        case "$containedBy":
            return .isContained(in: Set(try list(value, at: path, of: field, flattens: false)))
        case "$all": return try containsAll(value, at: path, of: field)
        case "$exists":
            guard let isThere = value.boolValue else {
                throw WhereError(.operand, path, "must be true or false")
            }
            return .exists(isThere)
        case "$regex": return try pattern(value, options: all["$options"], at: path)
        case "$options":
            guard all.contains("$regex") else {
                throw WhereError(.malformed, path, "belongs to $regex, which is missing")
            }
            return nil
        case "$text" where options.find != nil: return try text(value, at: path)
        case let name where options.find != nil && WhereParser.askOthers.contains(name):
            return try subquery(name, value, at: path)
        default: return try areaTest(name, value, all, at: path)
        }
    }

    /// Operators that ask about another class.
    private static let askOthers: Set<String> = [
        "$inQuery", "$notInQuery", "$select", "$dontSelect",
    ]

    private mutating func containsAll(
        _ value: JSONValue, at path: String, of field: WherePath
    ) throws(WhereError) -> WhereTest {
        let values = try array(value, at: path)
        guard !values.isEmpty else { return .never }
        var tests: [WhereTest] = []
        for (index, value) in values.enumerated() {
            let here = "\(path)[\(index)]"
            if let regex = value["$regex"] {
                tests.append(try pattern(regex, options: value["$options"], at: here))
            } else {
                tests.append(.equals(try operand(value, at: here, of: field)))
            }
        }
        return .containsAll(tests)
    }

    private mutating func list(
        _ value: JSONValue, at path: String, of field: WherePath, flattens: Bool
    ) throws(WhereError) -> [FieldValue] {
        var found: [FieldValue] = []
        for (index, value) in try array(value, at: path).enumerated() {
            let here = "\(path)[\(index)]"
            if flattens, let inner = value.arrayValue {
                try count(operands: inner.count, at: here)
                for value in inner { found.append(try operand(value, at: here, of: field)) }
            } else {
                found.append(try operand(value, at: here, of: field))
            }
        }
        return found
    }

    private mutating func array(
        _ value: JSONValue, at path: String
    ) throws(WhereError) -> [JSONValue] {
        guard let values = value.arrayValue else {
            throw WhereError(.operand, path, "must be a list of values")
        }
        try count(operands: values.count, at: path)
        return values
    }

    /// A value to be compared with the field's.
    private func operand(
        _ value: JSONValue, at path: String, of field: WherePath
    ) throws(WhereError) -> FieldValue {
        if case .object(let members) = value {
            if let member = members.first(where: { $0.key.hasPrefix("$") }) {
                throw WhereError(
                    .malformed, path, "is a value, so it cannot have \(member.key.prefix(40))")
            }
            guard let type = members["__type"] else { return FieldValue(value) }
            let read = FieldValue(value)
            // A typed value that is complete is no object any more.
            if case .compound(let compound) = read, case .object = compound.parts, type != "Bytes",
                type != "Relation"
            {
                throw WhereError(
                    .operand, path,
                    "is no complete \(type.stringValue?.prefix(40) ?? "value of Parse's types")")
            }
            return read
        }
        return try time(value, at: path, of: field) ?? FieldValue(value)
    }

    /// The times of every object are compared with dates, and with plain text of the same form.
    private func time(
        _ value: JSONValue, at path: String, of field: WherePath
    ) throws(WhereError) -> FieldValue? {
        guard field.isTime, let text = value.stringValue else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw WhereError(.operand, path, "must be a date such as 2026-05-04T03:02:01.000Z")
        }
        return .date(time.milliseconds)
    }

    /// A number, a text or a date that values are less or greater than.
    private func bound(
        _ value: JSONValue, at path: String, of field: WherePath
    ) throws(WhereError) -> FieldValue {
        if let relative = value["$relativeTime"], let find = options.find {
            guard let text = relative.stringValue,
                let time = RelativeTime.time(text, now: find.now)
            else {
                throw WhereError(
                    .operand, path,
                    "must have a $relativeTime such as \"12 days ago\" or \"in 2 hours\"")
            }
            return .date(time.milliseconds)
        }
        if value["$relativeTime"] != nil {
            throw WhereError(
                .unsupported, path, "has $relativeTime, which is not supported by this version")
        }
        let bound = try operand(value, at: path, of: field)
        switch bound {
        case .number, .text, .date: return bound
        default: throw WhereError(.operand, path, "must be a number, a text or a Date")
        }
    }
}
