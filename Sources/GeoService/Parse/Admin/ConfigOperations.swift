import GeoStore
import JSONText

/// The parameters that an app is configured with: one object, of two fields.
private enum ConfigObject {
    static let className = "_GlobalConfig"
    static let objectId = "1"
    /// The values, by name.
    static let params = "params"
    /// Which of them only the master key is shown: names with true or false.
    static let masterKeyOnly = "masterKeyOnly"
    /// How many parameters there may be.
    static let greatestCount = 1_000

    static func members(_ document: Document?, _ field: String) -> JSONObject {
        document?.fields[field]?.objectValue ?? [:]
    }
}

/// `GET /config`.
struct FetchConfig: ReadOperation {
    let caller: ParseCaller

    let isQuick = true

    func isQuick(in reader: borrowing Reader) throws -> Bool {
        try reader.byteCount(ConfigObject.className, ConfigObject.objectId) ?? 0
            <= FetchObject.quickBytes
    }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        let document = try reader.object(ConfigObject.className, ConfigObject.objectId)
        var params = ConfigObject.members(document, ConfigObject.params)
        let hidden = ConfigObject.members(document, ConfigObject.masterKeyOnly)
        let isMaster = caller.identity.isMaster
        if !isMaster {
            params.removeValues(forKeys: hidden.lazy.filter { $0.value == true }.map(\.key))
        }
        var json = JSONWriter()
        json.beginObject()
        json.key(ConfigObject.params)
        ObjectWriter(links: caller.links).write(.object(params), to: &json)
        if isMaster {
            json.key(ConfigObject.masterKeyOnly)
            json.value(.object(hidden))
        }
        json.endObject()
        try budget.take(json.bytes.count)
        return ParseAnswer(json.bytes)
    }
}

/// `PUT /config`: sets some parameters and leaves the others; `{"__op": "Delete"}` takes one away.
struct ChangeConfig: WriteOperation {
    private let changes: [(name: String, change: FieldChange)]
    private let masterKeyOnly: JSONObject

    /// - Throws: ``ParseError``: 107 for members of a wrong form, 105 for what is no name, as
    ///   ``FieldChange`` does.
    init(_ body: JSONObject) throws(ParseError) {
        func members(_ name: String) throws(ParseError) -> JSONObject {
            guard let value = body[name], !value.isNull else { return [:] }
            guard let members = value.objectValue, members.count <= ConfigObject.greatestCount
            else {
                throw ParseError(
                    .invalidJSON,
                    "\(name) must be an object of at most \(ConfigObject.greatestCount) members")
            }
            return members
        }
        masterKeyOnly = try members(ConfigObject.masterKeyOnly)
        for member in masterKeyOnly {
            guard member.value == true || member.value == false else {
                throw ParseError(
                    .invalidJSON, "masterKeyOnly.\(member.key.prefix(100)) must be true or false")
            }
        }
        changes = try members(ConfigObject.params).map { member throws(ParseError) in
            guard Naming.isIdentifier(member.key) else {
                throw ParseError(
                    .invalidFieldName, "Invalid name of a parameter: \(member.key.prefix(200))")
            }
            let change = try FieldChange(member.value, of: member.key)
            if case .relation = change {
                throw ParseError(.incorrectType, "\(member.key) cannot be a relation")
            }
            return (member.key, change)
        }
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        let former = try transaction.object(ConfigObject.className, ConfigObject.objectId)
        var params = ConfigObject.members(former, ConfigObject.params)
        var hidden = ConfigObject.members(former, ConfigObject.masterKeyOnly)
        for (name, change) in changes {
            params[name] = try change.applied(
                to: params[name], isNew: !params.contains(name), at: "params.\(name)")
            if masterKeyOnly.contains(name) || !params.contains(name) { hidden[name] = nil }
        }
        for member in masterKeyOnly where params.contains(member.key) {
            hidden[member.key] = member.value
        }
        guard params.count <= ConfigObject.greatestCount else {
            throw ParseError(
                .requestLimitExceeded,
                "there are at most \(ConfigObject.greatestCount) parameters")
        }
        let now = Timestamp.now()
        let document = Document(
            className: ConfigObject.className, objectId: ConfigObject.objectId,
            createdAt: former?.createdAt ?? now, updatedAt: now, acl: AccessList(),
            fields: [
                ConfigObject.params: .object(params),
                ConfigObject.masterKeyOnly: .object(hidden),
            ])
        if let former {
            try transaction.replace(former, with: document)
        } else {
            try transaction.insert(document)
        }
        return ParseAnswer(["result": true])
    }
}
