import GeoStore
import JSONText

/// `/v1/collections/{class}/rules`: what the service itself sees to when objects are written.
struct RuleRoutes: Sendable {
    let administration: Administration
    let catalog: LayerCatalog
    let access: MasterAccess

    /// The longest rules, in bytes.
    private static let greatestBodyBytes = 64 << 10
    private static let path = "/v1/collections/{layer}/rules"

    func register(in router: inout Router) {
        router.add(.get, Self.path) { request in
            let name = try className(of: request)
            guard let rules = administration.store.catalog[name]?.rules else {
                throw Self.noRules(name)
            }
            return .reply(Self.response(rules))
        }
        router.add(.put, Self.path) { request in
            let name = try className(of: request)
            return .collect(limitBytes: Self.greatestBodyBytes) { _, body in
                let rules = try CollectionRoutes.settings(body)
                return later {
                    try administration.setRules(of: name, to: rules)
                    return Self.response(rules)
                }
            }
        }
        router.add(.delete, Self.path) { request in
            let name = try className(of: request)
            return later {
                guard administration.store.catalog[name]?.rules != nil else {
                    throw Self.noRules(name)
                }
                try administration.setRules(of: name, to: nil)
                return Response(.noContent)
            }
        }
    }

    /// The class that a request of the operator's names.
    ///
    /// - Throws: ``Problem``: 401 and 403 for others, 400 for parameters, 404 for what can have no
    ///   rules.
    private func className(of request: Request) throws -> String {
        try access.require(request)
        _ = try MapQuery(
            request, .anonymous, own: [], isFiltered: false, isMap: false, now: catalog.now())
        let name = request.pathValue("layer") ?? ""
        guard Naming.isIdentifier(name) || name == AccountNames.user else {
            throw Problem(
                .notFound,
                "\(name.prefix(200)) can have no rules: classes of your own and "
                    + "\(AccountNames.user) can")
        }
        return name
    }

    /// Answers on a thread that may wait for the store.
    private func later(_ make: @escaping @Sendable () throws -> Response) -> Action {
        .later { responder in
            let isTaken = administration.pool.submit { responder.respond { try make() } }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    private static func noRules(_ className: String) -> Problem {
        Problem(.notFound, "\(className) has no rules; PUT some here")
    }

    private static func response(_ rules: JSONObject) -> Response {
        var response = Response(.ok, .json, JSONWriter.encode(.object(rules)))
        response.cacheControl = "no-store"
        return response
    }
}
