import JSONText

/// The place of a value in an object: a field, or a member of an object field (`address.city`).
struct FieldPath: Hashable, Sendable {
    /// The names from the field inwards, at least one.
    let names: [String]

    /// How deep a path may lead. With ``JSONParser/defaultMaxDepth``, which bounds the value at its
    /// end, it keeps what is stored far from ``JSONParser/greatestMaxDepth``.
    static let greatestDepth = 16

    /// Reads a key of an update.
    ///
    /// - Throws: ``ParseError`` 105 for an empty name and too deep a path, 121 for a `$` in a nested
    ///   name.
    init(_ key: String) throws(ParseError) {
        names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= FieldPath.greatestDepth, !names.contains("") else {
            throw ParseError(.invalidFieldName, "Invalid field name: \(key.prefix(200)).")
        }
        for name in names.dropFirst() where name.utf8.contains(UInt8(ascii: "$")) {
            throw ParseError(
                .invalidNestedKey, "Nested keys should not contain the '$' character: \(name)")
        }
    }

    /// The place of a whole field, whatever its name is.
    init(field: String) {
        names = [field]
    }

    /// The path as a key of the wire.
    var text: String { names.joined(separator: ".") }

    /// Replaces the value at this place by what `change` makes of it; nil leaves none. Objects on
    /// the way that are missing come into being, but not for a value that is left out.
    ///
    /// - Throws: ``ParseError`` 111 when the way leads through what is no object, and what `change`
    ///   throws.
    /// - Complexity: O(members on the way).
    func update(
        _ object: inout JSONObject,
        _ change: (JSONValue?) throws(ParseError) -> JSONValue?
    ) throws(ParseError) {
        try FieldPath.update(&object, names[...], change)
    }

    private static func update(
        _ object: inout JSONObject, _ names: ArraySlice<String>,
        _ change: (JSONValue?) throws(ParseError) -> JSONValue?
    ) throws(ParseError) {
        guard let name = names.first else { return }
        let rest = names.dropFirst()
        guard !rest.isEmpty else {
            object[name] = try change(object[name])
            return
        }
        var inner: JSONObject
        switch object[name] {
        case nil, .null?: inner = JSONObject()
        case .object(let members)? where !members.contains("__type"): inner = members
        case _?:
            throw ParseError(.incorrectType, "\(name) is not an object, so it has no members")
        }
        let wasEmpty = inner.isEmpty
        try update(&inner, rest, change)
        if wasEmpty, inner.isEmpty, object[name] == nil { return }
        object[name] = .object(inner)
    }

    /// A value at this place in an object of nothing else, added to `object`.
    func put(_ value: JSONValue, into object: inout JSONObject) throws(ParseError) {
        try update(&object) { _ in value }
    }
}
