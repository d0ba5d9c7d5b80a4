import TestSupport
import Testing

@testable import GeoService

@Suite("Percent-coding, queries, tags, codings and addresses")
struct TextFormsTests {
    @Test(
        "a path with one meaning is decoded",
        arguments: [
            ("/a%20b", "/a b"), ("/%C3%A4", "/ä"), ("/ä", "/ä"), ("/a+b", "/a+b"),
            ("/%2e.a", "/..a"),
            ("/%25", "/%"), ("/a/...", "/a/..."),
        ])
    func path(_ text: String, _ expected: String) throws {
        let bytes = Array(text.utf8)
        let decoded = try PercentCoding.decodedPath(bytes[...]) ?? bytes
        #expect(String(decoding: decoded, as: UTF8.self) == expected)
    }

    @Test(
        "a path with two meanings is refused",
        arguments: [
            ("/%", PercentFlaw.escape), ("/%2", .escape), ("/%zz", .escape), ("/%+1", .escape),
            ("/%00", .control), ("/%0a", .control), ("/%7f", .control), ("/a b", .control),
            ("/a%2fb", .slash), ("/a%2Fb", .slash), ("/..", .dots), ("/a/../b", .dots),
            ("/%2e%2e/b", .dots), ("/.%2e", .dots), ("/./a", .dots), ("/%ff", .utf8),
            ("/%c0%af", .utf8), ("/%ed%a0%80", .utf8),
        ])
    func badPath(_ text: String, _ flaw: PercentFlaw) {
        #expect(throws: flaw) { try PercentCoding.decodedPath(Array(text.utf8)[...]) }
    }

    private func request(
        _ target: String, _ fields: String = "", peer: String = "127.0.0.1",
        _ configure: (inout HTTPConfiguration) -> Void = { _ in }
    ) throws -> Request {
        var configuration = HTTPConfiguration()
        configure(&configuration)
        let facts = ServerFacts(configuration, listensOnLoopback: true)
        var block: [UInt8] = []
        for line in fields.split(separator: "\n") {
            block += line.replacing(":", with: "\0", maxReplacements: 1).utf8 + [0, 0]
        }
        let head = try HeaderBlock(block + [0, 0])
        return Request(
            method: .get, peer: try #require(IPAddress(peer)), head: head, facts: facts,
            target: try TargetParts(Array(target.utf8)),
            authority: head.text(.host).flatMap { Authority($0) }, route: nil,
            values: PathValues())
    }

    @Test("a query has at most 64 parameters where all are asked for")
    func manyItems() throws {
        let items = (0..<65).map { "p\($0)=\($0)" }
        let full = try request("/p?" + items.prefix(64).joined(separator: "&")).queryItems()
        #expect(full.map(\.name) == (0..<64).map { "p\($0)" })
        let more = try request("/p?" + items.joined(separator: "&"))
        let problem = #expect(throws: Problem.self) { try more.queryItems() }
        #expect(problem?.status == .badRequest)
    }

    @Test("query parameters are decoded, with + as a space")
    func query() throws {
        let request = try request("/p?a=1&b=x+y%26z&c&d=&%65=5&f=a=b&&u=%C3%A4")
        #expect(try request.query("a") == "1")
        #expect(try request.query("b") == "x y&z")
        #expect(try request.query("c") == "")
        #expect(try request.query("d") == "")
        #expect(try request.query("e") == "5")
        #expect(try request.query("f") == "a=b")
        #expect(try request.query("u") == "ä")
        #expect(try request.query("g") == nil)
        #expect(try request.queryItems().map(\.name) == ["a", "b", "c", "d", "e", "f", "u"])
        #expect(try self.request("/p").query("a") == nil)
        #expect(try self.request("/p?").queryItems().isEmpty)
    }

    @Test(
        "a query parameter with two meanings is a problem that names it",
        arguments: ["a=1&a=2", "a=1&%61=2", "a=%", "a=%f", "a=%ff", "a=%00"])
    func badQuery(_ query: String) throws {
        let request = try request("/p?\(query)")
        let problem = #expect(throws: Problem.self) { try request.query("a") }
        #expect(problem?.status == .badRequest)
        #expect(problem?.errors.first?.field == "a")
        #expect(throws: Problem.self) { try request.queryItems() }
    }

    @Test(
        "gzip is taken where it is accepted and not preferred less",
        arguments: [
            ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate, gzip;q=0.5", true),
            ("*", true), ("gzip;q=1.0, *;q=0", true), ("br", false), ("", false),
            ("gzip;q=0", false), ("gzip;q=0.000", false), ("*;q=0", false), ("gzip; q=0", false),
            ("identity", false), ("gzip;q=0.5, identity;q=0.9", false), ("*, gzip;q=0", false),
            ("gzip;q=0.001", true), ("gzip;q=x", false),
        ])
    func accepts(_ header: String, _ expected: Bool) {
        #expect(ContentCoding.acceptsGzip(Array(header.utf8)[...]) == expected)
    }

    @Test("a tag is written in hexadecimal, one for each coding")
    func tags() {
        #expect(EntityTag(0).text(.identity) == "\"0000000000000000\"")
        #expect(EntityTag(0x0123_4567_89ab_cdef).text(.gzip) == "\"0123456789abcdef-gz\"")
        #expect(
            EntityTag(high: 0xfedc_ba98_7654_3210, low: 1).text(.identity)
                == "\"fedcba98765432100000000000000001\"")
    }

    @Test(
        "addresses are read and written",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("2001:DB8::1", "2001:db8::1"),
            ("::ffff:1.2.3.4", "1.2.3.4"), ("1.2.3", nil), ("1.2.3.4:80", nil), ("[1.2.3.4]", nil),
            ("", nil), ("localhost", nil), ("1.2.3.4\0", nil), ("::1%lo", nil),
        ])
    func addresses(_ text: String, _ expected: String?) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(
        "a range holds its addresses",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false), ("::/0", "1.2.3.4", true),
            ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true),
            ("::1", "::2", false), ("192.0.2.7/32", "192.0.2.7", true),
            ("fe80::/64", "fe80::ffff", true), ("fe80::/65", "fe80::8000:0:0:0", false),
        ])
    func ranges(_ range: String, _ address: String, _ expected: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == expected)
    }

    @Test(
        "what is no range is none", arguments: ["", "10.0.0.0/33", "::/129", "1.2.3.4/-1", "a/8"])
    func badRange(_ text: String) { #expect(AddressRange(text) == nil) }

    @Test(
        "the client is the rightmost address that is not a trusted proxy's",
        arguments: [
            ("", "10.0.0.9"), ("X-Forwarded-For: 1.1.1.1", "1.1.1.1"),
            ("X-Forwarded-For: 6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"),
            ("X-Forwarded-For: 6.6.6.6\nX-Forwarded-For: 1.1.1.1", "1.1.1.1"),
            ("X-Forwarded-For: 10.0.0.1, 10.0.0.2", "10.0.0.1"),
            ("X-Forwarded-For: 6.6.6.6, nonsense, 10.0.0.2", "10.0.0.2"),
            ("Forwarded: for=1.1.1.1;proto=https", "1.1.1.1"),
            ("Forwarded: for=\"[2001:db8::1]:80\", for=10.0.0.2", "2001:db8::1"),
            ("Forwarded: for=6.6.6.6, for=\"1.1.1.1:99\"\nX-Forwarded-For: 7.7.7.7", "0.0.0.0"),
            ("Forwarded: for=6, for=\"1.1.1.1:9\"\nX-Forwarded-For: 7.7.7.7, 1.1.1.1", "1.1.1.1"),
            ("Forwarded: for=1.1.1.1\nX-Forwarded-For: 10.0.0.2", "0.0.0.0"),
            ("Forwarded: for=6.6.6.6, for=_hidden", "10.0.0.9"),
            ("Forwarded: for=\"6.6.6.6, for=1.1.1.1", "10.0.0.9"),
        ])
    func client(_ fields: String, _ expected: String) throws {
        let range = try #require(AddressRange("10.0.0.0/8"))
        let trusted = try request("/", fields, peer: "10.0.0.9") { $0.trustedProxies = [range] }
        #expect(trusted.clientAddress.description == expected)
        let foreign = try request("/", fields, peer: "9.9.9.9") { $0.trustedProxies = [range] }
        #expect(foreign.clientAddress.description == "9.9.9.9")
    }

    @Test("links use the public URL, else what a trusted proxy says, else Host")
    func links() throws {
        let range = try #require(AddressRange("127.0.0.1"))
        let forwarded = "Host: inner:1\nX-Forwarded-Proto: https\nX-Forwarded-Host: outer.example"
        #expect(try request("/", "Host: a.example:8080").baseURL == "http://a.example:8080")
        #expect(try request("/", forwarded).baseURL == "http://inner:1")
        #expect(
            try request("/", forwarded) { $0.trustedProxies = [range] }.baseURL
                == "https://outer.example")
        #expect(
            try request("/", "Host: in\nForwarded: for=1.1.1.1;proto=https;host=\"out.example\"") {
                $0.trustedProxies = [range]
            }.baseURL == "https://out.example")
        #expect(
            try request("/", forwarded) { $0.publicURL = "https://p.example/geo" }.baseURL
                == "https://p.example/geo")
        #expect(
            try request("/", "Host: in\nX-Forwarded-Host: a/b\"c") { $0.trustedProxies = [range] }
                .baseURL == "http://in")
    }

    @Test("loopback mode ends with a public URL, a trusted proxy or a forwarded request")
    func loopbackMode() throws {
        let range = try #require(AddressRange("10.0.0.1"))
        #expect(try request("/").isLoopbackMode)
        #expect(try !request("/", "Forwarded: for=1.1.1.1").isLoopbackMode)
        for name in ["Proto", "Host", "Port", "Prefix", "Server", "Ssl", "Client-Cert", "", "x"] {
            for field in ["X-Forwarded-\(name)", "x-forwarded-\(name.lowercased())"] {
                #expect(try !request("/", "\(field): 1").isLoopbackMode, "\(field)")
            }
        }
        for field in ["X-Forwarded", "Forwarded-For", "X-Forwards-For", "Forwarder"] {
            #expect(try request("/", "\(field): 1").isLoopbackMode, "\(field)")
        }
        #expect(try !request("/") { $0.publicURL = "https://a.example" }.isLoopbackMode)
        #expect(try !request("/") { $0.trustedProxies = [range] }.isLoopbackMode)
    }

    @Test("header fields are found in any case, first and all, without their blanks")
    func fields() throws {
        let request = try request(
            "/", "X-A:  one \t\nx-a: two\nContent-Type: Text/CSV; charset=utf-8\nEmpty:")
        #expect(request.header("X-a") == "one")
        #expect(request.headers("x-A") == ["one", "two"])
        #expect(request.header("empty") == "")
        #expect(request.header("none") == nil)
        #expect(request.contentType == "text/csv")
    }
}
