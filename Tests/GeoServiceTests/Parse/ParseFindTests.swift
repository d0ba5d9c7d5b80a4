import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Parse: lists of objects")
struct ParseFindTests {
    @Test("a list has at most 100 objects unless told otherwise, in the order of the ids")
    func defaults() throws {
        let service = try TestService()
        #expect(try service.call("GET", "/classes/None").json == ["results": []])
        let body: JSONValue = [
            "requests": .array(
                (0..<130).map {
                    ["method": "POST", "path": "/parse/classes/T", "body": ["n": .integer($0)]]
                })
        ]
        #expect(try service.call("POST", "/batch", body).json.arrayValue?.count == 130)
        func ids(_ query: String) throws -> [String] {
            try service.call("GET", "/classes/T" + query).results
                .compactMap { $0["objectId"]?.stringValue }
        }
        let all = try ids("?limit=1000")
        #expect(all.count == 130 && all == all.sorted() && Set(all).count == 130)
        #expect(try ids("") == Array(all[..<100]))
        #expect(try ids("?skip=120") == Array(all[120...]))
        #expect(try ids("?skip=7&limit=5") == Array(all[7..<12]))
        #expect(try ids("?skip=500") == [])
        #expect(try ids("?limit=99999999999") == all)
        #expect(try service.call("GET", "/classes/T?limit=0").json == ["results": []])
        #expect(
            try service.call("GET", "/classes/T?limit=0&count=1&skip=9").json
                == ["results": [], "count": 130])
        var walked: [String] = []
        while walked.count < 130 { walked += try ids("?limit=20&skip=\(walked.count)") }
        #expect(walked == all)
    }

    @Test("an order sorts as its twin of ten lines does", arguments: 0..<6)
    func orders(seed: Int) throws {
        let service = try TestService()
        var random = SeededGenerator(seed: UInt64(seed))
        let words = ["", "a", "B", "b", "é", "ä", "aa"]
        let requests = (0..<60).map { _ -> JSONValue in
            var fields = JSONObject()
            if Bool.random(using: &random) {
                fields["n"] = .integer(.random(in: -3...3, using: &random))
            }
            if Bool.random(using: &random) {
                fields["s"] = .string(words.randomElement(using: &random) ?? "")
            }
            fields["o"] = ["k": .number(Double.random(in: -1...1, using: &random))]
            return ["method": "POST", "path": "/parse/classes/T", "body": .object(fields)]
        }
        try service.call("POST", "/batch", ["requests": .array(requests)])
        let all = try service.call("GET", "/classes/T?limit=100").results
        #expect(all.count == 60)
        for order in [
            ["n"], ["-n", "s"], ["-s", "-objectId"], ["o.k"], ["-o.k"], ["createdAt", "n"],
            ["-_updated_at"], ["none", "-n"],
        ] {
            let twin = all.sorted { left, right in
                for key in order + ["objectId"] {
                    let (a, b) = (Self.key(key, left), Self.key(key, right))
                    if a != b {
                        return key.hasPrefix("-") ? Self.precedes(b, a) : Self.precedes(a, b)
                    }
                }
                return false
            }
            for query in [
                order.joined(separator: ","), "[\"" + order.joined(separator: "\",\"") + "\"]",
            ] {
                let escaped = query.replacing("\"", with: "%22")
                let skip = Int.random(in: 0..<30, using: &random)
                let found = try service.call(
                    "GET", "/classes/T?limit=20&skip=\(skip)&order=\(escaped)")
                #expect(found.results == Array(twin[skip..<(skip + 20)]), "\(order)")
            }
        }
    }

    private static func key(_ key: String, _ object: JSONValue) -> JSONValue {
        let name = key.drop { $0 == "-" }.replacing("_updated_at", with: "updatedAt")
        return name.split(separator: ".").reduce(object) { $0[String($1)] ?? .null }
    }

    private static func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, _): !right.isNull
        case (_, .null): false
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: (left.doubleValue ?? 0) < (right.doubleValue ?? 0)
        }
    }

    @Test(
        "a parameter that is wrong, unknown or not there yet is refused and named",
        arguments: [
            ("limit=-1", 102, "limit"), ("limit=x", 102, "limit"), ("limit=1.5", 102, "limit"),
            ("limit=", 102, "limit"), ("skip=-1", 102, "skip"), ("skip=1000001", 102, "skip"),
            ("skip=%7B%7D", 102, "skip"), ("count=2", 102, "count"), ("count=x", 102, "count"),
            ("order=9bad", 105, "9bad"), ("order=a%22b", 105, "a"), ("order=5", 102, "order"),
            ("order=a..b", 105, "a..b"), ("order=a.%5C", 105, "a."), ("order=a.%01", 105, "a."),
            ("order=a.b%22", 105, "a.b"),
            ("order=%5B1%5D", 102, "order"),
            ("where=%7B%22$a%22:1%7D", 102, "where"), ("where=5", 102, "where"),
            ("where=%7B", 102, "where"), ("include=a..b", 102, "include"),
            ("keys=a..b", 102, "keys"), ("excludeKeys=5", 102, "excludeKeys"),
            ("includeAll=5", 102, "includeAll"),
            ("explain=true", 102, "explain"), ("frobnicate=1", 102, "frobnicate"),
            ("order=a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", 102, "order"),
        ])
    func badParameters(query: String, code: Int64, name: String) throws {
        let service = try TestService()
        let reply = try service.call("GET", "/classes/T?\(query)")
        #expect(reply.status == 400)
        #expect(reply.code == code)
        #expect(reply.json["error"]?.stringValue?.contains(name) == true)
    }

    @Test("parameters without effect, and a condition of nothing, are taken")
    func harmlessParameters() throws {
        let service = try TestService()
        let id = try service.create("T", [:])
        for query in [
            "where=%7B%7D", "comment=x", "hint=a", "readPreference=SECONDARY",
            "skip=0", "count=false",
        ] {
            #expect(try service.call("GET", "/classes/T?\(query)").results.count == 1)
        }
        for key in ["o.[0]", "o.%24", "o.%C3%A9", "o.%23-1", "o.k%20k", "o.*", "o.'"] {
            #expect(try service.call("GET", "/classes/T?order=\(key)").results.count == 1)
        }
        let read = try service.call("GET", "/classes/T/\(id)?readPreference=SECONDARY")
        #expect(read.status == 200)
        for query in ["comment=x", "limit=1", "nonsense=1"] {
            #expect(try service.call("GET", "/classes/T/\(id)?\(query)").code == 102)
        }
    }
}
