import Testing

@testable import GeoService

@Suite("Router")
struct RouterTests {
    private static let templates = [
        "/", "/health", "/tiles/{layer}.json", "/tiles/{layer}/{z}/{x}/{y}.png",
        "/tiles/{layer}/{z}/{x}/{y}@2x.png", "/tiles/{layer}/{z}/{x}/{y}.mvt",
        "/tiles/{layer}/legend.json", "/tiles/basemap/{z}/{x}/{y}.png", "/clusters/{layer}",
        "/clusters/{layer}/{id}/leaves", "/classes/{class}/{id}", "/assets/{path...}",
    ]

    private static let router: Router = {
        var router = Router()
        for template in templates { router.add(.get, template) { _ in .reply(Response(.ok)) } }
        router.add(.put, "/classes/{class}/{id}") { _ in .reply(Response(.ok)) }
        router.add(.post, "/classes/special/{id}") { _ in .reply(Response(.ok)) }
        return router
    }()

    private func matched(_ method: HTTPMethod, _ path: String) -> String {
        let bytes = Array(path.utf8)
        switch Self.router.match(method, bytes.span) {
        case .none: return "none"
        case .otherMethods(let methods): return methods.allowed
        case .route(let route, let values):
            let texts = (0..<values.count).map {
                String(decoding: bytes[values[$0]], as: UTF8.self)
            }
            return ([route.template.text] + texts).joined(separator: " ")
        }
    }

    @Test(
        "each path finds its template and its values",
        arguments: [
            ("/", "/"), ("/health", "/health"), ("/healthy", "none"), ("/health/", "none"),
            ("//health", "none"), ("/tiles/city.json", "/tiles/{layer}.json city"),
            ("/tiles/.json", "none"),
            ("/tiles/a/3/4/2.png", "/tiles/{layer}/{z}/{x}/{y}.png a 3 4 2"),
            ("/tiles/a/3/4/2@2x.png", "/tiles/{layer}/{z}/{x}/{y}@2x.png a 3 4 2"),
            ("/tiles/a/3/4/2.mvt", "/tiles/{layer}/{z}/{x}/{y}.mvt a 3 4 2"),
            ("/tiles/a/3/4/2.gif", "none"), ("/tiles/a/3/4/.png", "none"),
            ("/tiles/basemap/3/4/2.png", "/tiles/basemap/{z}/{x}/{y}.png 3 4 2"),
            ("/tiles/basemap/3/4/2.mvt", "/tiles/{layer}/{z}/{x}/{y}.mvt basemap 3 4 2"),
            ("/tiles/a/legend.json", "/tiles/{layer}/legend.json a"),
            ("/clusters/c", "/clusters/{layer} c"), ("/clusters/", "none"),
            ("/clusters/c/9/leaves", "/clusters/{layer}/{id}/leaves c 9"),
            ("/classes/special/7", "/classes/{class}/{id} special 7"),
            ("/assets/js/app.js", "/assets/{path...} js/app.js"),
            ("/assets/", "/assets/{path...} "), ("/assets", "none"),
        ])
    func match(_ path: String, _ expected: String) {
        #expect(matched(.get, path) == expected)
        #expect(matched(.head, path) == expected)
    }

    @Test("methods of all templates that fit are allowed, and each is found")
    func methods() {
        #expect(matched(.put, "/classes/special/7") == "/classes/{class}/{id} special 7")
        #expect(matched(.post, "/classes/special/7") == "/classes/special/{id} 7")
        #expect(matched(.delete, "/classes/special/7") == "GET, HEAD, POST, PUT, OPTIONS")
        #expect(matched(.delete, "/classes/other/7") == "GET, HEAD, PUT, OPTIONS")
        #expect(matched(.delete, "/nowhere") == "none")
    }

    /// The same decision by ten obvious lines: the first template in order of literalness whose
    /// segments fit one by one.
    private func brute(_ path: String) -> String? {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        func fits(_ part: Substring, _ segment: Substring) -> Bool {
            guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}")
            else { return part == segment }
            let (prefix, suffix) = (segment[..<open], segment[segment.index(after: close)...])
            return part.hasPrefix(prefix) && part.hasSuffix(suffix)
                && part.count > prefix.count + suffix.count
        }
        return Self.templates.filter { template in
            let segments = template.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false)
            if let rest = segments.last, rest.hasSuffix("...}") {
                return parts.count >= segments.count
                    && zip(parts, segments.dropLast()).allSatisfy { fits($0, $1) }
            }
            return parts.count == segments.count && zip(parts, segments).allSatisfy { fits($0, $1) }
        }.max { literals($0) < literals($1) }
    }

    private func literals(_ template: String) -> Int {
        var depth = 0
        return template.reduce(into: 0) { count, character in
            if character == "{" { depth += 1 }
            if depth == 0 { count += 1 }
            if character == "}" { depth -= 1 }
        }
    }

    @Test("random paths find what trying every template finds", arguments: 0..<32)
    func random(_ seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 99
        func pick(_ list: [String]) -> String {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return list[Int(state % UInt64(list.count))]
        }
        let words = [
            "tiles", "clusters", "classes", "assets", "health", "basemap", "legend.json", "a", "3",
            "2.png", "2@2x.png", "2.mvt", ".png", "", "leaves", "x.json",
        ]
        for _ in 0..<200 {
            var path = ""
            for _ in 0..<(1 + pick(["", "a", "aa", "aaa", "aaaa", "aaaaa"]).count) {
                path += "/" + pick(words)
            }
            let found = matched(.get, path).split(separator: " ").first.map { String($0) }
            #expect((found == "none" ? nil : found) == brute(path), "\(path)")
        }
    }
}
