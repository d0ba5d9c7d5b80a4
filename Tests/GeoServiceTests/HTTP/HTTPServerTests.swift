import TestSupport
import Testing

@testable import GeoService

@Suite("HTTP server over real sockets")
struct HTTPServerTests {
    @Test("an answer has the fields that all answers have")
    func commonFields() throws {
        let fixture = try ServerFixture()
        let answer = try fixture.answer(to: "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.status == 200)
        #expect(answer.text == "hello")
        #expect(answer["content-type"] == "text/plain; charset=utf-8")
        #expect(answer["content-length"] == "5")
        #expect(answer["date"] != nil)
        #expect(answer["access-control-allow-origin"] == "*")
        #expect(answer["access-control-expose-headers"] == "ETag, Link, Location")
        #expect(answer["x-content-type-options"] == "nosniff")
        #expect(answer["referrer-policy"] == "no-referrer")
        #expect(answer["connection"] == nil)
    }

    @Test("a connection is used again, and pipelined requests are answered in order")
    func keepAlive() throws {
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/n/{n}") { request in
                .reply(Response(.ok, .plainText, Array((request.pathValue("n") ?? "").utf8)))
            }
        }
        let client = try fixture.client()
        for n in 0..<3 {
            client.get("/n/\(n)")
            #expect(try client.answer().text == "\(n)")
        }
        client.send((0..<20).map { "GET /n/\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
        for n in 0..<20 { #expect(try client.answer().text == "\(n)") }
        client.get("/nothing")
        #expect(try client.answer().status == 404)
        client.send("POST /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde")
        #expect(try client.answer().status == 405)
        client.get("/hello", "Connection: close")
        #expect(try client.answer()["connection"] == "close")
        #expect(try client.isClosed())
    }

    @Test("HEAD is answered like GET without the body")
    func head() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.get("/hello", method: "HEAD")
        let answer = try client.answer(toHEAD: true)
        #expect(answer.status == 200)
        #expect(answer["content-length"] == "5")
        client.get("/hello")
        #expect(try client.answer().text == "hello")
    }

    @Test("a wrong method is 405 with Allow, an unknown path 404, an unknown method 501")
    func wrongMethods() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.get("/hello", method: "DELETE")
        let wrong = try client.answer()
        #expect(wrong.status == 405)
        #expect(wrong["allow"] == "GET, HEAD, OPTIONS")
        #expect(wrong["content-type"] == "application/problem+json")
        #expect(wrong["access-control-allow-origin"] == "*")
        client.get("/nowhere")
        let missing = try client.answer()
        #expect(missing.status == 404)
        #expect(missing.text.contains("\"status\":404"))
        client.get("/hello", method: "BREW")
        #expect(try client.answer().status == 501)
    }

    @Test("a preflight is answered for every path, with what the client asked for")
    func preflight() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.get(
            "/echo", "Origin: https://a.example", "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: x-parse-session-token", method: "OPTIONS")
        let answer = try client.answer()
        #expect(answer.status == 204)
        #expect(answer["access-control-allow-origin"] == "*")
        #expect(answer["access-control-allow-methods"] == "POST, OPTIONS")
        #expect(answer["access-control-allow-headers"] == "x-parse-session-token")
        client.get("*", method: "OPTIONS")
        #expect(try client.answer().status == 204)
    }

    @Test("with a list of origins, only they may read, and caches are told")
    func originList() throws {
        let fixture = try ServerFixture { $0.cors = .origins(["https://a.example"]) }
        let client = try fixture.client()
        client.get("/hello", "Origin: https://a.example")
        let own = try client.answer()
        #expect(own["access-control-allow-origin"] == "https://a.example")
        #expect(own["vary"] == "Origin")
        client.get("/hello", "Origin: https://b.example")
        #expect(try client.answer()["access-control-allow-origin"] == nil)
    }

    @Test("an error of a handler is a 500 that says nothing of its cause")
    func errors() throws {
        struct Secret: Error { let path = "/secret/place" }
        let fixture = try ServerFixture { configuration in
            configuration.errorResponse = { error, request in
                request.pathText.hasPrefix("/parse")
                    ? Response(.badRequest, .json, Array("{\"code\":1}".utf8)) : nil
            }
        } routes: { router in
            router.add(.get, "/fails") { _ in throw Secret() }
            router.add(.get, "/parse/fails") { _ in throw Secret() }
            router.add(.get, "/problem") { _ in
                throw Problem.parameter("radius", "must be \"above\" 0")
            }
        }
        let client = try fixture.client()
        client.get("/fails")
        let answer = try client.answer()
        #expect(answer.status == 500)
        #expect(!answer.text.contains("secret"))
        client.get("/parse/fails")
        #expect(try client.answer().text == "{\"code\":1}")
        client.get("/problem")
        let problem = try client.answer()
        #expect(problem.status == 400)
        #expect(
            problem.text
                == #"{"type":"about:blank","title":"Bad Request","status":400,"#
                + #""detail":"radius must be \"above\" 0","#
                + #""errors":[{"field":"radius","message":"must be \"above\" 0"}]}"#)
    }

    @Test("HTTP/1.0 is answered and closed, or kept when it asks for it")
    func oldVersion() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.answer().text == "hello")
        client.send("GET /hello HTTP/1.0\r\n\r\n")
        #expect(try client.answer().text == "hello")
        #expect(try client.isClosed())
    }

    @Test("the service listens on ::1 too, and says where")
    func ipv6() throws {
        let fixture = try ServerFixture { $0.listen = "[::1]:0" }
        #expect(fixture.server.url == "http://[::1]:\(fixture.server.port)")
        let client = try RawHTTPClient(port: fixture.server.port, isIPv6: true)
        client.get("/hello")
        #expect(try client.answer().text == "hello")
    }

    @Test(
        "an address that cannot be listened on has a name",
        arguments: ["", "nowhere", "127.0.0.1", "127.0.0.1:99999", ":80", "1.2.3.4.5:80"])
    func badAddress(_ text: String) {
        #expect(throws: HTTPServerError.address(text)) { try ListenSocket(text) }
    }

    @Test("a port that is taken is named")
    func takenPort() throws {
        let fixture = try ServerFixture()
        let text = "127.0.0.1:\(fixture.server.port)"
        #expect(throws: HTTPServerError.self) { try ListenSocket(text) }
    }

    @Test("a completion tells method, template and status, once for each request")
    func completions() async throws {
        let seen = Shared<[String]>([])
        let fixture = try ServerFixture { configuration in
            configuration.onCompletion = { completion in
                seen.update {
                    $0.append(
                        "\(completion.method.name) \(completion.template ?? "-") "
                            + "\(completion.status.code)")
                }
            }
        }
        let client = try fixture.client()
        client.get("/hello?secret=1")
        _ = try client.answer()
        client.get("/none")
        _ = try client.answer()
        #expect(await eventually { seen.value.count == 2 })
        #expect(seen.value == ["GET /hello 200", "GET - 404"])
    }
}
