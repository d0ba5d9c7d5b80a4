import TestSupport
import Testing

@testable import GeoService

@Suite("Requests that two readers could understand in two ways")
struct SmugglingTests {
    /// Each is refused, and the connection is closed: nothing after it is a request.
    @Test(
        "a dubious head is 400 and ends the connection",
        arguments: [
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\ncontent-length: 5\r\n\r\nabcde",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /hello HTTP/1.1\nHost: localhost\n\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\n\r\n",
            "GET /hello HTTP/1.1\nHost: localhost\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\n\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\nC: d\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\tContent-Length: 5\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\r\n \r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\0c\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\0\0C\0d\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\0\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA: b\rC: d\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA\u{1}: b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nA : b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\n: b\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
            "GET /hello\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /hel lo HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET  /hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /hello HTTP/1.1 \r\nHost: localhost\r\n\r\n",
            "GET /hello HTTP/1.1\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: local host\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "GET /hello#x HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ])
    func dubiousHead(_ bytes: String) throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.send(bytes + "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == 400)
        #expect(answer["connection"] == "close")
        #expect(try client.isClosed())
    }

    /// The library refuses these itself, and sends its head twice: no second answer follows.
    @Test(
        "a Content-Length that is no number is 400 and ends the connection",
        arguments: ["3, 3", "+3", "3 3", "-1", "0x3", "", "99999999999999999999999"])
    func dubiousLength(_ length: String) throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\nabc"
                + "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == 400 || answer.status == 413)
        #expect(answer["connection"] == "close")
        #expect(!String(decoding: try client.rest(), as: UTF8.self).contains("200 OK"))
    }

    @Test(
        "a transfer coding other than chunked is 501",
        arguments: ["identity", "gzip, chunked", "chunked, chunked", "xchunked", "chunked;q=1"])
    func transferCodings(_ coding: String) throws {
        let fixture = try ServerFixture()
        let answer = try fixture.answer(
            to: "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \(coding)\r\n\r\n"
                + "0\r\n\r\n")
        #expect(answer.status == 501)
    }

    private static func chunked(_ body: String) -> String {
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + body
            + "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    @Test(
        "chunks as RFC 9112 has them are joined, extensions and trailers dropped",
        arguments: [
            "3\r\nabc\r\n0\r\n\r\n", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
            "0000000000000003\r\nabc\r\n0\r\n\r\n", "3;a=b\r\nabc\r\n0\r\n\r\n",
            "3;a=\"b\"\r\nabc\r\n0;x\r\n\r\n", "3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
            "3\r\nabc\r\n000\r\n\r\n",
        ])
    func chunks(_ body: String) throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.send(Self.chunked(body))
        let answer = try client.answer()
        #expect(answer.text == "abc" && answer["connection"] == "close")
        // What follows is no request, since others may see another end.
        #expect(!String(decoding: (try? client.rest()) ?? [], as: UTF8.self).contains("hello"))
    }

    /// Whatever the two readers in a chain make of such a body, what follows it is not answered.
    @Test(
        "a dubious chunk ends the connection, and nothing after it is a request",
        arguments: [
            "3\r\nabcd\r\n0\r\n\r\n", "3\r\nab\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n",
            "+3\r\nabc\r\n0\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n", " 3\r\nabc\r\n0\r\n\r\n",
            "\r\nabc\r\n0\r\n\r\n", ";a\r\nabc\r\n0\r\n\r\n", "g\r\nabc\r\n0\r\n\r\n",
            "10000000000000003\r\nabc\r\n0\r\n\r\n", "ffffffffffffffff\r\nabc\r\n0\r\n\r\n",
            "3\r\nabc0\r\n\r\n", "3\r\r\nabc\r\n0\r\n\r\n",
            "3\nabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "3;a\nabc\r\n0\r\n\r\n",
            "3\r\nabc\r\n0\n\r\n",
        ])
    func dubiousChunk(_ body: String) throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        client.send(Self.chunked(body))
        client.endSending()
        // None at all is as good: the library waits for more of such a body, or hangs up.
        if let answer = try? client.answer() {
            // A bare LF is taken by the library.
            #expect(answer["connection"] == "close" && !answer.text.contains("hello"))
            let more = (try? client.rest()) ?? []
            #expect(!String(decoding: more, as: UTF8.self).contains("HTTP/1.1 200"))
        }
    }

    @Test("another version is 505, and what is no request at all is not answered with 200")
    func versions() throws {
        let fixture = try ServerFixture()
        #expect(
            try fixture.answer(to: "GET /hello HTTP/2.0\r\nHost: localhost\r\n\r\n").status == 505)
        for garbage in [
            "\u{16}\u{3}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET /hello\r\n\r\n",
        ] {
            let client = try fixture.client()
            client.send(garbage)
            let text = String(decoding: (try? client.rest()) ?? [], as: UTF8.self)
            #expect(!text.contains(" 200 "))
        }
    }

    @Test("random heads never bring the server down", arguments: 0..<16)
    func randomHeads(_ seed: UInt64) throws {
        let fixture = try ServerFixture()
        var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let whole = Array(
            ("POST /echo?a=b&c=%20 HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip;q=0.5, *\r\n"
                + "If-None-Match: W/\"a\", \"b\"\r\nContent-Length: 4\r\n\r\nabcd").utf8)
        for _ in 0..<20 {
            var bytes = whole
            for _ in 0..<(1 + next(4)) {
                switch next(3) {
                case 0: bytes[next(bytes.count)] = UInt8(next(256))
                case 1: bytes.remove(at: next(bytes.count))
                default: bytes.insert(UInt8(next(256)), at: next(bytes.count))
                }
            }
            let client = try fixture.client()
            client.send(bytes)
            // Many are incomplete and get no answer: the next one need not wait for them.
            _ = client.hasAnswer(within: 5)
        }
        let answer = try fixture.answer(to: "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.text == "hello")
    }

    @Test("an absolute target names the host, and Host does not count beside it")
    func absoluteTarget() throws {
        let fixture = try ServerFixture()
        let good = try fixture.answer(
            to: "GET http://localhost/hello HTTP/1.1\r\nHost: other.example\r\n\r\n")
        #expect(good.text == "hello")
        let foreign = try fixture.answer(
            to: "GET http://other.example/hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(foreign.status == 421)
    }

    @Test(
        "in loopback mode a foreign host is 421",
        arguments: [
            ("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("LOCALHOST", 200),
            ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("10.0.0.1", 421),
        ])
    func rebinding(_ host: String, _ status: Int) throws {
        let fixture = try ServerFixture()
        let answer = try fixture.answer(to: "GET /hello HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(answer.status == status)
    }

    @Test("a public URL, a proxy or a forwarded request ends loopback mode")
    func noLoopbackMode() throws {
        let publicly = try ServerFixture { $0.publicURL = "https://geo.example" }
        let bytes = "GET /hello HTTP/1.1\r\nHost: geo.example\r\n\r\n"
        #expect(try publicly.answer(to: bytes).status == 200)
        let plain = try ServerFixture()
        #expect(
            try plain.answer(
                to: "GET /hello HTTP/1.1\r\nHost: geo.example\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"
            ).status == 200)
    }
}
