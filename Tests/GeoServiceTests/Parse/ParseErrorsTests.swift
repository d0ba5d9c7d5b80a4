import GeoStore
import JSONText
import Testing

@testable import GeoService

@Suite("Parse: errors")
struct ParseErrorsTests {
    private struct Unknown: Error {}

    /// Errors, and the status and code of their answers.
    private static let answers: [(any Error, UInt16, Int64?)] = [
        (StoreError.busy, 503, 1), (StoreError.closed, 503, 1), (StoreError.diskFull, 503, 1),
        (StoreError.corrupt, 500, 1), (StoreError.database(code: 1), 500, 1), (Unknown(), 500, 1),
        (StoreError.objectNotFound(className: "A", objectId: "b"), 404, 101),
        (StoreError.documentTooLarge(bytes: 2, limitBytes: 1), 400, 155),
        (SchemaError.tooManyClasses(limit: 1), 400, 155),
        (SchemaError.tooManyFields(className: "A", limit: 1), 400, 155),
        (ParseError.objectNotFound, 404, 101), (ParseRefusal.unauthorized, 403, nil),
        (ParseRefusal.brokenBody(reason: "x"), 400, nil),
        (ParseRefusal.noRoute(method: "GET", path: "/x"), 404, 107),
        (Problem(.contentTooLarge, "x"), 413, nil),
    ]

    @Test("each error has its status and code, and nothing of the inside is told")
    func mapping() throws {
        for (error, status, code) in Self.answers {
            let response = ParseErrors.response(to: error)
            let json = try JSONParser.parse(response.bytes)
            #expect(response.status.code == status, "\(error)")
            #expect(json["code"]?.integerValue == code, "\(error)")
            #expect(json["error"]?.stringValue?.isEmpty == false)
            if status == 500 { #expect(json["error"] == "Internal server error.") }
        }
    }

    @Test("a busy store says when to try again")
    func retry() {
        let fields = ParseErrors.response(to: StoreError.busy).headers
        #expect(fields.contains { $0.name.description == "Retry-After" && $0.value == "1" })
    }
}
