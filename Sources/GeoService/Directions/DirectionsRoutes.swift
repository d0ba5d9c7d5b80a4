import GeoIndex
import JSONText

/// OSRM's HTTP API: `route`, `table`, `trip` and `nearest`, answered with hints, or by a router
/// where the operator has named one.
///
/// Nothing here tells of any object, so that no keys and no viewer are asked for.
struct DirectionsRoutes: Sendable {
    /// Where hints are made: a hundred stops, or lines round the globe, take some milliseconds.
    let pool: WorkPool
    /// The router, and threads that may wait for it.
    let router: (server: RoutingServer, pool: WorkPool)?

    /// - Parameter router: The operator's address of a router.
    init(pool: WorkPool, router address: String?) {
        self.pool = pool
        router = address.map {
            (RoutingServer(address: $0), WorkPool(threads: 8, queueLimit: 256))
        }
    }

    func register(in routes: inout Router) {
        for service in DirectionsService.allCases {
            let template = "/\(service.rawValue)/v1/{profile}/{coordinates}"
            routes.add(.get, template) { request in
                let call = try DirectionsCall(service, request)
                guard let router else {
                    return pool.run {
                        .tagged(.json, try HintAnswers(call: call, reason: .noRouter).json())
                    }
                }
                return router.pool.run {
                    try DirectionsRoutes.answer(router.server.outcome(of: call), to: call)
                }
            }
        }
    }

    /// The answer to a call that was handed to a router. Roads and their state change without a
    /// trace here, so that nobody keeps it.
    private static func answer(
        _ outcome: RoutingServer.Outcome, to call: DirectionsCall
    ) throws -> Response {
        var response: Response
        switch outcome {
        case .answer(var object, let kind):
            object["engine"] = .string(kind.rawValue)
            response = Response(.ok, .json, JSONWriter.encode(.object(object)))
        case .refusal(let code, let message):
            response = DirectionsError.response(.badRequest, code, message)
        case .down:
            response = Response(
                .ok, .json, try HintAnswers(call: call, reason: .routerIsDown).json())
        }
        response.cacheControl = "no-store"
        return response
    }
}
