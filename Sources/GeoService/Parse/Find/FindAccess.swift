import GeoStore
import JSONText

/// Which fields of a class are hidden from a caller: no answer has them, and no query may ask about
/// them.
enum HiddenFields {
    /// Their names. The one place that decides it.
    static func names(of className: String, from identity: ParseIdentity) -> Set<String> {
        guard !identity.isMaster else { return [] }
        return className == AccountNames.user ? ["email"] : []
    }
}

extension ParseCaller {
    /// What queries of the store are told about the caller.
    var queryAccess: QueryAccess {
        QueryAccess(
            scope: { view.scope(of: $0) }, shown: { view.shown($0) }, schema: { catalog[$0] },
            places: { className in
                catalog[className]?.geoPointField.flatMap { view.places(of: className, $0) }
            },
            owned: { view.owned(of: $0) }, seesEverything: identity.isMaster)
    }

    /// Compiles a condition.
    ///
    /// - Throws: ``WhereError``; ``ParseError`` 119 for a class that is not the caller's.
    func condition(_ json: JSONValue?, of className: String) throws -> Where? {
        guard let json else { return nil }
        let (catalog, identity) = (catalog, identity)
        let condition = try Where(
            json, of: className,
            options: Where.Options(
                takesNear: true,
                find: Where.Find(
                    now: view.now,
                    relations: { ParseCaller.relations(of: $0, in: catalog) },
                    isHidden: { HiddenFields.names(of: $0, from: identity).contains($1) })))
        try checkClasses(condition)
        return condition
    }

    private static func relations(
        of className: String, in catalog: SchemaCatalog
    ) -> [String: String] {
        (catalog[className]?.fields ?? [:]).compactMapValues { type in
            if case .relation(let target) = type { target } else { nil }
        }
    }

    /// Refuses a query inside another that the caller could not ask by itself.
    private func checkClasses(_ condition: Where) throws {
        for subquery in condition.subqueries {
            guard let (className, inner, key) = subquery.reads else { continue }
            try ClassAccess.check(className, identity)
            if let key, HiddenFields.names(of: className, from: identity).contains(key.field) {
                throw ParseError(
                    .operationForbidden,
                    "This user is not allowed to query \(key.field) on class \(className)")
            }
            try checkClasses(inner)
        }
    }
}
