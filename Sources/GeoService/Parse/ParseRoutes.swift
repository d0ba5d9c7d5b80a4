import GeoStore
import JSONText

/// The Parse surface over HTTP: reads requests, asks who sends them, and has them carried out.
struct ParseRoutes: Sendable {
    private let gate: ParseGate
    private let executor: ParseExecutor
    private let store: SQLiteStore
    private let pool: WorkPool
    private let layers: LayerCatalog
    private let accounts: Accounts
    private let permissions: PermissionDirectory
    private let idempotency: Idempotency
    private let pages: AccountPages
    /// Whether clients may make classes; nil is: in loopback mode only.
    private let clientClassCreation: Bool?
    private let indexes: IndexMaker

    /// The longest body.
    static let greatestBodyBytes = 20 << 20
    /// Bodies longer than this are read on a thread of the pool: a megabyte takes milliseconds.
    private static let inlineBodyBytes = 64 << 10

    /// The templates, of which the names in metrics are made; the last takes what is left.
    private static let templates = [
        "/parse/classes/{class}", "/parse/classes/{class}/{id}", "/parse/batch",
        "/parse/aggregate/{class}",
        "/parse/users", "/parse/users/me", "/parse/users/{id}", "/parse/login",
        "/parse/logout", "/parse/verifyPassword", "/parse/loginAs",
        "/parse/requestPasswordReset", "/parse/verificationEmailRequest",
        "/parse/upgradeToRevocableSession", "/parse/sessions", "/parse/sessions/me",
        "/parse/sessions/{id}", "/parse/roles", "/parse/roles/{id}",
        "/parse/installations", "/parse/installations/{id}", "/parse/schemas",
        "/parse/schemas/{class}", "/parse/purge/{class}", "/parse/config", "/parse/serverInfo",
        "/parse/events/{event}",
        "/parse/{path...}",
    ]

    /// Addresses of files without the name that a file must have.
    private static let namelessFiles = ["/parse/files", "/parse/files/"]

    init(_ core: ServiceCore) {
        gate = ParseGate(access: core.access)
        executor = ParseExecutor(
            store: core.store, pool: core.readPool, accounts: core.accounts,
            administration: core.administration)
        accounts = core.accounts
        pages = AccountPages(
            accounts: core.accounts, appID: core.keys.appID, now: core.catalog.now)
        store = core.store
        indexes = core.indexes
        pool = core.readPool
        layers = core.catalog
        permissions = core.permissions
        idempotency = core.idempotency
        clientClassCreation = core.configuration.clientClassCreation
    }

    func register(in router: inout Router) {
        for template in Self.templates {
            // A method in the body overrides a POST's, so every path takes every method.
            for method in [HTTPMethod.get, .post, .put, .delete] {
                router.add(method, template) { request in action(for: request) }
            }
            router.add(.options, template) { _ in .reply(ParsePreflight.response) }
        }
        for method in [HTTPMethod.get, .post] {
            router.add(method, "/parse/health") { request in .reply(health(request)) }
        }
    }

    private func health(_ request: Request) -> Response {
        var answer = ParseAnswer(["status": request.isDraining ? "draining" : "ok"])
        if request.isDraining { answer.status = .serviceUnavailable }
        return answer.response
    }

    // MARK: - From request to call

    private func action(for request: Request) -> Action {
        if let action = pages.action(for: request) { return action }
        if request.method == .post, Self.namelessFiles.contains(request.pathText) {
            return answering { throw ParseError(.invalidFileName, "Filename not provided.") }
        }
        do {
            let credentials = ParseCredentials(request)
            // Asked before the body is read, where the header fields say enough.
            let identity =
                gate.knows(credentials.applicationID)
                ? try gate.identity(of: credentials, request) : nil
            return .collect(limitBytes: Self.greatestBodyBytes) { request, body in
                guard body.count > Self.inlineBodyBytes else {
                    return answering { try action(for: request, identity, body) }
                }
                return .later { responder in
                    let isTaken = pool.submit {
                        executor.carryOut(
                            answering { try action(for: request, identity, body) }, responder)
                    }
                    if !isTaken { responder.respond(ParseErrors.response(to: StoreError.busy)) }
                }
            }
        } catch {
            return .reply(ParseErrors.response(to: error))
        }
    }

    private func answering(_ decide: () throws -> Action) -> Action {
        do {
            return try decide()
        } catch {
            return .reply(ParseErrors.response(to: error))
        }
    }

    private func action(
        for request: Request, _ known: ParseIdentity?, _ bytes: [UInt8]
    ) throws -> Action {
        var members = try Self.body(bytes)
        let control = ControlMembers(takenFrom: &members)
        let body = members
        let client = try known ?? gate.identity(of: ParseCredentials(control), request)
        let (method, path) = try Self.target(of: request, control)
        guard let token = client.sessionToken, !client.isMaster, !path.ignoresSession else {
            return try action(for: request, method, path, body, client, bytes.count)
        }
        switch try accounts.sessions.findAtOnce(token) {
        case .none: throw ParseError.invalidSession
        case .session(let session):
            return try action(
                for: request, method, path, body, client.with(session), bytes.count)
        case .unknown:
            return .later { responder in
                let isTaken = pool.submit {
                    executor.carryOut(
                        answering {
                            guard let session = try accounts.sessions.find(token) else {
                                throw ParseError.invalidSession
                            }
                            return try action(
                                for: request, method, path, body, client.with(session),
                                bytes.count)
                        }, responder)
                }
                if !isTaken { responder.respond(ParseErrors.response(to: StoreError.busy)) }
            }
        }
    }

    private func action(
        for request: Request, _ method: HTTPMethod, _ path: ParsePath, _ body: JSONObject,
        _ identity: ParseIdentity, _ payloadBytes: Int
    ) throws -> Action {
        let parameters =
            method == .get
            ? ParseParameters.merged(body, try ParseParameters.items(request)) : body
        let catalog = store.catalog
        let call = ParseRequest(
            method: method, path: path, parameters: parameters, payloadBytes: payloadBytes,
            caller: ParseCaller(
                identity: identity, view: ObjectView(identity, layers, permissions, catalog),
                mayCreateClasses: identity.isMaster
                    || clientClassCreation ?? request.isLoopbackMode,
                links: ParseLinks(request: request, applicationID: gate.keys.appID),
                accounts: accounts, catalog: catalog, indexes: indexes))
        if path == .batch, method == .post {
            return executor.action(for: try ParseBatch(call), payloadBytes: payloadBytes)
        }
        let operation = try idempotency.once(
            try ParseOperation(call), call, id: request.header("X-Parse-Request-Id"))
        return executor.action(for: operation, payloadBytes: payloadBytes)
    }

    /// The members of a body; none of an empty one. The type that it claims to have says nothing.
    private static func body(_ bytes: [UInt8]) throws -> JSONObject {
        guard !bytes.isEmpty else { return JSONObject() }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes, maxBytes: greatestBodyBytes)
        } catch {
            throw ParseRefusal.brokenBody(reason: error.description)
        }
        guard let members = value.objectValue else {
            throw ParseError(.invalidJSON, "the body must be a JSON object")
        }
        return members
    }

    /// The method that is meant, and what the path names.
    private static func target(
        of request: Request, _ control: ControlMembers
    ) throws(ParseRefusal) -> (HTTPMethod, ParsePath) {
        let below = request.pathText.dropFirst(ParsePath.mount.count)
        var method = request.method == .head ? .get : request.method
        if method == .post, let name = control.text("_method") {
            guard let meant = HTTPMethod(name.uppercased()) else {
                throw .noRoute(method: String(name.prefix(20)), path: String(below))
            }
            method = meant
        }
        guard let path = ParsePath(below) else {
            throw .noRoute(method: method.name, path: String(below))
        }
        return (method, path)
    }
}
