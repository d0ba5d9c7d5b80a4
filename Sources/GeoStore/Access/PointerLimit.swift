import JSONText

/// Objects that name a user: by a pointer to him in one of some fields, or in a list there.
package struct PointerLimit: Hashable, Sendable {
    /// The fields that are looked at.
    package let fields: [String]
    /// The user's objectId; nil is nobody, whom no object names.
    package let user: String?

    /// The class of users.
    private static let userClass = "_User"

    /// Objects that name a user in one of these fields.
    package init(fields: [String], user: String?) {
        self.fields = fields
        self.user = user
    }

    /// Whether an object names the user.
    ///
    /// - Complexity: O(fields + elements of their lists).
    package func covers(_ document: Document) -> Bool {
        fields.contains { field in
            guard let value = document.fields[field] else { return false }
            return names(value) || value.arrayValue?.contains { names($0) } ?? false
        }
    }

    private func names(_ value: JSONValue) -> Bool {
        guard let user, let id = Self.user(of: value) else { return false }
        return id.hasSameBytes(as: user)
    }

    /// The user to whom a value points.
    private static func user(of value: JSONValue) -> String? {
        guard value["__type"] == "Pointer", value["className"]?.stringValue == userClass else {
            return nil
        }
        return value["objectId"]?.stringValue
    }

    /// All users whom an object names in one of some fields, in the order of their bytes.
    ///
    /// - Complexity: O(fields + n log n) for n elements of their lists.
    package static func users(named fields: [String], in document: Document) -> [String] {
        var users: [String] = []
        for field in fields {
            guard let value = document.fields[field] else { continue }
            if let id = user(of: value) { users.append(id) }
            users += (value.arrayValue ?? []).compactMap { user(of: $0) }
        }
        return users.sortedByBytes()
    }

    /// The same as a condition on a row of `objects`.
    ///
    /// - Parameters:
    ///   - fields: The parameter of ``fieldList``.
    ///   - user: The parameter of the user's id; null where that is not bound.
    func condition(fields: String, user: String) -> String {
        let body = "CAST(objects.body AS TEXT)"
        func isUser(_ path: (String) -> String) -> String {
            """
            \(path("__type")) = 'Pointer' AND \(path("className")) = '\(Self.userClass)'
                AND \(path("objectId")) = \(user)
            """
        }
        let single = isUser { "json_extract(\(body), f.value || '.\($0)')" }
        let element = isUser { "json_extract(e.value, '$.\($0)')" }
        return """
            EXISTS (SELECT 1 FROM json_each(\(fields)) AS f WHERE (\(single))
                OR EXISTS (SELECT 1 FROM json_each(\(body), f.value) AS e
                    WHERE json_type(\(body), f.value) = 'array' AND e.type = 'object'
                        AND \(element)))
            """
    }

    /// The paths of the fields, a JSON list.
    var fieldList: String {
        let paths = JSONValue.array(fields.map { .string("$.\"\($0)\"") })
        return String(decoding: JSONWriter.encode(paths), as: UTF8.self)
    }
}
