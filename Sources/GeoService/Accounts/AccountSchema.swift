import GeoStore

/// The fields that accounts rely on. They are there from the first start on, or the first client
/// to write one could decide that members of roles are texts.
enum AccountSchema {
    private static let fields: [(className: String, field: String, type: FieldType)] = [
        (AccountNames.user, "username", .string), (AccountNames.user, "email", .string),
        (AccountNames.user, "emailVerified", .boolean),
        (AccountNames.role, "name", .string),
        (AccountNames.role, AccountNames.roleUsers, .relation(AccountNames.user)),
        (AccountNames.role, AccountNames.roleRoles, .relation(AccountNames.role)),
        (AccountNames.session, "user", .pointer(AccountNames.user)),
        (AccountNames.session, "createdWith", .object),
        (AccountNames.session, "restricted", .boolean),
        (AccountNames.session, "expiresAt", .date),
        (AccountNames.session, "installationId", .string),
    ]

    /// Adds what is missing. Blocks; writes nothing when all is there.
    ///
    /// - Throws: ``StoreError``; ``SchemaError`` when a field has another type.
    static func declare(in store: SQLiteStore) throws {
        let catalog = store.catalog
        let missing = fields.filter { catalog[$0.className]?.fields[$0.field] != $0.type }
        guard !missing.isEmpty else { return }
        try store.write { transaction in
            for (className, field, type) in missing {
                _ = try transaction.addField(field, type, to: className)
            }
        }
    }
}
