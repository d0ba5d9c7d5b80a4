import Foundation
import GeoStore
import JSONText
import TestSupport
import Testing
import TileRender

@testable import GeoService

@Suite("The OpenAPI document")
struct OpenAPITests {
    /// A path and one of its methods, such as `GET /near/{layer}`.
    private typealias Calls = Set<String>

    /// The methods that may be documented, in lower case as in the document.
    private static let methods: [(name: String, method: HTTPMethod)] =
        [HTTPMethod.get, .post, .put, .patch, .delete].map { ($0.name.lowercased(), $0) }

    @Test("has the routes of the service, all of them and no others")
    func routes() throws {
        let folder = try AssetFolder()
        defer { folder.remove() }
        var router = Router()
        let core = try ServiceCore(folder.configuration, assets: folder.assets) { _ in }
        defer { core.close() }
        try core.register(in: &router, assets: folder.assets)
        var pages = Router()
        try StaticFiles(folder.assets).register(in: &pages)

        let documented = try Self.documentedCalls()
        let routed = Self.calls(of: router).subtracting(Self.calls(of: pages))
        // Under /parse every path takes every method, since a body may name another one.
        let parse = "/parse/"
        #expect(documented.filter { !$0.contains(parse) } == routed.filter { !$0.contains(parse) })
        #expect(documented.isSubset(of: routed))
        // What is left of the mount is answered with an error.
        let paths = Set(routed.map(Self.path)).subtracting(["/parse/{path...}"])
        #expect(Set(documented.map(Self.path)) == paths)
        #expect(documented.count > 20, "the comparison is of something")
    }

    @Test("is refused when it is missing or no JSON object")
    func broken() throws {
        let folder = try AssetFolder()
        defer { folder.remove() }
        try folder.write("[1]", "web/openapi.json")
        #expect(throws: SettingError.self) { try OpenAPIRoutes(folder.assets) }
        try folder.write("{", "web/openapi.json")
        #expect(throws: SettingError.self) { try OpenAPIRoutes(folder.assets) }
        try FileManager.default.removeItem(at: folder.root.appending(path: "web/openapi.json"))
        #expect(throws: SettingError.self) { try OpenAPIRoutes(folder.assets) }
    }

    private static func path(_ call: String) -> String {
        String(call.drop { $0 != "/" })
    }

    private static func documentedCalls() throws -> Calls {
        let file = AssetFolder.checkout.appending(path: "web/openapi.json")
        let document = try JSONParser.parse(Array(Data(contentsOf: file)))
        let paths = try #require(document["paths"]?.objectValue)
        var calls = Calls()
        for path in paths {
            for (name, method) in methods where path.value[name] != nil {
                calls.insert("\(method.name) \(path.key)")
            }
        }
        return calls
    }

    private static func calls(of router: Router) -> Calls {
        var calls = Calls()
        for template in router.templates {
            // A template matches itself: its parameters are texts like others.
            let path = Array(template.utf8)
            for (_, method) in methods {
                guard case .route(let route, _) = router.match(method, path.span) else { continue }
                calls.insert("\(method.name) \(route.template.text)")
            }
        }
        return calls
    }
}

/// The page's folder, the document and a world map without land: a start with the real one takes
/// seconds.
private struct AssetFolder {
    static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../..").standardized

    let root: URL

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "openapi-\(UUID())")
        for folder in ["web", "styles"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: folder), withIntermediateDirectories: true)
        }
        for name in [
            "web/index.html", "web/openapi.json", "styles/basemap.json", "styles/marks.json",
        ] {
            try FileManager.default.copyItem(
                at: Self.checkout.appending(path: name), to: root.appending(path: name))
        }
        try Data(Self.emptyMap()).write(to: root.appending(path: "world.geo"))
    }

    func remove() { try? FileManager.default.removeItem(at: root) }

    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: root.appending(path: name))
    }

    var assets: Assets {
        get throws { try Assets(root: root.path(percentEncoded: false)) }
    }

    var configuration: Configuration {
        var configuration = Configuration()
        configuration.dataDirectory = root.appending(path: "data").path(percentEncoded: false)
        return configuration
    }

    /// A file of the format in `fixtures/world/README.md`: one band for all zooms, no label.
    private static func emptyMap() throws -> [UInt8] {
        let content: [UInt8] = [1, 0, 22, 8, 0, 8, 0]
        let packed = try Deflater(level: 1).zlib(content)
        func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        return Array("GEOWORLD".utf8) + number(1) + number(UInt32(content.count))
            + number(UInt32(packed.count)) + number(Deflater.crc32(packed.span)) + packed
    }
}
