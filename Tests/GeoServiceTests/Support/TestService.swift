import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

/// A service with its store, indexes and Parse routes on a free port, over a directory of its own.
/// Without the basemap, which takes seconds to read in unoptimised builds.
final class TestService {
    /// Whose keys a request carries.
    enum Caller {
        case client, master, nobody

        var fields: [String] {
            let application = "X-Parse-Application-Id: test-app"
            return switch self {
            case .client: [application, "X-Parse-REST-API-Key: test-rest"]
            case .master: [application, "X-Parse-Master-Key: test-master"]
            case .nobody: []
            }
        }
    }

    /// What came back.
    struct Reply {
        let status: Int
        let answer: RawHTTPClient.Answer
        /// The body; null when it is not JSON.
        let json: JSONValue

        /// The code of a Parse error.
        var code: Int64? { json["code"]?.integerValue }
        /// The `objects` of a list.
        var results: [JSONValue] { json["results"]?.arrayValue ?? [] }
    }

    let core: ServiceCore
    let server: HTTPServer
    private let directory: ScratchDirectory

    /// - Parameter clock: The service's; nil is the system's.
    init(
        clock: TestClock? = nil,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws {
        directory = try ScratchDirectory()
        var configuration = Configuration()
        configuration.dataDirectory = directory.path
        configuration.appID = "test-app"
        configuration.restKey = "test-rest"
        configuration.masterKey = "test-master"
        configure(&configuration)
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        core = try ServiceCore(
            configuration, assets: Assets(root: "/" + root),
            now: { clock?.now ?? .now() }
        ) { _ in }
        var router = Router()
        ParseRoutes(core).register(in: &router)
        ClusterRoutes(catalog: core.catalog, objects: core.objects, viewers: core.viewers)
            .register(in: &router)
        ProximityRoutes(catalog: core.catalog, objects: core.objects, viewers: core.viewers)
            .register(in: &router)
        GridRoutes(catalog: core.catalog, objects: core.objects, viewers: core.viewers)
            .register(in: &router)
        HotspotRoutes(
            catalog: core.catalog, objects: core.objects, viewers: core.viewers,
            access: PinAccess(master: core.access)
        ).register(in: &router)
        CollectionRoutes(
            catalog: core.catalog, viewers: core.viewers, editor: core.editor,
            access: core.access
        ).register(in: &router)
        MapTokenRoutes(viewers: core.viewers).register(in: &router)
        var http = HTTPConfiguration()
        http.listen = "127.0.0.1:0"
        http.threads = 2
        http.publicURL = configuration.publicURL
        http.trustedProxies = configuration.trustedProxies
        http.errorResponse = { error, request in ErrorAnswers.response(to: error, request) }
        server = try HTTPServer(http, router: router)
    }

    deinit {
        server.stop(within: .zero)
        core.close()
    }

    /// Sends one request with a body of JSON, or without one.
    @discardableResult
    func call(
        _ method: String, _ path: String, _ body: JSONValue? = nil, as caller: Caller = .client,
        fields: [String] = []
    ) throws -> Reply {
        try call(
            method, path, bytes: body.map { JSONWriter.encode($0) }, as: caller, fields: fields)
    }

    /// Sends one request outside of the Parse surface.
    @discardableResult
    func ask(
        _ method: String = "GET", _ path: String, _ body: JSONValue? = nil,
        as caller: Caller = .nobody, fields: [String] = []
    ) throws -> Reply {
        try send(method, path, bytes: body.map { JSONWriter.encode($0) }, caller, fields)
    }

    /// Sends one request outside of the Parse surface with a body of exactly these bytes.
    @discardableResult
    func ask(_ method: String, _ path: String, bytes: [UInt8], as caller: Caller) throws -> Reply {
        try send(method, path, bytes: bytes, caller, [])
    }

    /// Sends one request with a body of exactly these bytes.
    @discardableResult
    func call(
        _ method: String, _ path: String, bytes: [UInt8]?, as caller: Caller = .client,
        fields: [String] = []
    ) throws -> Reply {
        try send(method, "/parse" + path, bytes: bytes, caller, fields)
    }

    private func send(
        _ method: String, _ path: String, bytes: [UInt8]?, _ caller: Caller, _ fields: [String]
    ) throws -> Reply {
        let client = try RawHTTPClient(port: server.port)
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for field in caller.fields + fields { head += field + "\r\n" }
        if let bytes { head += "Content-Length: \(bytes.count)\r\n" }
        client.send(Array((head + "\r\n").utf8) + (bytes ?? []))
        let answer = try client.answer(toHEAD: method == "HEAD")
        let json = try? JSONParser.parse(answer.body, maxBytes: .max)
        return Reply(status: answer.status, answer: answer, json: json ?? .null)
    }

    /// Makes an object and gives its id.
    func create(
        _ className: String, _ fields: JSONValue, as caller: Caller = .client
    ) throws -> String {
        let reply = try call("POST", "/classes/\(className)", fields, as: caller)
        try #require(reply.status == 201, "\(reply.answer.text)")
        return try #require(reply.json["objectId"]?.stringValue)
    }

    /// The object of an id as the wire has it.
    func object(
        _ className: String, _ id: String, as caller: Caller = .client
    ) throws -> JSONValue {
        let reply = try call("GET", "/classes/\(className)/\(id)", as: caller)
        try #require(reply.status == 200, "\(reply.answer.text)")
        return reply.json
    }
}

/// A position as the wire has it.
func geoPoint(lon: Double, lat: Double) -> JSONValue {
    ["__type": "GeoPoint", "latitude": .number(lat), "longitude": .number(lon)]
}
