/// Paths about accounts that are no classes.
enum AccountPath: String, Hashable, Sendable, CaseIterable {
    case me = "users/me"
    case login, logout, verifyPassword, loginAs
    case currentSession = "sessions/me"
    case upgradeSession = "upgradeToRevocableSession"
    case requestPasswordReset, verificationEmailRequest
}

extension ParsePath {
    /// Whether a session token says nothing here: who logs in may have one that is over.
    var ignoresSession: Bool { self == .account(.login) }

    /// Other names of classes, as old as the classes.
    private static let classes = [
        "users": AccountNames.user, "sessions": AccountNames.session, "roles": AccountNames.role,
        "installations": AccountNames.installation,
    ]

    /// Reads the parts of a path about accounts; nil when it is about something else.
    init?(account parts: ArraySlice<String>) {
        if let path = AccountPath(rawValue: parts.joined(separator: "/")) {
            self = .account(path)
            return
        }
        guard let first = parts.first, let className = Self.classes[first] else { return nil }
        switch parts.count {
        case 1: self = .objects(className: className)
        case 2: self = .object(className: className, objectId: parts[parts.startIndex + 1])
        default: return nil
        }
    }
}
