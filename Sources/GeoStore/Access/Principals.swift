import JSONText

/// On whose behalf something is done, by the names that access lists have for it.
///
/// Names are compared by their bytes, as the store does.
///
///     let caller = Principals(user: "u1", roles: ["editors"])
///     caller.names  // ["role:editors", "u1"]
package struct Principals: Sendable {
    /// What stands before a role's name in an access list.
    package static let rolePrefix = "role:"

    /// Nobody in particular: may what everybody may.
    package static let anonymous = Principals(userId: nil, roles: [], isMaster: false)
    /// The operator: access lists do not apply.
    package static let master = Principals(userId: nil, roles: [], isMaster: true)

    /// The user's objectId.
    package let userId: String?
    /// The names of the user's roles, inherited ones included, in the order of their bytes.
    package let roles: [String]
    /// Whether access lists do not apply.
    package let isMaster: Bool
    /// The user's id and `role:` with each role's name, in the order of their bytes; what stands
    /// for everybody is not among them.
    package let names: [String]

    /// A user.
    ///
    /// - Parameters:
    ///   - user: The user's objectId.
    ///   - roles: The names of all roles that the user has, without `role:`, inherited ones
    ///     included, in any order.
    /// - Precondition: `user` is an objectId, which no role's name in a list can be taken for.
    package init(user: String, roles: some Collection<String>) {
        precondition(ObjectID.isValid(user), "a user's id of \(user.utf8.count) bytes")
        self.init(userId: user, roles: roles.sortedByBytes(), isMaster: false)
    }

    private init(userId: String?, roles: [String], isMaster: Bool) {
        self.userId = userId
        self.roles = roles
        self.isMaster = isMaster
        let known = roles.map { Principals.rolePrefix + $0 } + (userId.map { [$0] } ?? [])
        names = known.sortedByBytes()
    }

    /// Whether an object of this access list is there for the caller. Without a list all may.
    ///
    /// - Complexity: O(entries · log(roles)).
    package func mayRead(_ acl: AccessList?) -> Bool { may(.read, acl) }

    /// Whether the caller may change or delete an object of this access list. The right to read
    /// is another one.
    ///
    /// - Complexity: O(entries · log(roles)).
    package func mayWrite(_ acl: AccessList?) -> Bool { may(.write, acl) }

    /// Whether an object with these readers is there for the caller.
    ///
    /// - Complexity: O(readers · log(roles)).
    package func mayRead(_ readers: ReaderSet) -> Bool {
        if isMaster || readers.isEverybody { return true }
        return !names.isEmpty && readers.principals.contains { names.containsSorted($0) }
    }

    private func may(_ right: AccessList.Rights, _ acl: AccessList?) -> Bool {
        guard !isMaster, let acl else { return true }
        return acl.entries.contains { entry in
            entry.rights.contains(right)
                && (entry.principal.hasSameBytes(as: AccessList.everybody)
                    || names.containsSorted(entry.principal))
        }
    }
}

extension Principals: Hashable {
    package static func == (a: Principals, b: Principals) -> Bool {
        // An id has no colon, so that the names tell the user from the roles.
        a.isMaster == b.isMaster && a.names.hasSameBytes(as: b.names)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(isMaster)
        hasher.combine(names)
    }
}
