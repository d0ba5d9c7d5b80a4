import JSONText
import Synchronization

/// `GET /v1/api`: the description of all routes in OpenAPI 3.0.
///
/// The document is the file `openapi.json` of the page's folder; only its servers are set here, to
/// the address that the client knows the service by. A test holds its paths to the router's.
final class OpenAPIRoutes: Sendable {
    private static let fileName = "openapi.json"
    private static let fileLimitBytes = 4 << 20

    private let document: JSONObject
    /// The answer for one address: nearly all clients know the service by the same one.
    private let last = Mutex<(base: String, answer: CachedResponse)?>(nil)

    /// Reads the document.
    ///
    /// - Throws: ``SettingError`` when it is missing or is not a JSON object.
    init(_ assets: Assets) throws(SettingError) {
        let path = assets.web + "/" + OpenAPIRoutes.fileName
        guard let bytes = try SmallFile.read(path, limitBytes: OpenAPIRoutes.fileLimitBytes) else {
            throw SettingError(OpenAPIRoutes.fileName, "was not found beside index.html")
        }
        guard let value = try? JSONParser.parse(bytes), let document = value.objectValue else {
            throw SettingError(OpenAPIRoutes.fileName, "beside index.html is not a JSON object")
        }
        self.document = document
    }

    func register(in router: inout Router) {
        router.add(.get, "/v1/api") { [self] request in
            if let item = try request.queryItems().first {
                throw Problem.parameter(item.name, "is not a parameter: this address takes none")
            }
            return .reply(Response(answer(base: request.baseURL)))
        }
    }

    private func answer(base: String) -> CachedResponse {
        if let known = last.withLock({ $0?.base == base ? $0?.answer : nil }) { return known }
        var document = document
        document["servers"] = [["url": .string(base)]]
        let answer = CachedResponse(.tagged(.openAPI, JSONWriter.encode(.object(document))))
        last.withLock { $0 = (base, answer) }
        return answer
    }
}
