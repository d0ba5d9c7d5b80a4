import GeoStore
import JSONText

/// What the body of `POST` or `PUT /schemas/C` does to a class.
struct SchemaChange: Sendable {
    private let className: String
    private let added: [FieldDefinition]
    /// The fields that are taken away.
    let removed: [String]
    private let permissions: JSONObject?
    private let indexes: JSONObject

    /// How many fields, and how many indexes, one change may be about.
    static let greatestCount = 1_000

    /// - Throws: ``ParseError``: 107 for members of a wrong form, as ``FieldDefinition`` does.
    init(_ body: JSONObject, of className: String) throws(ParseError) {
        self.className = className
        var added: [FieldDefinition] = []
        var removed: [String] = []
        for member in try Self.members(body, SchemaAnswer.fields) {
            if member.value["__op"] == "Delete" {
                removed.append(member.key)
            } else if try !Self.isApart(member, of: className) {
                added.append(try FieldDefinition(member.key, member.value))
            }
        }
        self.added = added
        self.removed = removed
        indexes = try Self.members(body, SchemaAnswer.indexes)
        switch body[ClassPermissions.settingsName] {
        case nil, .null?: permissions = nil
        case .object(let members)?: permissions = members
        case _?:
            throw ParseError(
                .invalidJSON, "\(ClassPermissions.settingsName) must be an object")
        }
    }

    private static func members(
        _ body: JSONObject, _ name: String
    ) throws(ParseError) -> JSONObject {
        guard let value = body[name], !value.isNull else { return [:] }
        guard let members = value.objectValue, members.count <= greatestCount else {
            throw ParseError(
                .invalidJSON, "\(name) must be an object of at most \(greatestCount) members")
        }
        return members
    }

    /// Whether a field that is sent, as it was shown, is none that is kept with the others.
    ///
    /// - Throws: ``ParseError`` 136 for another type of what the class has by itself.
    private static func isApart(
        _ member: JSONObject.Member, of className: String
    ) throws(ParseError) -> Bool {
        guard let field = SystemFields.of(className).first(where: { $0.name == member.key }) else {
            return false
        }
        guard member.value["type"]?.stringValue == field.type,
            member.value["targetClass"]?.stringValue == field.target
        else { throw ParseError(.unchangeable, "field \(field.name) cannot be changed") }
        return field.isApart
    }

    /// Does what one transaction can: all but taking away the values of fields.
    ///
    /// - Throws: ``ParseError``: 105 and 136 for names that no field can have, 111 for a second
    ///   GeoPoint, 255 for a field that is there or is not, 102 for an index, 107 for permissions.
    ///   ``SchemaError``, ``StoreError``.
    func apply(in transaction: inout WriteTransaction) throws {
        var settings = transaction.classSettings(className) ?? [:]
        var rules = settings[SchemaAnswer.fields]?.objectValue ?? [:]
        for name in removed {
            try checkRemoval(of: name, transaction.catalog[className])
            rules.removeValue(forKey: name)
        }
        for field in added {
            try add(field, in: &transaction)
            rules.removeValue(forKey: field.name)
            if let rule = field.rule { rules[field.name] = rule }
        }
        settings[SchemaAnswer.fields] = rules.isEmpty ? nil : .object(rules)
        if let permissions { settings[ClassPermissions.settingsName] = .object(permissions) }
        let fields = remainingFields(transaction.catalog[className])
        try judge(settings, fields: fields)
        let kept = try changedIndexes(settings[SchemaAnswer.indexes]?.objectValue ?? [:], fields)
        settings[SchemaAnswer.indexes] = kept.isEmpty ? nil : .object(kept)
        guard settings != transaction.classSettings(className) ?? [:] else { return }
        try transaction.setClassSettings(className, settings.isEmpty ? nil : settings)
    }

    private func remainingFields(_ schema: ClassSchema?) -> [String: FieldType] {
        var fields = schema?.fields ?? [:]
        for name in removed + Array(schema?.removedFields ?? []) { fields[name] = nil }
        return fields
    }

    /// Permissions must not rely on a field that goes.
    private func judge(
        _ settings: JSONObject, fields: [String: FieldType]
    ) throws(ParseError) {
        guard let members = settings[ClassPermissions.settingsName]?.objectValue else { return }
        try ClassPermissions.check(members, fields: fields)
    }

    private func checkRemoval(of name: String, _ schema: ClassSchema?) throws(ParseError) {
        guard !SystemFields.of(className).contains(where: { $0.name == name }) else {
            throw ParseError(.unchangeable, "field \(name) cannot be changed")
        }
        guard schema?.fields[name] != nil else {
            throw ParseError(
                .schemaRefused, "Field \(name.prefix(200)) does not exist, cannot delete.")
        }
    }

    private func add(_ field: FieldDefinition, in transaction: inout WriteTransaction) throws {
        let schema = transaction.catalog[className]
        if let known = schema?.fields[field.name], known != field.type {
            throw ParseError(
                .schemaRefused, "Field \(field.name) exists, cannot update.")
        }
        do {
            try transaction.addField(field.name, field.type, to: className)
        } catch SchemaError.reservedFieldName {
            throw ParseError(.unchangeable, "field \(field.name) cannot be added")
        }
    }

    /// The indexes after the change.
    private func changedIndexes(
        _ former: JSONObject, _ fields: [String: FieldType]
    ) throws(ParseError) -> JSONObject {
        var changed = former
        for member in indexes {
            let name = String(member.key.prefix(100))
            if member.value["__op"] == "Delete" {
                guard changed.removeValue(forKey: member.key) != nil else {
                    throw ParseError(
                        .invalidQuery, "Index \(name) does not exist, cannot delete.")
                }
                continue
            }
            guard let keys = member.value.objectValue, !keys.isEmpty, keys.count <= 32 else {
                throw ParseError(
                    .invalidQuery, "Index \(name) must be an object of 1 to 32 fields")
            }
            if let known = changed[member.key], known != member.value {
                throw ParseError(.invalidQuery, "Index \(name) exists, cannot update.")
            }
            for key in keys.keys where !isIndexable(key, fields) {
                throw ParseError(
                    .invalidQuery, "Field \(key.prefix(100)) does not exist, cannot add index.")
            }
            changed[member.key] = member.value
        }
        guard changed.count <= Self.greatestCount else {
            throw ParseError(
                .requestLimitExceeded, "a class has at most \(Self.greatestCount) indexes")
        }
        return changed
    }

    private func isIndexable(_ key: String, _ fields: [String: FieldType]) -> Bool {
        // Stored names of pointers and times are what dashboards know.
        let name = key.hasPrefix("_p_") ? String(key.dropFirst(3)) : key
        return fields[name] != nil || ["_id", "_created_at", "_updated_at"].contains(name)
            || SystemFields.of(className).contains { $0.name == name }
    }
}
