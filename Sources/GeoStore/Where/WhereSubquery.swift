import JSONText

/// A question about other objects that is part of a `where`. It is answered first: what it gives
/// is then a set of values like any other.
package struct WhereSubquery: Sendable {
    /// What is asked.
    package enum Question: Sendable {
        /// Pointers to the objects of a class that match: `$inQuery`.
        case pointers(className: String, Where)
        /// The values of a field of the objects that match: `$select`.
        case values(className: String, Where, key: WherePath)
        /// The ids of the members of an object's relation: `$relatedTo`.
        case members(className: String, objectId: String, field: String)
        /// The ids of the objects in whose relation one of these is: a pointer on a relation.
        case owners(field: String, members: [String])
    }

    /// What is asked.
    package let question: Question
    /// Where it stands in the query.
    package let path: String

    /// The class that is read, and what is asked of its fields; nil for relations.
    package var reads: (className: String, condition: Where, key: WherePath?)? {
        switch question {
        case .pointers(let name, let condition): (name, condition, nil)
        case .values(let name, let condition, let key): (name, condition, key)
        case .members, .owners: nil
        }
    }
}

extension WhereParser {
    /// Reads `$inQuery`, `$notInQuery`, `$select` and `$dontSelect`; nil for another operator.
    mutating func subquery(
        _ name: String, _ value: JSONValue, at path: String
    ) throws(WhereError) -> WhereTest? {
        switch name {
        case "$inQuery", "$notInQuery":
            let (className, condition) = try classQuery(value, at: path)
            let test = try add(.pointers(className: className, condition), at: path)
            return name == "$inQuery" ? test : .not(test)
        case "$select", "$dontSelect":
            guard let query = value["query"], let key = value["key"]?.stringValue else {
                throw WhereError(
                    .malformed, path,
                    "must be {\"query\": {\"className\": …, \"where\": {…}}, \"key\": …}")
            }
            let (className, condition) = try classQuery(query, at: "\(path).query")
            let field = try WherePath(key, of: className, at: "\(path).key")
            let test = try add(.values(className: className, condition, key: field), at: path)
            return name == "$select" ? test : .not(test)
        default: return nil
        }
    }

    /// Reads `$relatedTo`: the object is a member of another's relation.
    mutating func relatedTo(
        _ value: JSONValue, at path: String
    ) throws(WhereError) -> WhereCondition {
        guard let pointer = WhereParser.pointer(value["object"]),
            let key = value["key"]?.stringValue
        else {
            throw WhereError(.malformed, path, "must be {\"object\": Pointer, \"key\": …}")
        }
        let field = try WherePath(key, of: pointer.className, at: "\(path).key")
        if let find = options.find, find.isHidden(pointer.className, field.names[0]) {
            throw WhereError(
                .forbidden, "\(path).key",
                "is hidden: this user is not allowed to query it on \(pointer.className)")
        }
        let test = try add(
            .members(className: pointer.className, objectId: pointer.objectId, field: key),
            at: path)
        return .field(number(of: .objectId), test)
    }

    /// Reads what is asked of a relation field: which objects are members; nil when it is something
    /// else.
    mutating func relation(
        _ value: JSONValue, of field: WherePath, at path: String
    ) throws(WhereError) -> [WhereCondition]? {
        guard let find = options.find, let className, field.names.count == 1,
            find.relations(className)[field.names[0]] != nil
        else { return nil }
        if let pointer = WhereParser.pointer(value) {
            return [try owners([pointer.objectId], of: field, isIn: true, at: path)]
        }
        guard let members = value.objectValue, !members.isEmpty else { return nil }
        var found: [WhereCondition] = []
        for member in members {
            let here = "\(path).\(member.key)"
            let isIn = member.key == "$eq" || member.key == "$in"
            switch member.key {
            case "$eq", "$ne":
                guard let pointer = WhereParser.pointer(member.value) else { return nil }
                found.append(try owners([pointer.objectId], of: field, isIn: isIn, at: here))
            case "$in", "$nin":
                guard let values = member.value.arrayValue else {
                    throw WhereError(.operand, here, "must be a list of pointers")
                }
                try count(operands: values.count, at: here)
                let ids = values.compactMap { WhereParser.pointer($0)?.objectId }
                found.append(try owners(ids, of: field, isIn: isIn, at: here))
            default: return nil
            }
        }
        return found
    }

    private mutating func owners(
        _ ids: [String], of field: WherePath, isIn: Bool, at path: String
    ) throws(WhereError) -> WhereCondition {
        try count(at: path)
        let test = try add(.owners(field: field.names[0], members: ids), at: path)
        return .field(number(of: .objectId), isIn ? test : .not(test))
    }

    private mutating func add(
        _ question: WhereSubquery.Question, at path: String
    ) throws(WhereError) -> WhereTest {
        guard subqueries.count < WhereParser.subqueryLimit else {
            throw WhereError(
                .tooCostly, path,
                "is one too many: a query asks about other classes and relations at most "
                    + "\(WhereParser.subqueryLimit) times")
        }
        subqueries.append(WhereSubquery(question: question, path: path))
        return .among(subqueries.count - 1)
    }

    private func classQuery(
        _ value: JSONValue, at path: String
    ) throws(WhereError) -> (className: String, condition: Where) {
        guard let className = value["className"]?.stringValue, !className.isEmpty else {
            throw WhereError(.malformed, path, "must be {\"className\": …, \"where\": {…}}")
        }
        guard let find = options.find, find.depth > 0 else {
            throw WhereError(.tooCostly, path, "has too many queries inside one another")
        }
        var inner = options
        inner.find?.depth -= 1
        let condition = try Where(value["where"] ?? [:], of: className, options: inner)
        return (className, condition)
    }

    private static func pointer(
        _ value: JSONValue?
    ) -> (className: String, objectId: String)? {
        guard let value, let type = value["__type"]?.stringValue,
            type == "Pointer" || type == "Object", let name = value["className"]?.stringValue,
            let id = value["objectId"]?.stringValue
        else { return nil }
        return (name, id)
    }
}

extension Where {
    /// The query with the answers of its subqueries in their places.
    ///
    /// - Parameter answers: The values that each of ``subqueries`` gave.
    func resolved(_ answers: [Set<FieldValue>]) -> Where {
        guard !answers.isEmpty else { return self }
        var copy = self
        copy.condition = condition.resolved(answers)
        return copy
    }
}

extension WhereCondition {
    fileprivate func resolved(_ answers: [Set<FieldValue>]) -> WhereCondition {
        switch self {
        case .all(let parts): .all(parts.map { $0.resolved(answers) })
        case .any(let parts): .any(parts.map { $0.resolved(answers) })
        case .none(let parts): .none(parts.map { $0.resolved(answers) })
        case .field(let number, let test): .field(number, test.resolved(answers))
        }
    }
}

extension WhereTest {
    fileprivate func resolved(_ answers: [Set<FieldValue>]) -> WhereTest {
        switch self {
        case .among(let number): .isIn(answers[number])
        case .not(let test): .not(test.resolved(answers))
        default: self
        }
    }
}
