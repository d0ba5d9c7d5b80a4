import TestSupport
import Testing

@testable import GeoService

@Suite("Tags, codings and shared answers over real sockets")
struct ContentTests {
    static let large = Array(String(repeating: "{\"a\":[1,2,3]},", count: 200).utf8)

    private func fixture(
        _ configure: (inout HTTPConfiguration) -> Void = { _ in }
    ) throws -> ServerFixture {
        let png = CachedResponse(
            {
                var response = Response(.ok, .png, [UInt8](repeating: 7, count: 5_000))
                response.entityTag = EntityTag(high: 1, low: 2)
                return response
            }())
        let json = CachedResponse(Self.tagged(.ok))
        return try ServerFixture(configure) { router in
            router.add(.get, "/png") { _ in .reply(Response(png)) }
            router.add(.get, "/cached") { _ in .reply(Response(json)) }
            router.add(.get, "/json") { _ in .reply(Self.tagged(.ok)) }
            router.add(.get, "/small") { _ in
                .reply(Response(.ok, .json, [UInt8](repeating: 0x31, count: 1_000)))
            }
            router.add(.get, "/failed") { _ in .reply(Self.tagged(.badRequest)) }
            router.add(.get, "/known") { request in
                let tag = EntityTag(0xab)
                return request.has(tag) ? .reply(.notModified(tag)) : .reply(Self.tagged(.ok))
            }
        }
    }

    private static func tagged(_ status: HTTPStatus) -> Response {
        var response = Response(status, .json, large)
        response.entityTag = EntityTag(0xab)
        response.cacheControl = "public, no-cache"
        return response
    }

    @Test(
        "JSON over 1 kB is gzipped when asked for, with its own tag", arguments: ["json", "cached"])
    func gzip(_ path: String) throws {
        let fixture = try fixture()
        let client = try fixture.client()
        for _ in 0..<2 {
            client.get("/\(path)")
            let plain = try client.answer()
            #expect(plain.body == Self.large)
            #expect(plain["content-encoding"] == nil)
            #expect(plain["vary"] == "Accept-Encoding")
            #expect(plain["etag"] == "\"00000000000000ab\"")
            client.get("/\(path)", "Accept-Encoding: br, gzip")
            let packed = try client.answer()
            #expect(packed["content-encoding"] == "gzip")
            #expect(packed["vary"] == "Accept-Encoding")
            #expect(packed["etag"] == "\"00000000000000ab-gz\"")
            #expect(packed["cache-control"] == "public, no-cache")
            #expect(packed.body.count < 500)
            #expect(packed.body.starts(with: [0x1f, 0x8b]))
            // RFC 1952: the last four bytes are the length before packing.
            let tail = packed.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(tail == Self.large.count)
        }
    }

    @Test("PNG and small bodies are never gzipped")
    func neverGzipped() throws {
        let fixture = try fixture()
        let client = try fixture.client()
        for path in ["/png", "/small"] {
            client.get(path, "Accept-Encoding: gzip")
            let answer = try client.answer()
            #expect(answer["content-encoding"] == nil)
            #expect(answer["vary"] == nil)
        }
    }

    @Test(
        "If-None-Match gives 304 with tag, caching and length of the whole",
        arguments: ["/json", "/cached"],
        ["\"00000000000000ab\"", "W/\"00000000000000ab\"", "\"x\", \"00000000000000ab\"", "*"])
    func notModified(_ path: String, _ header: String) throws {
        let fixture = try fixture()
        let client = try fixture.client()
        client.get(path, "If-None-Match: \(header)")
        let answer = try client.answer()
        #expect(answer.status == 304)
        #expect(answer["etag"] == "\"00000000000000ab\"")
        #expect(answer["cache-control"] == "public, no-cache")
        #expect(answer["vary"] == "Accept-Encoding")
        #expect(answer["access-control-allow-origin"] == "*")
        #expect(answer["content-length"] == "\(Self.large.count)")
        client.get(path, method: "HEAD")
        #expect(try client.answer(toHEAD: true)["content-length"] == "\(Self.large.count)")
        client.get(path)
        #expect(try client.answer().body == Self.large)
    }

    @Test("a tag of another coding or of other content does not give 304")
    func modified() throws {
        let fixture = try fixture()
        let client = try fixture.client()
        for header in ["\"00000000000000ab-gz\"", "\"00000000000000ac\"", "00000000000000ab", ""] {
            client.get("/json", "If-None-Match: \(header)")
            #expect(try client.answer().status == 200)
        }
        client.get(
            "/json", "If-None-Match: \"00000000000000ab-gz\"", "Accept-Encoding: gzip")
        let packed = try client.answer()
        #expect(packed.status == 304)
        #expect(packed["etag"] == "\"00000000000000ab-gz\"")
        client.get("/failed", "If-None-Match: *")
        #expect(try client.answer().status == 400)
    }

    @Test("a handler that knows the tag need not make the body")
    func known() throws {
        let fixture = try fixture()
        let client = try fixture.client()
        let plain = "00000000000000ab"
        for (known, accepted, tag) in [
            (plain, "", plain), (plain, "gzip", plain), (plain + "-gz", "gzip", plain + "-gz"),
            (plain + "-gz", "", plain + "-gz"),
        ] {
            client.get("/known", "If-None-Match: \"\(known)\"", "Accept-Encoding: \(accepted)")
            let answer = try client.answer()
            #expect(answer.status == 304)
            #expect(answer["etag"] == "\"\(tag)\"")
            #expect(answer["cache-control"] == "public, no-cache")
            #expect(answer["vary"] == "Accept-Encoding")
        }
        client.get("/known", "If-None-Match: \"0\"")
        #expect(try client.answer().status == 200)
    }

    @Test("a shared answer serves many connections at once, and outlives its server")
    func shared() async throws {
        let cached = CachedResponse(Self.tagged(.ok))
        for _ in 0..<2 {
            let fixture = try ServerFixture { _ in
            } routes: { router in
                router.add(.get, "/cached") { _ in .reply(Response(cached)) }
            }
            let clients = try (0..<20).map { _ in try fixture.client() }
            for client in clients { client.get("/cached") }
            for client in clients { #expect(try client.answer().body == Self.large) }
        }
    }

    @Test("a value with a line break is left out, never sent")
    func headerInjection() throws {
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.get, "/go") { request in
                var response = Response(.found)
                response.headers = [
                    HeaderField("Location", try request.query("to") ?? ""),
                    HeaderField("X-After", "kept"),
                ]
                return .reply(response)
            }
        }
        let client = try fixture.client()
        client.get("/go?to=/a%0d%0aSet-Cookie:%20x=y")
        let answer = try client.answer()
        #expect(answer["set-cookie"] == nil)
        #expect(answer["location"] == nil)
        #expect(answer["x-after"] == "kept")
    }
}
