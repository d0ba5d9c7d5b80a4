import GeoStore
import JSONText

/// A field as a schema defines it: `{"type": "Pointer", "targetClass": "Post", "required": true}`.
struct FieldDefinition: Sendable {
    let name: String
    let type: FieldType
    /// What the class asks of objects: `required` and `defaultValue`, as far as they were given.
    let options: JSONObject

    /// The definition in the form of ``FieldRules``; nil when it asks nothing.
    var rule: JSONValue? { options.isEmpty ? nil : .object(options) }

    /// - Throws: ``ParseError``: 107 without a type, 111 for one that there is not and for options
    ///   that do not go with it, 135 without a class that it needs, 103 for what is no class.
    init(_ name: String, _ value: JSONValue) throws(ParseError) {
        guard let typeName = value["type"]?.stringValue else {
            throw ParseError(.invalidJSON, "\(name.prefix(100)) needs a type, such as String")
        }
        self.name = name
        type = try Self.type(typeName, of: name, value)
        options = try Self.options(value, of: name, type)
    }

    private static func type(
        _ typeName: String, of name: String, _ value: JSONValue
    ) throws(ParseError) -> FieldType {
        guard typeName == "Pointer" || typeName == "Relation" else {
            guard !typeName.contains("<"), let type = FieldType(typeName) else {
                throw ParseError(
                    .incorrectType, "invalid field type: \(typeName.prefix(100)) of \(name)")
            }
            return type
        }
        guard let target = value["targetClass"]?.stringValue else {
            throw ParseError(.missingRequiredField, "type \(typeName) needs a class name")
        }
        guard Naming.isClassName(target), !Naming.internalClasses.contains(target) else {
            throw .invalidClass(target)
        }
        return typeName == "Pointer" ? .pointer(target) : .relation(target)
    }

    private static func options(
        _ value: JSONValue, of name: String, _ type: FieldType
    ) throws(ParseError) -> JSONObject {
        var options = JSONObject()
        switch value["required"] {
        case nil, .null?: break
        case true?: options["required"] = true
        case false?: break
        case _?: throw ParseError(.incorrectType, "required of \(name) must be true or false")
        }
        if let sent = value["defaultValue"], !sent.isNull {
            let wanted = try WireValue.canonical(sent, of: name)
            let got: FieldType?
            do {
                got = try FieldType.of(wanted)
            } catch {
                throw ParseError(.incorrectType, "the default value of \(name) \(error)")
            }
            guard got == type else {
                throw ParseError(
                    .incorrectType,
                    "schema mismatch for \(name) default value; expected \(type) but got "
                        + (got?.description ?? "null"))
            }
            options["defaultValue"] = wanted
        }
        if case .relation = type, !options.isEmpty {
            throw ParseError(
                .incorrectType,
                "The '\(options.keys[0])' option is not applicable for Relation")
        }
        return options
    }
}

extension ParseError {
    /// No class can have the name.
    static func invalidClass(_ name: String) -> ParseError {
        ParseError(
            .invalidClassName,
            "Invalid classname: \(name.prefix(200)), classnames can only have alphanumeric "
                + "characters and _, and must start with an alpha character")
    }

    /// There is no class of the name.
    static func unknownClass(_ name: String) -> ParseError {
        ParseError(.invalidClassName, "Class \(name.prefix(200)) does not exist.")
    }
}
