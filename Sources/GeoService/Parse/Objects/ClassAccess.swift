import GeoStore

/// Which classes callers may use at all.
enum ClassAccess {
    /// Classes of the service's own that clients use.
    private static let clientClasses: Set<String> = [
        AccountNames.user, AccountNames.session, AccountNames.role,
    ]

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

    /// Whether the caller may use a class, so that pointers to its objects may be followed.
    static func allows(_ className: String, _ identity: ParseIdentity) -> Bool {
        do {
            try check(className, identity)
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
