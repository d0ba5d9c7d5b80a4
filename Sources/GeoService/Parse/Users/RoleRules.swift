import GeoStore
import JSONText

/// What makes a role of an object: a name that no other has, and an access list.
struct RoleRules: WriteRules {
    /// The longest name, in bytes.
    private static let greatestNameBytes = 128

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
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x20, 0x2d, 0x5f: true
            default: false
            }
        }
        guard isPlain, name.utf8.count <= Self.greatestNameBytes else {
            throw ParseError(
                .invalidRoleName,
                "a role's name must have 1 to \(Self.greatestNameBytes) letters, digits, "
                    + "underscores, hyphens and spaces")
        }
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
}
