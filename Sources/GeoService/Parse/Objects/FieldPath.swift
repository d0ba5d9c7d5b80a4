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

    /// The field that a key of an update leads into: of `address.city` the address.
    static func field(of key: String) -> String { String(key.prefix { $0 != "." }) }

    /// The place of a whole field, whatever its name is.
    init(field: String) {
        names = [field]
    }

    /// The path as a key of the wire.
    var text: String { names.joined(separator: ".") }

    /// The name within the object that holds the value.
    var last: String { names[names.count - 1] }

    /// The names of the objects on the way.
    var parents: ArraySlice<String> { names.dropLast() }

    /// Replaces the value at this place by what `change` makes of it; nil leaves none. Objects on
    /// the way that are missing come into being, but not for a value that is left out.
    ///
    /// - Throws: ``ParseError`` 111 when the way leads through what is no object, and what `change`
    ///   throws.
    /// - Complexity: O(length of the path), and O(members of the innermost object) to leave none.
    func update(
        _ object: inout JSONObject,
        _ change: (JSONValue?) throws(ParseError) -> JSONValue?
    ) throws(ParseError) {
        try FieldPath.change(&object, parents) { inner throws(ParseError) in
            inner[last] = try change(inner[last])
        }
    }

    /// Removes what stands at places that have the same parents, in one pass.
    ///
    /// - Throws: ``ParseError`` 111 when the way leads through what is no object.
    /// - Complexity: O(length of the path + members of the innermost object + names).
    static func remove(
        _ names: [String], below parents: ArraySlice<String>, from object: inout JSONObject
    ) throws(ParseError) {
        try change(&object, parents) { $0.removeValues(forKeys: names) }
    }

    /// Lets `change` have the object that the names lead to. Each is moved out of the one that holds
    /// it meanwhile: while two hold it, the first change would copy it. After an error the object
    /// lacks what was moved out, so it is to be dropped.
    private static func change(
        _ object: inout JSONObject, _ names: ArraySlice<String>,
        _ change: (inout JSONObject) throws(ParseError) -> Void
    ) throws(ParseError) {
        guard let name = names.first else { return try change(&object) }
        var inner = try taken(name, from: &object) ?? JSONObject()
        try FieldPath.change(&inner, names.dropFirst(), change)
        if inner.isEmpty, !object.contains(name) { return }
        object[name] = .object(inner)
    }

    /// The object field of a name, moved out; nil when there is none, or null.
    private static func taken(
        _ name: String, from object: inout JSONObject
    ) throws(ParseError) -> JSONObject? {
        switch object.takeValue(forKey: name) {
        case nil, .null?: return nil
        case .object(let members)? where !members.contains("__type"): return members
        case _?:
            throw ParseError(.incorrectType, "\(name) is not an object, so it has no members")
        }
    }

    /// A value at this place in an object of nothing else, added to `object`.
    func put(_ value: JSONValue, into object: inout JSONObject) throws(ParseError) {
        try update(&object) { _ in value }
    }
}
