import JSONText

extension ClassRules {
    /// The access list that the rules give an object; nil when they leave that to who writes it. A
    /// wish that has no audience is its owner's alone: others could bend it to make a match.
    ///
    /// - Throws: As ``AudienceRule/access(to:owner:)``.
    func access(to document: Document) throws(RuleError) -> AccessList? {
        guard let owner else { return nil }
        if let audience { return try audience.access(to: document, owner: owner) }
        guard mutual != nil else { return nil }
        var list = AccessList()
        if let ownerId = document.fields[owner]?.userID { list[ownerId] = [.read, .write] }
        return list
    }
}

extension AudienceRule {
    /// Stands for the owner's id in the name of a role.
    static let ownerPlaceholder = "{owner}"

    /// The access list of an object.
    ///
    /// - Parameter owner: The field that names whose object it is.
    /// - Throws: ``RuleError/unknownAudience(className:field:allowed:)``,
    ///   ``RuleError/audienceTooLarge(className:field:limit:)``.
    /// - Complexity: O(entries²).
    func access(to document: Document, owner: String) throws(RuleError) -> AccessList {
        let value = document.fields[field]
        let name = value.flatMap { $0.isNull ? nil : $0 } ?? .string(standard)
        guard let admission = name.stringValue.flatMap({ values[$0] }) else {
            throw .unknownAudience(
                className: document.className, field: field, allowed: values.keys.sorted())
        }
        var list = AccessList()
        if admission.isPublic { list[AccessList.everybody] = .read }
        let ownerId = document.fields[owner]?.userID
        for role in admission.roles {
            guard role.contains(Self.ownerPlaceholder) else {
                list["role:\(role)"] = .read
                continue
            }
            guard let ownerId else { continue }
            list["role:\(Self.name(role, of: ownerId))"] = .read
        }
        let users = admission.users.flatMap { document.fields[$0] }
        let guests = users?.arrayValue ?? users.map { [$0] } ?? []
        guard guests.count < AccessList.maximumEntries - admission.roles.count - 2 else {
            throw .audienceTooLarge(
                className: document.className, field: admission.users ?? field,
                limit: AccessList.maximumEntries)
        }
        for guest in guests {
            if let id = guest.userID { list[id] = .read }
        }
        if let ownerId { list[ownerId] = [.read, .write] }
        return list
    }

    private static func name(_ template: String, of owner: String) -> String {
        guard let place = template.firstRange(of: ownerPlaceholder) else { return template }
        return template[..<place.lowerBound] + owner + template[place.upperBound...]
    }
}
