import GeoIndex
import GeoStore
import JSONText
import Testing

@testable import GeoService

@Suite("Parse: batches")
struct ParseBatchTests {
    private func part(_ method: String, _ path: String, _ body: JSONValue? = nil) -> JSONValue {
        var part: JSONObject = ["method": .string(method), "path": .string("/parse\(path)")]
        if let body { part["body"] = body }
        return .object(part)
    }

    @Test("each request has a fate of its own, in its place")
    func fates() throws {
        let service = try TestService()
        let id = try service.create("T", ["n": 1])
        let hidden = try service.create("T", ["n": 1, "ACL": [:]])
        let reply = try service.call(
            "POST", "/batch",
            [
                "requests": [
                    part("POST", "/classes/T", ["n": 2]), part("POST", "/classes/T", ["n": "text"]),
                    part("DELETE", "/classes/T/nopenopeno"),
                    part("PUT", "/classes/T/\(id)", ["n": ["__op": "Increment", "amount": 4]]),
                    part("GET", "/classes/T/\(id)"), part("PUT", "/classes/T/\(hidden)", ["n": 9]),
                    part("GET", "/classes/T?limit=0&count=1"),
                    part("GET", "/classes/T", ["limit": -1]),
                    part("POST", "/classes/T", [1]), part("POST", "/classes/_Hooks", [:]),
                    part("POST", "/classes/T", ["9x": 1]),
                    part("put", "/classes/T/\(id)", ["n": 7]),
                    part("DELETE", "/classes/T/\(id)"), part("DELETE", "/classes/T/\(id)"),
                ]
            ])
        #expect(reply.status == 200)
        let fates = try #require(reply.json.arrayValue)
        #expect(fates.count == 14)
        #expect(
            fates.map { $0["error"]?["code"]?.integerValue } == [
                nil, 111, 101, nil, 101, 101, nil, 102, 107, 119, 105, nil, nil, 101,
            ])
        #expect(fates[0]["success"]?.objectValue?.keys == ["objectId", "createdAt"])
        #expect(fates[3]["success"]?.objectValue?.keys == ["updatedAt", "n"])
        #expect(fates[3]["success"]?["n"] == 5)
        // Reads see what the batch has written.
        #expect(fates[6]["success"] == ["results": [], "count": 1])
        #expect(fates[12]["success"] == [:])
        #expect(try service.object("T", hidden, as: .master)["n"] == 1)
    }

    @Test("a batch of nothing is a list of nothing")
    func empty() throws {
        let service = try TestService()
        for flag in [false, true] as [JSONValue] {
            let reply = try service.call("POST", "/batch", ["requests": [], "transaction": flag])
            #expect(reply.status == 200 && reply.json == [])
        }
    }

    @Test("with transaction all is done, or nothing")
    func transactions() throws {
        let service = try TestService()
        let id = try service.create("T", ["n": 1])
        func run(_ second: JSONValue) throws -> TestService.Reply {
            try service.call(
                "POST", "/batch",
                [
                    "transaction": true,
                    "requests": [
                        part("POST", "/classes/T", ["n": 2, "extra": 1]),
                        part("PUT", "/classes/T/\(id)", second),
                        part("POST", "/classes/Other", ["place": geoPoint(lon: 1, lat: 2)]),
                    ],
                ])
        }
        let before = try service.object("T", id)
        for bad: JSONValue in [["n": "text"], ["9x": 1]] {
            let failed = try run(bad)
            #expect(failed.status == 400)
            #expect(failed.json.arrayValue?.count == 3)
            #expect(failed.json.arrayValue?[1]["error"]?["code"]?.integerValue != nil)
            #expect(try service.object("T", id) == before)
            #expect(try service.call("GET", "/classes/T?count=1").json["count"] == 1)
            #expect(service.core.store.catalog["T"]?.fields.count == 1)
            #expect(service.core.store.catalog["Other"] == nil)
            #expect(service.core.catalog.layer(named: "Other") == nil)
        }
        let done = try run(["n": 5])
        #expect(done.status == 200)
        #expect(done.json.arrayValue?.allSatisfy { $0["success"] != nil } == true)
        #expect(try service.object("T", id)["n"] == 5)
        #expect(service.core.catalog.layer(named: "Other")?.current.count == 1)
        let mixed = try service.call(
            "POST", "/batch", ["transaction": true, "requests": [part("GET", "/classes/T")]])
        #expect(mixed.code == 107)
    }

    @Test(
        "a batch that is none is refused whole, and nothing of it is done",
        arguments: [
            [:], ["requests": "x"], ["requests": ["x"]], ["requests": [[:]]],
            ["requests": [["method": "POST"]]], ["requests": [["path": "/parse/classes/T"]]],
            ["requests": [["method": "POST", "path": "/classes/T"]]],
            ["requests": [["method": "POST", "path": "/1/classes/T"]]],
            ["requests": [["method": "POST", "path": "/parsed/classes/T"]]],
            ["requests": [["method": "POST", "path": "/parse/nothing"]]],
            ["requests": [["method": "POST", "path": "/parse/batch"]]],
            ["requests": [["method": "POST", "path": "/parse/classes/T/x"]]],
            ["requests": [["method": "DELETE", "path": "/parse/classes/T"]]],
            ["requests": [["method": "BREW", "path": "/parse/classes/T"]]],
        ] as [JSONValue])
    func noBatches(body: JSONValue) throws {
        let service = try TestService()
        var parts = body["requests"]?.arrayValue ?? []
        let isList = body["requests"]?.arrayValue != nil
        parts.insert(part("POST", "/classes/First", ["n": 1]), at: 0)
        let sent: JSONValue = isList ? ["requests": .array(parts)] : body
        let reply = try service.call("POST", "/batch", sent)
        #expect(reply.status == 400)
        #expect(reply.code == 107)
        #expect(service.core.store.catalog["First"] == nil)
    }

    @Test("the public address's path is a mount, too")
    func publicMount() throws {
        let service = try TestService {
            $0.publicURL = "https://maps.example.org/geo"
            $0.clientClassCreation = true
        }
        for path in ["/geo/parse/classes/T", "/parse/classes/T"] {
            let reply = try service.call(
                "POST", "/batch",
                ["requests": [["method": "POST", "path": .string(path), "body": [:]]]])
            #expect(reply.status == 200)
            #expect(reply.json.arrayValue?.first?["success"] != nil)
        }
    }

    @Test("a batch has at most 50 queries, and nothing of a longer one is done")
    func findLimit() throws {
        let service = try TestService()
        _ = try service.create("T", [:])
        let finds = Array(repeating: part("GET", "/classes/T?limit=1"), count: 50)
        let good = try service.call("POST", "/batch", ["requests": .array(finds)])
        #expect(good.json.arrayValue?.count == 50)
        #expect(good.json.arrayValue?.allSatisfy { $0["success"] != nil } == true)
        let more = [part("POST", "/classes/T", [:])] + finds + [finds[0]]
        let refused = try service.call("POST", "/batch", ["requests": .array(more)])
        #expect(refused.status == 400 && refused.code == 155)
        #expect(try service.call("GET", "/classes/T?count=1").json["count"] == 1)
    }

    @Test("a batch has a limit, and up to it is one commit")
    func limit() throws {
        let service = try TestService()
        func batch(_ count: Int) -> JSONValue {
            let part = part("POST", "/classes/T", ["place": geoPoint(lon: 1, lat: 2)])
            return ["requests": .array(Array(repeating: part, count: count))]
        }
        _ = try service.create("T", ["place": geoPoint(lon: 1, lat: 2)])
        let before = service.core.catalog.layer(named: "T")?.current.generation
        #expect(try service.call("POST", "/batch", batch(1_000)).json.arrayValue?.count == 1_000)
        let after = service.core.catalog.layer(named: "T")?.current
        #expect(after?.count == 1_001)
        #expect(after?.generation == before.map { $0 + 1 })
        let refused = try service.call("POST", "/batch", batch(1_001))
        #expect(refused.status == 400 && refused.code == 155)
    }
}
