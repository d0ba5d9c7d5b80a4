import JSONText

/// The keys by which rules find objects and keep them apart.
enum RuleKeys {
    /// What the scopes of a class's keys begin with.
    private static func prefix(_ className: String) -> String { "rule:\(className):" }

    /// The scopes of the keys that are claimed anew under other rules: from `first`, before `end`.
    ///
    /// The keys of what was made, whose sign sorts first, are never among them: it is not made
    /// twice, and goes when one of the two withdraws, whatever rules come and go.
    static func scopes(
        of className: String, keepingNamings: Bool
    ) -> (first: String, end: String) {
        // "?" sorts after ">" and before the letters with which fields begin, ";" after ":".
        (prefix(className) + (keepingNamings ? "?" : ">"), "rule:\(className);")
    }

    /// The key of the values of some fields; nil when one of them has none.
    ///
    /// - Throws: ``RuleError/valuesTooLong(className:fields:limitBytes:)``.
    /// - Complexity: O(size of the values).
    static func unique(
        _ fields: [String], of document: Document
    ) throws(RuleError) -> UniqueKey? {
        var values: [JSONValue] = []
        for field in fields {
            guard let value = document.fields[field], !value.isNull else { return nil }
            values.append(canonical(value))
        }
        let bytes = JSONWriter.encode(.array(values))
        guard bytes.count <= UniqueKey.maximumBytes else {
            throw .valuesTooLong(
                className: document.className, fields: fields, limitBytes: UniqueKey.maximumBytes)
        }
        return UniqueKey(
            scope: prefix(document.className) + fields.joined(separator: ","),
            value: bytes)
    }

    /// The key of one user's naming another.
    static func naming(_ pair: UserPair, in className: String) -> UniqueKey {
        UniqueKey(scope: prefix(className) + ">", "\(pair.first)>\(pair.second)")
    }

    /// The key of what is made for two users.
    static func made(_ madeClass: String, for pair: UserPair, by className: String) -> UniqueKey {
        let ids = pair.sorted
        return UniqueKey(
            scope: prefix(className) + "=" + madeClass, "\(ids.first)=\(ids.second)")
    }

    /// Equal values as equal bytes: whole numbers as such, members in the order of their names.
    private static func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number: value.integerValue.map { .integer($0) } ?? value
        case .array(let elements): .array(elements.map(canonical))
        case .object(let members):
            .object(
                JSONObject(
                    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                        .map { ($0.key, canonical($0.value)) }))
        case .null, .bool, .integer, .string: value
        }
    }
}

/// Two different users, the one who names first.
struct UserPair: Hashable {
    let first: String
    let second: String

    /// Who is named by whose object; nil when that is nobody, or oneself.
    init?(of document: Document?, owner: String?, _ rule: MutualRule) {
        guard let document, let owner, let first = document.fields[owner]?.userID,
            let second = document.fields[rule.field]?.userID, first != second
        else { return nil }
        self.init(first: first, second: second)
    }

    private init(first: String, second: String) {
        self.first = first
        self.second = second
    }

    /// The two the other way round.
    var reversed: UserPair { UserPair(first: second, second: first) }

    /// The two in the order of their ids.
    var sorted: UserPair {
        first.utf8.lexicographicallyPrecedes(second.utf8) ? self : reversed
    }

    /// The ids.
    var ids: [String] { [first, second] }
}
