import TestSupport
import Testing

@testable import GeoService

@Suite("Stopping")
struct GracefulStopTests {
    private func stop(_ server: HTTPServer, within deadline: Duration) -> Shared<Bool> {
        let isStopped = Shared(false)
        let isStarted = SystemThread.start {
            server.stop(within: deadline)
            isStopped.update { $0 = true }
        }
        #expect(isStarted)
        return isStopped
    }

    @Test("requests in flight finish with Connection: close, and new ones are refused")
    func inFlight() async throws {
        let waiting = Shared<[Responder]>([])
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/wait") { _ in
                .later { responder in waiting.update { $0.append(responder) } }
            }
        }
        let idle = try fixture.client()
        idle.get("/hello")
        #expect(try idle.answer()["connection"] == nil)
        var clients: [RawHTTPClient] = []
        for _ in 0..<40 {
            let client = try fixture.client()
            client.get("/wait")
            clients.append(client)
        }
        let upload = try fixture.client()
        upload.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nabc")
        #expect(await eventually { waiting.value.count == 40 })
        let isStopped = stop(fixture.server, within: .seconds(30))
        #expect(try idle.isClosed())
        #expect(throws: RawHTTPClient.Failure.self) {
            let late = try fixture.client()
            late.get("/hello")
            _ = try late.answer()
        }
        #expect(!isStopped.value)
        upload.send("def")
        let uploaded = try upload.answer()
        #expect(uploaded.text == "abcdef")
        #expect(uploaded["connection"] == "close")
        for responder in waiting.value {
            responder.respond(Response(.ok, .plainText, Array("finished".utf8)))
        }
        waiting.update { $0 = [] }
        for client in clients {
            let answer = try client.answer()
            #expect(answer.text == "finished")
            #expect(answer["connection"] == "close")
            #expect(try client.isClosed())
        }
        #expect(await eventually { isStopped.value })
    }

    @Test("a handler sees that the server drains")
    func draining() async throws {
        let waiting = Shared<[Responder]>([])
        let seen = Shared<[Bool]>([])
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/wait") { request in
                .later { responder in
                    seen.update { $0.append(request.isDraining) }
                    waiting.update { $0.append(responder) }
                }
            }
            router.add(.post, "/health") { _ in
                .collect { request, _ in
                    .reply(Response(request.isDraining ? .serviceUnavailable : .ok))
                }
            }
        }
        let client = try fixture.client()
        client.get("/wait")
        let health = try fixture.client()
        health.send("POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n")
        #expect(await eventually { waiting.value.count == 1 })
        let idle = try fixture.client()
        #expect(await eventually { fixture.server.connectionCount == 3 })
        let isStopped = stop(fixture.server, within: .seconds(30))
        #expect(try idle.isClosed())
        health.send("x")
        #expect(try health.answer().status == 503)
        #expect(seen.value == [false])
        waiting.update { $0 = [] }
        // The responder was dropped: the request ends, and with it the server.
        #expect(try client.answer().status == 500)
        #expect(await eventually { isStopped.value })
    }

    @Test("past the deadline what waits is answered 503, and late answers do no harm")
    func deadline() async throws {
        let waiting = Shared<[Responder]>([])
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/wait") { _ in
                .later { responder in waiting.update { $0.append(responder) } }
            }
        }
        let client = try fixture.client()
        client.get("/wait")
        #expect(await eventually { waiting.value.count == 1 })
        let isStopped = stop(fixture.server, within: .milliseconds(50))
        #expect(try client.answer().status == 503)
        #expect(await eventually { isStopped.value })
        for responder in waiting.value { responder.respond(Response(.ok)) }
        waiting.update { $0 = [] }
        fixture.server.stop(within: .seconds(1))
    }

    @Test("a stop while hundreds of requests start and wait never fails", arguments: 0..<10)
    func storm(_ round: Int) async throws {
        let pool = WorkPool(threads: 2, queueLimit: 1_000)
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/work") { _ in pool.run { Response(.ok) } }
        }
        let port = fixture.server.port
        let ended = Shared(0)
        for _ in 0..<4 {
            let isStarted = SystemThread.start {
                for _ in 0..<50 {
                    guard let client = try? RawHTTPClient(port: port) else { break }
                    client.get("/work")
                    _ = try? client.answer()
                }
                ended.update { $0 += 1 }
            }
            #expect(isStarted)
        }
        try await Task.sleep(for: .milliseconds(round * 3))
        let isStopped = stop(fixture.server, within: .milliseconds(round * 2))
        #expect(await eventually { isStopped.value && ended.value == 4 })
    }
}
