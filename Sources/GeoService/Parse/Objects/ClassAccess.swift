import GeoStore

/// Which classes callers may use at all.
enum ClassAccess {
    /// Classes of the service's own that clients use.
    private static let clientClasses: Set<String> = [
        AccountNames.user, AccountNames.session, AccountNames.role, AccountNames.installation,
    ]

    /// Refuses what the caller may do with no object of a class.
    ///
    /// - Throws: As ``check(_:_:)`` and ``ObjectView/check(_:on:)``.
    static func check(
        _ className: String, for operation: ClassPermissions.Operation, _ caller: ParseCaller
    ) throws(ParseError) {
        try check(className, caller.identity)
        if operation == .delete { try checkInstallations(className, "delete", caller.identity) }
        try caller.view.check(operation, on: className)
    }

    /// Refuses lists, and counts, of what is no class for this caller, or none that is listed.
    ///
    /// - Throws: As ``check(_:_:)``; ``ParseError`` 119 for installations.
    static func checkListing(_ className: String, _ caller: ParseCaller) throws(ParseError) {
        try check(className, caller.identity)
        try checkInstallations(className, "find", caller.identity)
    }

    /// Clients make and change installations, and look at one whose id they know.
    private static func checkInstallations(
        _ className: String, _ operation: String, _ identity: ParseIdentity
    ) throws(ParseError) {
        guard className == AccountNames.installation, !identity.isMaster else { return }
        throw ParseError(
            .operationForbidden,
            "Clients aren't allowed to perform the \(operation) operation on the installation "
                + "collection.")
    }

    /// Refuses what is no class for this caller.
    ///
    /// - Throws: ``ParseError`` 119 for a class that is not the caller's, 107 for what is no name of
    ///   a class.
    static func check(_ className: String, _ identity: ParseIdentity) throws(ParseError) {
        if className.hasPrefix("_") {
            let isOpen = identity.isMaster || Self.clientClasses.contains(className)
            guard isOpen, !Naming.internalClasses.contains(className) else {
                throw ParseError(
                    .operationForbidden, "Clients aren't allowed to use the class \(className).")
            }
        }
        guard Naming.isClassName(className) else {
            throw ParseError(
                .invalidJSON,
                "Invalid class name: \(className), class names must begin with a letter and have "
                    + "letters, digits and underscores only")
        }
    }

    /// Whether the caller may read objects of a class, so that pointers to them may be followed.
    static func allows(_ className: String, _ caller: ParseCaller) -> Bool {
        do {
            try check(className, for: .get, caller)
            return true
        } catch {
            return false
        }
    }

    /// Refuses a write that would bring a class into being, when the caller may not do that.
    ///
    /// - Throws: ``ParseError`` 119.
    static func checkCreation(
        of className: String, _ caller: ParseCaller, in transaction: borrowing WriteTransaction
    ) throws(ParseError) {
        guard !caller.mayCreateClasses, transaction.catalog[className] == nil,
            !clientClasses.contains(className)
        else { return }
        throw ParseError(
            .operationForbidden,
            "This user is not allowed to access non-existent class: \(className)")
    }
}
