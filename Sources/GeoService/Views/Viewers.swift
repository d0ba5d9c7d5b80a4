import GeoStore

/// Finds out who looks at the map, once for each request.
struct Viewers: Sendable {
    /// Answers a request of a viewer.
    typealias Handler = @Sendable (Request, Viewer) throws -> Action

    let sessions: SessionDirectory
    let tokens: MapTokens
    let permissions: MapPermissions
    /// Where the store is asked for sessions that are not known.
    let pool: WorkPool

    /// Registers a handler of requests that may have a viewer.
    ///
    /// - Parameter heatIsEnough: Whether it may be asked where heat alone is public; the handler then
    ///   sees to it that it shows no more.
    func add(
        _ method: HTTPMethod, _ template: String, heatIsEnough: Bool = false,
        to router: inout Router, _ handler: @escaping Handler
    ) {
        router.add(method, template) { request in
            try answer(request, heatIsEnough: heatIsEnough) { try handler(request, $0) }
        }
    }

    /// Answers a request as its viewer.
    ///
    /// - Throws: ``Problem``: 401 for a token that is not valid, which is never taken for
    ///   anonymous; 403 for a layer whose objects the viewer may not look for; 404 for one that is
    ///   none to him; what `handle` throws.
    func answer(
        _ request: Request, heatIsEnough: Bool = false,
        _ handle: @escaping @Sendable (Viewer) throws -> Action
    ) throws -> Action {
        let layer = request.pathValue("layer")
        let handle = { @Sendable (viewer: Viewer) throws -> Action in
            guard let layer else { return try handle(viewer) }
            var viewer = viewer
            viewer.sight = try permissions.check(layer, for: viewer, heatIsEnough: heatIsEnough)
            return try handle(viewer)
        }
        guard let proof = try proof(of: request) else { return try handle(.anonymous) }
        switch try sessions.findAtOnce(proof.digest) {
        case .none: throw Viewers.invalid
        case .session(let session):
            return try handle(Viewer(session, isByMapToken: proof.isMapToken))
        case .unknown:
            return .later { responder in
                let isTaken = pool.submit {
                    do {
                        guard let session = try sessions.find(proof.digest) else {
                            throw Viewers.invalid
                        }
                        let viewer = Viewer(session, isByMapToken: proof.isMapToken)
                        switch try handle(viewer) {
                        case .reply(let response): responder.respond(response)
                        case .later(let start): start(responder)
                        case .collect, .consume:
                            // Bodies are read before the viewer is asked for.
                            responder.fail(
                                Problem(.internalServerError, "the body was read already"))
                        }
                    } catch {
                        responder.fail(error)
                    }
                }
                if !isTaken { responder.fail(Problem.overloaded) }
            }
        }
    }

    private static let invalid = Problem(.unauthorized, "the session token is not valid")

    /// What a request shows of a session: the digest of its token.
    private struct Proof {
        let digest: [UInt8]
        let isMapToken: Bool
    }

    /// - Throws: ``Problem`` (401) for what cannot be a token, and for a map token that is not
    ///   this service's or is over.
    private func proof(of request: Request) throws(Problem) -> Proof? {
        if let text = request.header("X-Parse-Session-Token") {
            guard let token = SecretToken(shown: text, .session) else { throw Viewers.invalid }
            return Proof(digest: token.digest, isMapToken: false)
        }
        guard let text = try request.query(MapTokens.parameter) else { return nil }
        guard let digest = tokens.sessionDigest(of: text) else {
            throw Problem(
                .unauthorized,
                "the mapToken is not valid (any more): POST /v1/map-token gives another one")
        }
        return Proof(digest: digest, isMapToken: true)
    }
}
