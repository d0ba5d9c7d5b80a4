import GeoStore
import JSONText

extension ParseCaller {
    /// What queries of the store are told about the caller.
    ///
    /// - Parameters:
    ///   - operation: What the objects of the class are read for: to be found, or only counted.
    ///   - className: That class; objects of others that a condition asks about are found.
    func queryAccess(
        for operation: ClassPermissions.Operation = .find, of className: String? = nil
    ) -> QueryAccess {
        let asked = className.map { view.classView(of: $0, for: operation) }
        return QueryAccess(
            scope: { view.scope(of: $0, for: $0 == className ? operation : .find) },
            shown: {
                if let asked, $0.className == className { return asked.shown($0) }
                return view.shown($0, for: .find)
            },
            schema: { catalog[$0] },
            places: { className in
                catalog[className]?.geoPointField.flatMap { view.places(of: className, $0) }
            },
            owned: { view.owned(of: $0) }, leastAccuracy: { view.leastAccuracy(of: $0) },
            stored: { view.stored($0, for: $0 == className ? operation : .find) },
            seesEverything: identity.isMaster)
    }

    /// Compiles a condition.
    ///
    /// - Throws: ``WhereError``; ``ParseError`` 119 for a class that is not the caller's.
    func condition(_ json: JSONValue?, of className: String) throws -> Where? {
        guard let json else { return nil }
        let (catalog, view) = (catalog, view)
        let condition = try Where(
            json, of: className,
            options: Where.Options(
                takesNear: true,
                find: Where.Find(
                    now: view.now,
                    relations: { ParseCaller.relations(of: $0, in: catalog) },
                    isHidden: { view.unaskedFields(of: $0).contains($1) })))
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
            try ClassAccess.checkListing(className, self)
            try view.check(.find, on: className)
            if let key, view.unaskedFields(of: className).contains(key.field) {
                throw ParseError(
                    .operationForbidden,
                    "This user is not allowed to query \(key.field) on class \(className)")
            }
            try checkClasses(inner)
        }
    }
}
