import GeoStore
import JSONText

/// Which roles a user has. Roles may be members of roles: who is in a role that stands in another
/// role's `roles`, has that one, too.
enum RoleGraph {
    /// How many roles a user may have; further ones are not found.
    static let greatestCount = 10_000
    private static let pageLength = 1000

    /// The names of all roles of a user, in no order.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(roles · log n); circles end, since each role is visited once.
    static func roles(of userId: String, in reader: borrowing Reader) throws -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        var waiting = try owners(of: userId, AccountNames.roleUsers, in: reader)
        while let id = waiting.popLast(), known.count < greatestCount {
            guard known.insert(id).inserted else { continue }
            // Members of a role that has gone may still be written down.
            guard let role = try reader.object(AccountNames.role, id),
                let name = role.fields["name"]?.stringValue
            else { continue }
            names.append(name)
            waiting += try owners(of: id, AccountNames.roleRoles, in: reader)
        }
        if known.count >= greatestCount {
            Log.warning("a user has \(greatestCount) roles: further ones do not count")
        }
        return names
    }

    /// The roles that have a member in one of their relations.
    private static func owners(
        of member: String, _ field: String, in reader: borrowing Reader
    ) throws -> [String] {
        var found: [String] = []
        while found.count < greatestCount {
            let page = try reader.owners(
                of: member, field, of: AccountNames.role, after: found.last ?? "",
                limit: pageLength)
            found += page
            if page.count < pageLength { break }
        }
        return found
    }
}
