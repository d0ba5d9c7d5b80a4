import Glibc
import Synchronization
import TileRender

/// What all event threads share: routes, facts, tables. Knows requests and answers, not sockets.
final class ServerCore: Sendable {
    let facts: ServerFacts
    let router: Router
    let gate = SuspensionGate()
    let table = ConnectionTable()
    let housekeeper: Housekeeper
    let acceptor: Acceptor
    let bodies: BodyBudget
    /// About 4 times smaller JSON at 100 MB/s and more.
    private let compressors = DeflaterPool(level: 4)

    /// - Returns: `nil` when the system gives no thread.
    init?(facts: ServerFacts, router: Router, acceptor: Acceptor) {
        guard let housekeeper = Housekeeper(table: table, limits: facts.configuration.limits) else {
            return nil
        }
        self.housekeeper = housekeeper
        self.acceptor = acceptor
        self.facts = facts
        bodies = BodyBudget(limitBytes: facts.configuration.limits.collectedBytes)
        self.router = router
    }

    // MARK: - From request to action

    /// Finds and calls the handler.
    ///
    /// - Throws: a ``Problem`` for what is refused whatever the route.
    func route(_ head: RequestHead, peer: IPAddress) throws(Problem) -> (Request, Action) {
        let target = head.target
        let path = target.decodedPath.span.extracting(target.decodedStart..<target.decodedEnd)
        let match: Router.Match =
            target.isAsterisk ? .otherMethods(MethodSet()) : router.match(head.method, path)
        var route: Route?
        var values = PathValues()
        if case .route(let found, let bound) = match { (route, values) = (found, bound) }
        let request = Request(
            method: head.method, peer: peer, head: head.fields, facts: facts, target: target,
            authority: head.authority, route: route, values: values)
        if request.isLoopbackMode, let authority = head.authority, !authority.isLocal {
            // A name that an attacker points at 127.0.0.1 would make every page a local client.
            throw Problem(.misdirectedRequest, "this service answers on this machine only")
        }
        return (request, action(for: request, match))
    }

    private func action(for request: Request, _ match: Router.Match) -> Action {
        do {
            switch match {
            case .route(let route, _): return try route.handler(request)
            case .otherMethods(let methods) where request.method == .options:
                return .reply(preflight(request, methods))
            case .otherMethods(let methods):
                throw Problem(
                    .methodNotAllowed, "this path answers \(methods.allowed)",
                    headers: [HeaderField("Allow", methods.allowed)])
            case .none: throw Problem(.notFound, "there is nothing at this path")
            }
        } catch {
            return .reply(response(to: error, request))
        }
    }

    private func preflight(_ request: Request, _ methods: MethodSet) -> Response {
        var response = Response(.noContent)
        response.headers = [HeaderField("Allow", methods.allowed)]
        guard request.header("access-control-request-method") != nil else { return response }
        response.headers.append(HeaderField("Access-Control-Allow-Methods", methods.allowed))
        response.headers.append(HeaderField("Access-Control-Max-Age", "86400"))
        if let names = request.header("access-control-request-headers"), names.utf8.count <= 2_000 {
            response.headers.append(HeaderField("Access-Control-Allow-Headers", names))
        }
        response.varyOn = "Access-Control-Request-Headers"
        return response
    }

    /// The answer to an error.
    func response(to error: any Error, _ request: Request?) -> Response {
        if let request, let mapped = facts.configuration.errorResponse?(error, request) {
            return mapped
        }
        let problem =
            error as? Problem
            ?? Problem(.internalServerError, "the service failed to answer; it is not your fault")
        return problem.response
    }

    // MARK: - From answer to bytes

    /// The answer's header fields.
    func fields(
        of response: Response, _ coding: ContentCoding, for request: Request?
    ) -> ResponseFields {
        switch facts.configuration.cors {
        case .any:
            return ResponseFields(
                response: response, coding: coding, allowedOrigin: "*", variesOnOrigin: false)
        case .origins(let origins):
            let origin = request?.head.text(.origin)
            return ResponseFields(
                response: response, coding: coding,
                allowedOrigin: origin.flatMap { origins.contains($0) ? $0 : nil },
                variesOnOrigin: true)
        }
    }

    /// Makes the answer ready for the library: chooses the coding, and turns a 200 or 204 that the
    /// client has already into a 304.
    ///
    /// - Returns: `nil` when there is no memory.
    func wrap(
        _ response: inout Response, for exchange: Exchange, _ request: Request?
    ) -> NativeResponse? {
        let coding = negotiate(&response, request)
        if case .stream(let stream, let bytes) = response.body {
            guard request?.method != .head else {
                // The library would send a chunk's end without a body.
                stream.abandon()
                return finish(response, NativeResponse([]), .identity, request)
            }
            return finish(
                response, NativeResponse(StreamReading(stream, exchange), bytes: bytes), .identity,
                request)
        }
        if let cached = response.cached, case .any = facts.configuration.cors,
            !mustClose(after: request)
        {
            return cached.native(coding) { pack(cached.response, coding, request) }
        }
        return pack(response, coding, request)
    }

    private func negotiate(_ response: inout Response, _ request: Request?) -> ContentCoding {
        guard let request else { return .identity }
        var coding = ContentCoding.identity
        if response.dependsOnCoding, let accepted = request.head.range(.acceptEncoding),
            ContentCoding.acceptsGzip(request.head.bytes[accepted])
        {
            coding = .gzip
        }
        guard let tag = response.entityTag,
            response.status == .ok || response.status == .noContent
                || response.status == .notModified,
            let known = request.head.range(.ifNoneMatch),
            request.method == .get || request.method == .head
        else { return coding }
        if response.status == .notModified {
            // The handler has compared, and made no body: the tag is that of the form that the
            // client has.
            let accepted = request.head.range(.acceptEncoding)
            let takesGzip = accepted.map { ContentCoding.acceptsGzip(request.head.bytes[$0]) }
            let codings: [ContentCoding] =
                takesGzip == true ? [.gzip, .identity] : [.identity, .gzip]
            return tag.match(request.head.bytes[known], among: codings) ?? .identity
        }
        let codings: [ContentCoding] = coding == .gzip ? [.gzip, .identity] : [.identity]
        if let match = tag.match(request.head.bytes[known], among: codings) {
            response.status = .notModified
            return match
        }
        return coding
    }

    private func pack(
        _ response: Response, _ coding: ContentCoding, _ request: Request?
    ) -> NativeResponse? {
        if case .empty = response.body {
            return finish(response, NativeResponse([]), coding, request)
        }
        if case .file(let slice) = response.body {
            let hasBody = response.status != .notModified
            return finish(
                response, hasBody ? NativeResponse(slice) : NativeResponse([]), .identity, request)
        }
        // Without memory for it the answer goes out as it is: larger, but right.
        guard coding == .gzip,
            let packed = try? compressors.withDeflater({ $0.gzip(response.bytes.span) })
        else {
            return finish(response, NativeResponse(response.bytes), .identity, request)
        }
        return finish(response, NativeResponse(packed), .gzip, request)
    }

    private func finish(
        _ response: Response, _ native: NativeResponse?, _ coding: ContentCoding,
        _ request: Request?
    ) -> NativeResponse? {
        guard let native else { return nil }
        fields(of: response, coding, for: request)
            .write(literal: { native.add($0, $1) }, text: { native.add($0, $1) })
        if mustClose(after: request) { native.add("Connection", "close") }
        return native
    }

    /// Whether the connection ends with the answer.
    ///
    /// It does after a body in chunks: the library takes a bare LF for the end of a chunk's line, so
    /// where such a body ends may be seen otherwise by a proxy. What follows it is never a request.
    private func mustClose(after request: Request?) -> Bool {
        facts.isDraining || request?.head.has(.transferEncoding) == true
    }
}
