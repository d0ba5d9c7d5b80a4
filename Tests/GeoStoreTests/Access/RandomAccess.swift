import GeoStore
import TestSupport

/// Random access lists and callers over the same few names.
enum RandomAccess {
    static let users = ["u1", "u2", "u3", "Z"]
    static let roles = (0..<12).map { "r\($0)" } + ["caf\u{e9}", "cafe\u{301}", "A b"]
    static var principals: [String] { users + roles.map { "role:" + $0 } + ["*"] }

    static func list(using random: inout SeededGenerator) -> AccessList? {
        if Int.random(in: 0..<6, using: &random) == 0 { return nil }
        var list = AccessList()
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            guard let principal = principals.randomElement(using: &random) else { continue }
            // Everybody is drawn too seldom to hide the others.
            if principal == "*", Bool.random(using: &random) { continue }
            list[principal] = AccessList.Rights(rawValue: .random(in: 1...3, using: &random))
        }
        return list
    }

    static func caller(using random: inout SeededGenerator) -> Principals {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .anonymous
        case 1: return .master
        default:
            let count = [0, 1, 2, 7, 8, 15].randomElement(using: &random) ?? 0
            return Principals(
                user: users.randomElement(using: &random) ?? "u1",
                roles: Array(roles.shuffled(using: &random).prefix(count)))
        }
    }

    /// What Parse's rules say, in a few obvious lines.
    static func may(
        _ right: AccessList.Rights, _ caller: Principals, _ list: AccessList?
    ) -> Bool {
        guard let list, !caller.isMaster else { return true }
        for entry in list.entries where entry.rights.contains(right) {
            let bytes = Array(entry.principal.utf8)
            if entry.principal == "*" { return true }
            if let user = caller.userId, bytes == Array(user.utf8) { return true }
            if caller.roles.contains(where: { bytes == Array(("role:" + $0).utf8) }) {
                return true
            }
        }
        return false
    }
}
