/// The rules for names of classes and fields.
package enum Naming {
    /// The longest name, in characters.
    package static let maximumLength = 128

    /// The classes of the service's own, which begin with an underscore.
    package static let systemClasses: Set<String> = [
        "_User", "_Role", "_Session", "_Installation", "_Product", "_Audience", "_PushStatus",
        "_JobStatus", "_JobSchedule", "_Hooks", "_GlobalConfig", "_Idempotency", "_Layer",
        "_Import",
    ]

    /// Classes that the service keeps for itself and no client sees.
    package static let internalClasses: Set<String> = ["_Layer", "_Import", "_File"]

    /// Names that every object has besides its fields, and those that clients confuse with them.
    package static let reservedFields: Set<String> = [
        "objectId", "createdAt", "updatedAt", "ACL", "className", "id", "length",
    ]

    /// True for `^[A-Za-z][A-Za-z0-9_]*$` and for the classes of the service's own.
    package static func isClassName(_ text: String) -> Bool {
        isIdentifier(text) || systemClasses.contains(text) || internalClasses.contains(text)
    }

    /// The longest name of a role, in bytes.
    package static let maximumRoleNameBytes = 128

    /// True for letters, digits, underscores, hyphens and spaces: the name of a role.
    package static func isRoleName(_ text: some StringProtocol) -> Bool {
        (1...maximumRoleNameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                ASCII.isLetterOrDigit($0)
                    || [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: " ")].contains($0)
            }
    }

    /// True for `^[A-Za-z][A-Za-z0-9_]*$` of at most 128 characters.
    package static func isIdentifier(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard let first = utf8.first, ASCII.isLetter(first), utf8.count <= maximumLength else {
            return false
        }
        return utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    }
}
