import GeoStore
import JSONText

/// What makes a role of an object: a name that no other has, and an access list.
struct RoleRules: WriteRules {
    let caller: ParseCaller

    func complete(
        _ document: inout Document, replacing former: Document?,
        in transaction: borrowing WriteTransaction
    ) throws {
        guard let name = document.fields["name"]?.stringValue, !name.isEmpty else {
            throw ParseError(.incorrectType, "name is required for a role.")
        }
        guard document.acl != nil else {
            throw ParseError(.incorrectType, "ACL is required for a role.")
        }
        guard former?.fields["name"]?.stringValue != name else { return }
        guard Naming.isRoleName(name) else {
            throw ParseError(
                .invalidRoleName,
                "a role's name must have 1 to \(Naming.maximumRoleNameBytes) letters, digits, "
                    + "underscores, hyphens and spaces")
        }
        try checkAudiences(name, in: transaction)
    }

    func stored(
        _ document: Document, replacing former: Document?,
        in transaction: inout WriteTransaction
    ) throws -> JSONObject {
        let name = document.fields["name"]?.stringValue
        let formerName = former?.fields["name"]?.stringValue
        guard name != formerName else { return [:] }
        if let formerName {
            try transaction.release(
                AccountNames.roleKey(formerName), of: AccountNames.role,
                objectId: document.objectId)
        }
        if let name {
            try transaction.claim(
                AccountNames.roleKey(name), for: document.objectId, of: AccountNames.role)
        }
        return [:]
    }

    /// Whoever makes a role that an audience lets read says who reads.
    private func checkAudiences(
        _ name: String, in transaction: borrowing WriteTransaction
    ) throws(ParseError) {
        guard !caller.identity.isMaster, let rules = transaction.catalog.rules,
            !rules.audienceRoles.mayBeMade(name, by: caller.identity.principals.userId)
        else { return }
        throw ParseError(
            .operationForbidden,
            "the role \(name) is let in by rules: the operator makes it, or the user whose id is in it"
        )
    }
}
