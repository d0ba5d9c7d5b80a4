import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Parse: requests and answers in general")
struct ParseProtocolTests {
    @Test("a preflight is answered 200 without keys and allows every field that clients send")
    func preflight() throws {
        let service = try TestService()
        for path in ["/classes/A", "/classes/A/b", "/batch", "/health", "/users", "/a/b/c/d"] {
            let reply = try service.call(
                "OPTIONS", path, as: .nobody,
                fields: ["Origin: https://a.example", "Access-Control-Request-Method: PUT"])
            #expect(reply.status == 200)
            #expect(reply.answer["access-control-allow-origin"] == "*")
            let methods = reply.answer["access-control-allow-methods"]
            #expect(methods == "GET,PUT,POST,DELETE,OPTIONS")
            let fields =
                reply.answer["access-control-allow-headers"]?.lowercased()
                .split(separator: ", ") ?? []
            for name in [
                "x-parse-application-id", "x-parse-rest-api-key", "x-parse-client-key",
                "x-parse-javascript-key", "x-parse-windows-key", "x-parse-master-key",
                "x-parse-session-token", "x-parse-installation-id", "x-parse-request-id",
                "x-parse-cloud-context", "x-parse-revocable-session", "x-parse-client-version",
                "x-parse-os-version", "x-parse-app-build-version", "x-parse-app-display-version",
                "x-requested-with", "content-type",
            ] {
                #expect(fields.contains(Substring(name)))
            }
        }
    }

    @Test("health needs no keys, by GET and by POST")
    func health() throws {
        let service = try TestService()
        for method in ["GET", "POST"] {
            let reply = try service.call(method, "/health", as: .nobody)
            #expect(reply.status == 200)
            #expect(reply.json == ["status": "ok"])
        }
    }

    @Test("every answer is JSON that no cache keeps, errors too")
    func fields() throws {
        let service = try TestService()
        for (path, status) in [
            ("/classes/A", 200), ("/classes/A/x", 404), ("/classes/A?x=1", 400), ("/nothing", 404),
            ("/classes", 404), ("/classes/", 404), ("/classes/A/b/c", 404), ("/", 404),
            ("/classes/A?limit=%zz", 400), ("/classes/A?limit=1&limit=2", 400),
        ] {
            let reply = try service.call("GET", path)
            #expect(reply.status == status)
            #expect(reply.answer["content-type"] == "application/json; charset=utf-8")
            #expect(reply.answer["cache-control"] == "no-store")
            #expect(reply.answer["etag"] == nil)
            #expect((reply.json["error"]?.stringValue != nil) == (status != 200))
        }
        #expect(
            try service.call("GET", "/classes/A", as: .nobody).answer["cache-control"] == "no-store"
        )
    }

    @Test(
        "a body is JSON whatever its type says, and one that is none is 400 without a code",
        arguments: ["application/json", "text/plain", "application/x-www-form-urlencoded"])
    func bodies(type: String) throws {
        let service = try TestService()
        let fields = ["Content-Type: \(type)"]
        let good = try service.call(
            "POST", "/classes/A", bytes: Array("{\"a\": 1}".utf8), fields: fields)
        #expect(good.status == 201)
        for text in ["{", "{bad", "{\"a\":NaN}", "nonsense", "\u{FEFF}{}", "{\"a\":\"\\ud800\"}"] {
            let reply = try service.call(
                "POST", "/classes/A", bytes: Array(text.utf8), fields: fields)
            #expect(reply.status == 400)
            #expect(reply.json.objectValue?.keys == ["error"])
        }
        for text in ["[]", "1", "\"text\"", "null"] {
            let reply = try service.call("POST", "/classes/A", bytes: Array(text.utf8))
            #expect(reply.status == 400)
            #expect(reply.code == 107)
        }
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(try service.call("POST", "/classes/A", bytes: deep).status == 400)
        #expect(try service.call("GET", "/classes/A?count=1&limit=0").json["count"] == 1)
    }

    @Test("a body of 20 MiB is taken, a longer one is 413, said as all errors are")
    func longBodies() throws {
        let service = try TestService()
        let frame = "{\"text\":\"\"}".utf8.count
        let text = String(repeating: "x", count: ParseRoutes.greatestBodyBytes - frame)
        let id = try service.create("A", ["text": .string(text)])
        #expect(try service.object("A", id)["text"]?.stringValue == text)
        let client = try RawHTTPClient(port: service.server.port)
        client.send(
            "POST /parse/classes/A HTTP/1.1\r\nHost: localhost\r\n"
                + TestService.Caller.client.fields.joined(separator: "\r\n")
                + "\r\nContent-Length: \(ParseRoutes.greatestBodyBytes + 1)\r\n\r\n")
        let refused = try client.answer()
        #expect(refused.status == 413)
        #expect(try JSONParser.parse(refused.body)["error"]?.stringValue != nil)
    }

    @Test("HEAD answers like GET without a body")
    func head() throws {
        let service = try TestService()
        let id = try service.create("A", ["a": 1])
        let reply = try service.call("HEAD", "/classes/A/\(id)")
        #expect(reply.status == 200)
        #expect(reply.answer.body.isEmpty)
    }

    @Test("whatever the body, the answer is JSON and no fault of the server", arguments: 0..<24)
    func randomBodies(seed: Int) throws {
        let service = try TestService()
        var random = SeededGenerator(seed: UInt64(seed))
        let id = try service.create(
            "A", ["o": ["x": 1], "n": 1, "place": geoPoint(lon: 1, lat: 2)])
        for _ in 0..<40 {
            let body = RandomBody.value(depth: 4, &random)
            for (method, path) in [
                ("POST", "/classes/A"), ("PUT", "/classes/A/\(id)"), ("POST", "/batch"),
                ("POST", "/classes/A/\(id)"),
            ] {
                let reply = try service.call(method, path, body)
                #expect(reply.status < 500, "\(reply.answer.text)")
                #expect(reply.json != .null)
            }
            let query = String(
                decoding: JSONWriter.encode(RandomBody.value(depth: 2, &random)), as: UTF8.self)
            let escaped = query.utf8.map {
                "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }
            let name = ["limit", "skip", "order", "count", "where", "keys"].randomElement(
                using: &random)
            let reply = try service.call("GET", "/classes/A?\(name ?? "")=\(escaped.joined())")
            #expect(reply.status < 500, "\(reply.answer.text)")
        }
        #expect(try service.call("GET", "/health").status == 200)
    }
}

/// Bodies made of the words that the surface gives a meaning.
private enum RandomBody {
    private static let words = [
        "__type", "__op", "GeoPoint", "Date", "Pointer", "Polygon", "Bytes", "File", "Relation",
        "Object", "Increment", "Delete", "Add", "amount", "objects", "latitude", "longitude", "iso",
        "className", "objectId", "coordinates", "ACL", "*", "read", "write", "o", "n", "o.x",
        "o.x.y", "place", "n.x", "a..b", "$a", ".", "", "createdAt", "updatedAt", "id", "requests",
        "method", "path", "body", "POST", "GET", "PUT", "DELETE", "/parse/classes/A",
        "/parse/classes/B/c?limit=1", "transaction", "_method", "limit", "-", "-createdAt",
        "2020-01-01T00:00:00Z", "\u{0}", "\"", "é",
    ]

    static func value(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 14 : 8), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: -200...200, using: &random))
        case 3: return .number([1e308, -1e308, 0.5, 9e15, -0.0].randomElement(using: &random) ?? 0)
        case 4: return .integer([.max, .min].randomElement(using: &random) ?? 0)
        case 5...7: return .string(word(&random))
        case 8, 9:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    value(depth: depth - 1, &random)
                })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                object[word(&random)] = value(depth: depth - 1, &random)
            }
            return .object(object)
        }
    }

    private static func word(_ random: inout SeededGenerator) -> String {
        words.randomElement(using: &random) ?? ""
    }
}
