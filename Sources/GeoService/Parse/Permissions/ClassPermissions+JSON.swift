import GeoStore
import JSONText

/// The form of permissions on the wire and in a class's settings: a member for each operation,
/// `readUserFields`, `writeUserFields` and `protectedFields`.
extension ClassPermissions {
    /// Under which name a class's settings have it.
    static let settingsName = "classLevelPermissions"

    private static let readUserFields = "readUserFields"
    private static let writeUserFields = "writeUserFields"
    private static let protectedFields = "protectedFields"

    /// How many names, and how many fields, one rule may have.
    static let greatestCount = 1_000

    /// Reads the settings of a class, which were judged when they were set; what is none of a
    /// rule's form grants nothing.
    init(_ settings: JSONObject?, of className: String) {
        let members = settings?[Self.settingsName]?.objectValue ?? [:]
        for operation in Operation.allCases {
            guard let grant = members[operation.rawValue] else { continue }
            grants[operation] = Grant(grant.objectValue ?? [:])
        }
        readUserFields = Self.names(members[Self.readUserFields])
        writeUserFields = Self.names(members[Self.writeUserFields])
        for member in members[Self.protectedFields]?.objectValue ?? [:] {
            protections.append(
                Protection(
                    audience: Protection.Audience(member.key),
                    fields: Set(Self.names(member.value))))
        }
        protectAddresses(in: className)
    }

    /// Nobody is shown the addresses of others, unless a rule about him opens them.
    private mutating func protectAddresses(in className: String) {
        guard className == AccountNames.user else { return }
        if let place = protections.firstIndex(where: { $0.audience == .everybody }) {
            protections[place].fields.formUnion(AccountFields.protected)
        } else {
            protections.append(
                Protection(audience: .everybody, fields: AccountFields.protected))
        }
    }

    private static func names(_ value: JSONValue?) -> [String] {
        value?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// As a class is described with it: what is not mentioned is open.
    static func json(_ settings: JSONObject?) -> JSONValue {
        let members = settings?[settingsName]?.objectValue ?? [:]
        var shown = JSONObject()
        for operation in Operation.allCases {
            shown[operation.rawValue] = members[operation.rawValue] ?? ["*": true]
        }
        for name in [readUserFields, writeUserFields] where members.contains(name) {
            shown[name] = members[name]
        }
        shown[protectedFields] = members[protectedFields] ?? ["*": []]
        return .object(shown)
    }

    // MARK: - Judging

    /// Judges permissions that a class is to have.
    ///
    /// - Parameter fields: The types of the class's fields.
    /// - Throws: ``ParseError`` 107 that names what is wrong.
    static func check(_ members: JSONObject, fields: [String: FieldType]) throws(ParseError) {
        for member in members {
            switch member.key {
            case readUserFields, writeUserFields:
                try checkPointers(member.value, of: member.key, fields: fields)
            case protectedFields: try check(protections: member.value, fields: fields)
            case let name:
                guard Operation(rawValue: name) != nil else {
                    throw refusal("\(name.prefix(100)) is not a valid operation")
                }
                try check(grant: member.value, of: name, fields: fields)
            }
        }
    }

    private static func check(
        grant: JSONValue, of operation: String, fields: [String: FieldType]
    ) throws(ParseError) {
        guard let members = grant.objectValue, members.count <= greatestCount else {
            throw refusal("\(operation) must be an object of at most \(greatestCount) members")
        }
        for member in members {
            if member.key == Grant.pointerFields {
                let place = "\(operation).\(member.key)"
                try checkPointers(member.value, of: place, fields: fields)
                continue
            }
            guard isName(member.key) || member.key == "*" || member.key == Grant.needsUser else {
                throw refusal("\(member.key.prefix(100)) is not a valid key of \(operation)")
            }
            guard member.value == true else {
                throw refusal("\(operation).\(member.key) must be true")
            }
        }
    }

    private static func check(
        protections: JSONValue, fields: [String: FieldType]
    ) throws(ParseError) {
        guard let members = protections.objectValue, members.count <= greatestCount else {
            throw refusal("protectedFields must be an object of at most \(greatestCount) members")
        }
        for member in members {
            let place = "protectedFields.\(member.key.prefix(100))"
            switch Protection.Audience(member.key) {
            case .everybody, .authenticated: break
            case .name(let name):
                guard isName(name) else { throw refusal("\(place) is about nobody") }
            case .named(let field):
                guard isPointer(fields[field]) else {
                    throw refusal("\(place): \(field.prefix(100)) is no pointer to users")
                }
            }
            for name in try list(member.value, of: place) {
                guard !SystemFields.ofAll.contains(where: { $0.name == name }) else {
                    throw refusal("\(place): default field \(name) can not be protected")
                }
                guard fields[name] != nil || AccountFields.protected.contains(name) else {
                    throw refusal("\(place): field \(name.prefix(100)) does not exist")
                }
            }
        }
    }

    private static func checkPointers(
        _ value: JSONValue, of place: String, fields: [String: FieldType]
    ) throws(ParseError) {
        for name in try list(value, of: place) where !isPointer(fields[name]) {
            throw refusal(
                "\(place): \(name.prefix(100)) must be a field of pointers to users, or a list")
        }
    }

    private static func list(_ value: JSONValue, of place: String) throws(ParseError) -> [String] {
        guard let elements = value.arrayValue, elements.count <= greatestCount,
            elements.allSatisfy({ $0.stringValue != nil })
        else {
            throw refusal("\(place) must be a list of at most \(greatestCount) names of fields")
        }
        return elements.compactMap(\.stringValue)
    }

    private static func isPointer(_ type: FieldType?) -> Bool {
        type == .pointer(AccountNames.user) || type == .array
    }

    /// Whether a text can be a user's id, or `role:` and a name.
    private static func isName(_ text: String) -> Bool {
        text.hasPrefix(Principals.rolePrefix)
            ? text.utf8.count > Principals.rolePrefix.utf8.count : ObjectID.isValid(text)
    }

    private static func refusal(_ message: String) -> ParseError {
        ParseError(.invalidJSON, "\(message) for class level permissions")
    }
}

extension ClassPermissions.Grant {
    static let needsUser = "requiresAuthentication"
    static let pointerFields = "pointerFields"

    fileprivate init(_ members: JSONObject) {
        for member in members {
            switch member.key {
            case "*": isOpen = member.value == true
            case Self.needsUser: needsUser = member.value == true
            case Self.pointerFields:
                pointerFields = member.value.arrayValue?.compactMap(\.stringValue) ?? []
            case let name: if member.value == true { names.insert(name) }
            }
        }
    }
}

extension ClassPermissions.Protection.Audience {
    private static let fieldPrefix = "userField:"

    fileprivate init(_ name: String) {
        switch name {
        case "*": self = .everybody
        case "authenticated": self = .authenticated
        case let name where name.hasPrefix(Self.fieldPrefix):
            self = .named(field: String(name.dropFirst(Self.fieldPrefix.count)))
        case let name: self = .name(name)
        }
    }
}
