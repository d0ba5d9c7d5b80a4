import TestSupport
import Testing

@testable import GeoService

@Suite("Limits: what a client may cost")
struct LimitsTests {
    @Test(
        "a URL past 8 kB is 414, at 8 kB it is taken", arguments: [8 << 10, (8 << 10) + 1, 11_000])
    func longURL(_ bytes: Int) throws {
        let fixture = try ServerFixture()
        let target = "/hello?" + String(repeating: "a", count: bytes - 7)
        let answer = try fixture.answer(to: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.status == (bytes > 8 << 10 ? 414 : 200))
    }

    @Test(
        "request line and headers past 16 kB are 431, at 16 kB they are taken",
        arguments: [16 << 10, (16 << 10) + 1, 18_000])
    func largeHead(_ bytes: Int) throws {
        let fixture = try ServerFixture()
        let start = "GET /hello HTTP/1.1\r\nHost: localhost\r\nX: "
        let filler = String(repeating: "x", count: bytes - start.utf8.count - 4)
        let answer = try fixture.answer(to: start + filler + "\r\n\r\n")
        #expect(answer.status == (bytes > 16 << 10 ? 431 : 200))
    }

    @Test("a URL or a head far past the limit is still a 4xx that the client can read")
    func hugeHead() throws {
        let fixture = try ServerFixture()
        let filler = String(repeating: "y", count: 200_000)
        let url = try fixture.answer(to: "GET /\(filler) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(url.status == 414)
        let head = try fixture.answer(
            to: "GET /hello HTTP/1.1\r\nHost: localhost\r\nX: \(filler)\r\n\r\n")
        #expect(head.status == 431)
    }

    @Test("a query of thousands of parameters costs no more than its bytes")
    func manyParameters() throws {
        let fixture = try ServerFixture()
        let query = String(repeating: "a&", count: 4_000)
        let answer = try fixture.answer(
            to: "GET /hello?\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.status == 200)
    }

    @Test("thousands of header fields or cookies are 431")
    func manyFields() throws {
        let fixture = try ServerFixture()
        for fields in [
            String(repeating: "a:\r\n", count: 3_000),
            "Cookie: " + String(repeating: "a=b;", count: 3_000) + "\r\n",
        ] {
            let answer = try fixture.answer(
                to: "GET /hello HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            #expect(answer.status == 431)
        }
    }

    @Test("a body of the limit is taken, one byte more is 413 before it is read")
    func announcedBody() throws {
        let fixture = try ServerFixture { $0.limits.bodyBytes = 1_000 }
        let client = try fixture.client()
        let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        client.send(head + "1000\r\n\r\n" + String(repeating: "a", count: 1_000))
        #expect(try client.answer().body.count == 1_000)
        client.send(head + "1001\r\n\r\n")
        let refused = try client.answer()
        #expect(refused.status == 413)
        #expect(refused["content-type"] == "application/problem+json")
        #expect(refused.text.contains("1000 bytes"))
        #expect(try client.isClosed())
    }

    @Test("a chunked body past its limit is 413, which a client that goes on sending can read")
    func chunkedBody() throws {
        let fixture = try ServerFixture { $0.limits.bodyBytes = 100_000 }
        let client = try fixture.client()
        client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "1000\r\n" + String(repeating: "z", count: 4_096) + "\r\n"
        for _ in 0..<500 { client.send(chunk) }
        client.send("0\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer["connection"] == "close")
        #expect(answer["access-control-allow-origin"] == "*")
        #expect(try client.isClosed())
    }

    @Test("bodies that wait for their answers share one budget, and give it back")
    func collectedBytes() async throws {
        let waiting = Shared<Responder?>(nil)
        let fixture = try ServerFixture {
            $0.limits.collectedBytes = 1_300_000
            $0.limits.bodyBytes = 1_000_000
        } routes: { router in
            router.add(.post, "/hold") { _ in
                .collect { _, body in .later { responder in waiting.update { $0 = responder } } }
            }
        }
        let body = [UInt8](repeating: 0x61, count: 800_000)
        func head(_ path: String) -> String {
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
        }
        for _ in 0..<3 {
            let first = try fixture.client()
            first.send(head("/hold"))
            first.send(body)
            #expect(await eventually { waiting.value != nil })
            let second = try fixture.client()
            second.send(head("/echo"))
            second.send(body)
            let refused = try second.answer()
            #expect(refused.status == 503)
            #expect(refused["retry-after"] != nil)
            #expect(try second.isClosed())
            waiting.value?.respond(Response(.noContent))
            waiting.update { $0 = nil }
            #expect(try first.answer().status == 204)
            // A client that goes before its body has ended gives back what it held, too.
            do {
                let gone = try fixture.client()
                gone.send(head("/echo"))
                gone.send(Array(body.prefix(700_000)))
                #expect(await eventually { fixture.server.core.bodies.heldBytes > 600_000 })
                // Small bodies are taken all the same.
                let small = try fixture.client()
                small.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
                small.send(Array(body.prefix(1_000)))
                #expect(try small.answer().body.count == 1_000)
            }
            #expect(await eventually { fixture.server.core.bodies.heldBytes == 0 })
            let third = try fixture.client()
            third.send(head("/echo"))
            third.send(body)
            #expect(try third.answer().body == body)
        }
    }

    @Test("a large announced body that is sent all the same still lets the client read its 413")
    func sentAllTheSame() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n")
        client.send([UInt8](repeating: 0x61, count: 5_000_000))
        #expect(try client.answer().status == 413)
    }

    @Test("a route's own limit counts instead of the default")
    func routeLimit() throws {
        let fixture = try ServerFixture {
            $0.limits.bodyBytes = 10
        } routes: { router in
            router.add(.post, "/large") { _ in
                .collect(limitBytes: 100) { _, body in
                    .reply(Response(.ok, .plainText, Array("\(body.count)".utf8)))
                }
            }
        }
        let answer = try fixture.answer(
            to: "POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
                + String(repeating: "b", count: 100))
        #expect(answer.text == "100")
    }

    @Test("a body that no route wants is dropped when small, and ends the connection when not")
    func unwantedBody() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        let head = "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        client.send(head + "60000\r\n\r\n" + String(repeating: "a", count: 60_000))
        #expect(try client.answer().status == 404)
        client.get("/hello")
        #expect(try client.answer().text == "hello")
        client.send(head + "70000\r\n\r\n" + String(repeating: "a", count: 70_000))
        let answer = try client.answer()
        #expect(answer.status == 404)
        #expect(answer["connection"] == "close")
    }

    @Test("100-continue is sent for a body that is wanted, and only then")
    func expectation() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        let head = "HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
        client.send("POST /echo \(head)3\r\n\r\n")
        #expect(try client.answer().status == 100)
        client.send("abc")
        #expect(try client.answer().text == "abc")
        client.send("POST /echo \(head)3000000\r\n\r\n")
        #expect(try client.answer().status == 413)
        #expect(try client.isClosed())
        let other = try fixture.client()
        other.send("POST /nowhere \(head)3\r\n\r\n")
        #expect(try other.answer().status == 404)
        let strange = try fixture.answer(
            to:
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: coffee\r\nContent-Length: 1\r\n\r\n"
        )
        #expect(strange.status == 417)
    }

    @Test("a head that comes byte by byte is cut at its deadline, however steadily it comes")
    func slowHead() async throws {
        let fixture = try ServerFixture { $0.limits.headDeadline = .milliseconds(300) }
        let client = try fixture.client()
        client.send("GET /hello HTTP/1.1\r\nHost: localhost\r\n")
        var isCut = false
        for _ in 0..<500 where !isCut {
            client.send("X: y\r\n")
            isCut = client.hasAnswer(within: 20)
        }
        #expect(isCut)
        #expect(await eventually { fixture.server.connectionCount == 0 })
    }

    @Test("a connection that says nothing is cut too")
    func silence() async throws {
        let fixture = try ServerFixture { $0.limits.headDeadline = .milliseconds(200) }
        let client = try fixture.client()
        #expect(try client.isClosed())
    }

    @Test("a body slower than the least rate is cut, one that is fast enough is not")
    func slowBody() async throws {
        let fixture = try ServerFixture {
            $0.limits.bodyGrace = .milliseconds(400)
            $0.limits.bodyBytesPerSecond = 20_000
        }
        let slow = try fixture.client()
        let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        slow.send(head + "100000\r\n\r\n")
        var isCut = false
        for _ in 0..<500 where !isCut {
            slow.send("a")
            isCut = slow.hasAnswer(within: 20)
        }
        #expect(isCut)
        #expect(await eventually { fixture.server.connectionCount == 0 })
        let fast = try fixture.client()
        // Longer than the grace, and several times faster than the least rate.
        fast.send(head + "600000\r\n\r\n")
        for _ in 0..<6 {
            fast.send([UInt8](repeating: 0x61, count: 100_000))
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try fast.answer().body.count == 600_000)
    }

    @Test("an unused connection is closed after the idle timeout")
    func idle() async throws {
        let fixture = try ServerFixture { $0.limits.idleTimeout = .milliseconds(200) }
        let client = try fixture.client()
        client.get("/hello")
        #expect(try client.answer().text == "hello")
        #expect(try client.isClosed())
    }

    @Test("a client that does not read its answer is cut")
    func slowReader() async throws {
        let body = [UInt8](repeating: 0x20, count: 20_000_000)
        let cut = Shared(0)
        let fixture = try ServerFixture {
            $0.limits.replyGrace = .milliseconds(200)
            $0.limits.replyBytesPerSecond = 1_000_000_000
            $0.onCompletion = { completion in
                cut.update { $0 += completion.isComplete ? 0 : 1 }
            }
        } routes: { router in
            router.add(.get, "/large") { _ in .reply(Response(.ok, .bytes, body)) }
        }
        let client = try RawHTTPClient(port: fixture.server.port, receiveBufferBytes: 4_096)
        client.get("/large")
        #expect(await eventually { cut.value == 1 })
        #expect(await eventually { fixture.server.connectionCount == 0 })
    }

    @Test("one connection more than an address may have is 503 with Retry-After")
    func connectionsPerAddress() async throws {
        let fixture = try ServerFixture {
            $0.limits.connectionsPerAddress = 3
            $0.limits.countsLoopback = true
        }
        var clients: [RawHTTPClient] = []
        for _ in 0..<3 {
            let client = try fixture.client()
            client.get("/hello")
            #expect(try client.answer().status == 200)
            clients.append(client)
        }
        let extra = try fixture.answer(to: "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(extra.status == 503)
        #expect(extra["retry-after"] == "5")
        clients = []
        #expect(await eventually { fixture.server.connectionCount == 0 })
        let again = try fixture.answer(to: "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(again.status == 200)
    }

    @Test("connections past the total wait until another ends")
    func connectionsInTotal() async throws {
        let fixture = try ServerFixture { $0.limits.connections = 4 }
        var clients: [RawHTTPClient] = []
        for _ in 0..<4 {
            clients.append(try fixture.client())
        }
        #expect(await eventually { fixture.server.connectionCount == 4 })
        let extra = try fixture.client()
        extra.get("/hello")
        #expect(!extra.hasAnswer(within: 100))
        clients = []
        #expect(try extra.answer().text == "hello")
    }
}
