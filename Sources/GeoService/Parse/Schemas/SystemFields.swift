import GeoStore

/// The fields that classes have without having been given them.
enum SystemFields {
    /// A field of a class of the service's own, or of all classes.
    struct Field: Hashable, Sendable {
        let name: String
        /// As on the wire; not every one is a ``FieldType``.
        let type: String
        /// The class that pointers or relations lead to.
        var target: String?
        /// Whether objects have it elsewhere than among their fields.
        var isApart = false
    }

    /// What every object has.
    static let ofAll = [
        Field(name: "objectId", type: "String", isApart: true),
        Field(name: "createdAt", type: "Date", isApart: true),
        Field(name: "updatedAt", type: "Date", isApart: true),
        Field(name: "ACL", type: "ACL", isApart: true),
    ]

    /// What is shown of the service's own classes besides. What is kept in no object, such as a
    /// password, is among them, since clients look for it.
    private static let ofClasses: [String: [Field]] = [
        AccountNames.user: [
            Field(name: "username", type: "String"),
            Field(name: "password", type: "String", isApart: true),
            Field(name: "email", type: "String"), Field(name: "emailVerified", type: "Boolean"),
            Field(name: "authData", type: "Object", isApart: true),
        ],
        AccountNames.session: [
            Field(name: "user", type: "Pointer", target: AccountNames.user),
            Field(name: "installationId", type: "String"),
            Field(name: "sessionToken", type: "String", isApart: true),
            Field(name: "expiresAt", type: "Date"),
            Field(name: "createdWith", type: "Object"), Field(name: "restricted", type: "Boolean"),
        ],
        AccountNames.role: [
            Field(name: "name", type: "String"),
            Field(name: "users", type: "Relation", target: AccountNames.user),
            Field(name: "roles", type: "Relation", target: AccountNames.role),
        ],
        AccountNames.installation: [
            Field(name: "installationId", type: "String"),
            Field(name: "deviceToken", type: "String"), Field(name: "deviceType", type: "String"),
            Field(name: "channels", type: "Array"), Field(name: "pushType", type: "String"),
            Field(name: "GCMSenderId", type: "String"), Field(name: "timeZone", type: "String"),
            Field(name: "localeIdentifier", type: "String"),
            Field(name: "appVersion", type: "String"), Field(name: "appName", type: "String"),
            Field(name: "appIdentifier", type: "String"),
            Field(name: "parseVersion", type: "String"), Field(name: "badge", type: "Number"),
        ],
    ]

    /// What a class has by itself, the fields of all classes first.
    static func of(_ className: String) -> [Field] { ofAll + (ofClasses[className] ?? []) }

    /// Gives the classes of administration the fields that they rely on. Blocks; writes nothing
    /// when all is there.
    ///
    /// - Throws: ``StoreError``; ``SchemaError`` when a field has another type.
    static func declare(in store: SQLiteStore) throws {
        let className = AccountNames.installation
        let known = store.catalog[className]?.fields ?? [:]
        let missing = (ofClasses[className] ?? []).compactMap { field in
            FieldType(field.type).map { (field.name, $0) }
        }.filter { known[$0.0] == nil }
        guard !missing.isEmpty else { return }
        try store.write { transaction in
            for (name, type) in missing {
                _ = try transaction.addField(name, type, to: className)
            }
        }
    }
}
