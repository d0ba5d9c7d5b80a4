import Synchronization
import TestSupport
import Testing

@testable import GeoService

@Suite("Replies that come later")
struct DeferredReplyTests {
    @Test("200 requests wait in parallel and are all answered, on few threads")
    func parallel() throws {
        let waiting = Shared<[Responder]>([])
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/wait/{n}") { _ in
                .later { responder in
                    let all = Shared<[Responder]>([])
                    waiting.update { list in
                        list.append(responder)
                        // The last one to come releases all: none is answered before that.
                        if list.count == 200 {
                            let taken = list
                            list = []
                            all.update { $0 = taken }
                        }
                    }
                    for responder in all.value {
                        responder.respond(Response(.ok, .plainText, Array("done".utf8)))
                    }
                }
            }
        }
        var clients: [RawHTTPClient] = []
        for n in 0..<200 {
            let client = try fixture.client()
            client.get("/wait/\(n)")
            clients.append(client)
        }
        for client in clients { #expect(try client.answer().text == "done") }
        for client in clients { client.get("/hello") }
        for client in clients { #expect(try client.answer().text == "hello") }
    }

    @Test("an answer at once, from within the closure, is an answer")
    func atOnce() throws {
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/now") { _ in
                .later { $0.respond(Response(.ok, .plainText, Array("now".utf8))) }
            }
        }
        let client = try fixture.client()
        for _ in 0..<50 {
            client.get("/now")
            #expect(try client.answer().text == "now")
        }
    }

    @Test("a responder that is dropped answers 500, and the connection goes on")
    func dropped() throws {
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/dropped") { _ in .later { _ in } }
            router.add(.get, "/fails") { _ in
                .later { responder in
                    responder.respond { throw Problem(.conflict, "taken") }
                    responder.respond(Response(.ok))
                }
            }
        }
        let client = try fixture.client()
        client.get("/dropped")
        #expect(try client.answer().status == 500)
        client.get("/fails")
        #expect(try client.answer().status == 409)
        client.get("/hello")
        #expect(try client.answer().text == "hello")
    }

    @Test("a pool answers from its own threads, and what it cannot queue is 503 at once")
    func workPool() throws {
        let pool = WorkPool(threads: 1, queueLimit: 1, retryAfterSeconds: 7)
        let started = Semaphore()
        let release = Semaphore()
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/work") { _ in
                pool.run {
                    started.signal()
                    release.wait()
                    return Response(.ok, .plainText, Array("worked".utf8))
                }
            }
        }
        let (first, second, third) = (
            try fixture.client(), try fixture.client(), try fixture.client()
        )
        first.get("/work")
        started.wait()
        second.get("/work")
        // The second may still be on its way: one of the next two is refused, whichever comes last.
        third.get("/work")
        let late = third.hasAnswer(within: 2_000) ? third : second
        let refused = try late.answer()
        #expect(refused.status == 503)
        #expect(refused["retry-after"] == "7")
        release.signal()
        release.signal()
        #expect(try first.answer().text == "worked")
        #expect(try (late === third ? second : third).answer().text == "worked")
        pool.shut()
        first.get("/work")
        #expect(try first.answer().status == 503)
    }

    @Test("a pool's queued jobs run in their order, and none is lost")
    func order() {
        let pool = WorkPool(threads: 1, queueLimit: 10_000)
        let seen = Shared<[Int]>([])
        let done = Semaphore()
        for n in 0..<1_000 {
            #expect(
                pool.submit {
                    seen.update { $0.append(n) }
                    if n == 999 { done.signal() }
                })
        }
        done.wait()
        #expect(seen.value == Array(0..<1_000))
    }

    @Test("a stream is sent in chunks while it is written, and waits for its client")
    func streams() throws {
        let pool = WorkPool(threads: 1, queueLimit: 4)
        let written = Shared(0)
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/export") { _ in
                pool.stream(.csv) { stream in
                    for n in 0..<2_000 {
                        try stream.write([UInt8](repeating: UInt8(n % 251), count: 10_000))
                        written.update { $0 += 10_000 }
                    }
                }
            }
        }
        let client = try RawHTTPClient(port: fixture.server.port, receiveBufferBytes: 8_192)
        client.get("/export")
        #expect(client.hasAnswer(within: 5_000))
        let answer = try client.answer()
        #expect(answer["transfer-encoding"] == "chunked")
        #expect(answer.body.count == 20_000_000)
        for n in 0..<2_000 {
            let expected = UInt8(n % 251)
            let start = n * 10_000
            try #require(answer.body[start] == expected && answer.body[start + 9_999] == expected)
        }
        client.get("/export", method: "HEAD")
        #expect(try client.answer(toHEAD: true).status == 200)
        client.get("/hello")
        #expect(try client.answer().text == "hello")
    }

    @Test("a stream whose client does not read holds back its writer")
    func streamBackPressure() async throws {
        let pool = WorkPool(threads: 1, queueLimit: 4)
        let written = Shared(0)
        let hasEnded = Shared(false)
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/export") { _ in
                pool.stream(.csv) { stream in
                    defer { hasEnded.update { $0 = true } }
                    for _ in 0..<20_000 {
                        try stream.write([UInt8](repeating: 0x61, count: 10_000))
                        written.update { $0 += 10_000 }
                    }
                }
            }
        }
        do {
            let client = try RawHTTPClient(port: fixture.server.port, receiveBufferBytes: 8_192)
            client.get("/export")
            #expect(client.hasAnswer(within: 5_000))
            var last = -1
            while last != written.value {
                last = written.value
                try await Task.sleep(for: .milliseconds(200))
            }
            // The kernel's buffers and ours, far less than the 200 MB of the whole.
            #expect(written.value < 20_000_000)
        }
        // The client has gone: the writer is told.
        #expect(await eventually { hasEnded.value })
    }

    @Test("a stream that fails is cut off, so that the client sees it")
    func failingStream() throws {
        let pool = WorkPool(threads: 1, queueLimit: 4)
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/export") { _ in
                pool.stream(.csv) { stream in
                    try stream.write([0x61])
                    throw Problem(.internalServerError, "broken")
                }
            }
        }
        let client = try fixture.client()
        client.get("/export")
        #expect(throws: RawHTTPClient.Failure.self) { try client.answer() }
    }
}
