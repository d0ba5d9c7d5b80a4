import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Parse: objects")
struct ParseObjectTests {
    @Test("create, read, update and delete answer exactly what they should")
    func lifeOfAnObject() throws {
        let service = try TestService()
        let made = try service.call("POST", "/classes/Thing", ["a": 1, "b": "x", "z": nil])
        #expect(made.status == 201)
        #expect(made.json.objectValue?.keys == ["objectId", "createdAt"])
        let id = try #require(made.json["objectId"]?.stringValue)
        #expect(id.utf8.count == 10)
        #expect(
            id.utf8.allSatisfy {
                UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "z") && $0 != UInt8(ascii: "_")
            })
        #expect(made.answer["location"] == "http://localhost/parse/classes/Thing/\(id)")
        let createdAt = try #require(made.json["createdAt"]?.stringValue)
        #expect(createdAt.utf8.count == 24 && createdAt.hasSuffix("Z"))
        #expect(Timestamp(rfc3339: createdAt) != nil)
        #expect(
            try service.object("Thing", id) == [
                "objectId": .string(id), "createdAt": .string(createdAt),
                "updatedAt": .string(createdAt), "a": 1, "b": "x", "z": nil,
            ])

        let changed = try service.call(
            "PUT", "/classes/Thing/\(id)",
            [
                "objectId": .string(id), "createdAt": "2000-01-01T00:00:00.000Z", "updatedAt": 5,
                "a": 2, "c": [true, nil],
            ])
        #expect(changed.status == 200)
        #expect(changed.json.objectValue?.keys == ["updatedAt"])
        let updatedAt = try #require(changed.json["updatedAt"]?.stringValue)
        #expect(updatedAt >= createdAt)
        #expect(
            try service.object("Thing", id) == [
                "objectId": .string(id), "createdAt": .string(createdAt),
                "updatedAt": .string(updatedAt), "a": 2, "b": "x", "z": nil, "c": [true, nil],
            ])

        let gone = try service.call("DELETE", "/classes/Thing/\(id)")
        #expect(gone.status == 200 && gone.json == [:])
        for (method, body) in [("GET", nil), ("PUT", ["a": 1]), ("DELETE", nil)]
            as [(String, JSONValue?)]
        {
            let reply = try service.call(method, "/classes/Thing/\(id)", body)
            #expect(reply.status == 404)
            #expect(reply.json == ["code": 101, "error": "Object not found."])
        }
    }

    @Test("links begin with the public address when there is one")
    func publicLinks() throws {
        let service = try TestService { $0.publicURL = "https://maps.example.org/geo" }
        let made = try service.call(
            "POST", "/classes/Thing", ["f": ["__type": "File", "name": "a b/ä.png"]], as: .master)
        let id = try #require(made.json["objectId"]?.stringValue)
        let mount = "https://maps.example.org/geo/parse"
        #expect(made.answer["location"] == "\(mount)/classes/Thing/\(id)")
        #expect(
            try service.object("Thing", id)["f"]?["url"]
                == .string("\(mount)/files/test-app/a%20b%2F%C3%A4.png"))
    }

    /// Values that come back as they were sent.
    private static let values: [JSONValue] = [
        1, -0.5, 9_007_199_254_740_993, 1e300, "", "Zoë \u{0} 😀", true, nil, [],
        [1, [nil, ["k": 2]]], [:],
        ["a": ["b": [1, 2]], "é": nil],
        ["__type": "GeoPoint", "latitude": 44.0001234, "longitude": -11.987654321],
        ["__type": "GeoPoint", "latitude": -90, "longitude": 180],
        ["__type": "Date", "iso": "1969-12-31T23:59:59.999Z"],
        ["__type": "Pointer", "className": "_User", "objectId": "abc"],
        ["__type": "Bytes", "base64": "AAECAwT/"],
        ["__type": "File", "name": "pic.png", "url": "https://files.example.org/pic.png"],
        ["__type": "Relation", "className": "Other"],
        ["__type": "Polygon", "coordinates": [[0, 0], [0, 1], [1, 1], [0, 0]]],
        [["__type": "GeoPoint", "latitude": 1, "longitude": 2]],
    ]

    @Test("values come back as they were sent", arguments: values)
    func roundTrip(value: JSONValue) throws {
        let service = try TestService()
        let id = try service.create("Thing", ["v": value])
        #expect(try service.object("Thing", id)["v"] == value)
        let other = try service.create("Thing", [:])
        try service.call("PUT", "/classes/Thing/\(other)", ["v": value])
        #expect(try service.object("Thing", other)["v"] == value)
    }

    /// Values that are stored in another form than they are sent in.
    private static let canonical: [(JSONValue, JSONValue)] = [
        (
            ["__type": "Date", "iso": "2026-05-04T05:02:01+02:00", "x": 1],
            ["__type": "Date", "iso": "2026-05-04T03:02:01.000Z"]
        ),
        (
            ["__type": "Pointer", "className": "A", "objectId": "b", "title": "extra"],
            ["__type": "Pointer", "className": "A", "objectId": "b"]
        ),
        (
            ["__type": "Polygon", "coordinates": [[0, 0], [0, 1], [1, 1]]],
            ["__type": "Polygon", "coordinates": [[0, 0], [0, 1], [1, 1], [0, 0]]]
        ),
    ]

    @Test("dates, pointers and polygons are stored in one form", arguments: canonical)
    func canonicalForms(sent: JSONValue, stored: JSONValue) throws {
        let service = try TestService()
        let id = try service.create("Thing", ["v": sent])
        #expect(try service.object("Thing", id)["v"] == stored)
    }

    /// Bodies that are refused, and the code.
    private static let refused: [(JSONValue, Int64)] = [
        (["p": ["__type": "GeoPoint", "latitude": 0, "longitude": 181]], 111),
        (["p": ["__type": "GeoPoint", "latitude": -90.1, "longitude": 0]], 111),
        (["p": ["__type": "GeoPoint", "latitude": 0]], 111),
        (["p": ["__type": "GeoPoint", "latitude": "0", "longitude": 0]], 111),
        (["p": ["__type": "GeoPoint", "latitude": 0, "longitude": 0, "x": 1]], 111),
        (["p": geoPoint(lon: 1, lat: 1), "q": geoPoint(lon: 2, lat: 2)], 111),
        (["p": ["__type": "Date"]], 111), (["p": ["__type": "Date", "iso": "2026-02-30"]], 111),
        (["p": ["__type": "Pointer", "className": "A"]], 106),
        (["p": ["__type": "Pointer", "className": "9", "objectId": "a"]], 106),
        (["p": ["__type": "Polygon", "coordinates": [[0, 0], [1, 1]]]], 111),
        (["p": ["__type": "Polygon", "coordinates": [[0, 0], [1, 1], [0, 0]]]], 111),
        (["p": ["__type": "Polygon", "coordinates": [[0, 0], [1, 1], [91, 0]]]], 111),
        (["p": ["__type": "File"]], 111), (["p": ["__type": "Bytes"]], 111),
        (["p": ["__type": "Nonsense"]], 111), (["p": ["__type": 1]], 111),
        (["9x": 1], 105), (["a-b": 1], 105), (["_x": 1], 105), (["a.b": 1], 105), (["": 1], 105),
        (["length": 1], 105), (["className": "A"], 105), (["__type": "Object"], 105),
        (["objectId": "mine"], 105), (["id": "mine"], 105),
        (["o": ["a.b": 1]], 121), (["o": ["a": [["$b": 1]]]], 121),
        (["ACL": "x"], 123), (["ACL": ["*": ["read": 1]]], 123), (["ACL": ["*": true]], 123),
        (["text": ["__op": "Add", "objects": [1]]], 111), (["n": ["__op": "Add"]], 107),
        (["n": ["__op": "Nonsense"]], 108), (["n": ["__op": 1]], 108),
        (["n": ["__op": "Increment"]], 107), (["n": ["__op": "Increment", "amount": "1"]], 107),
        (["text": 5], 111),
    ]

    @Test("bad bodies are refused with their code, and nothing of them is kept")
    func refusals() throws {
        let service = try TestService()
        let id = try service.create("Thing", ["text": "x"])
        let before = try service.object("Thing", id)
        for (body, code) in Self.refused {
            let made = try service.call("POST", "/classes/Thing", body)
            #expect(made.status == 400, "\(body)")
            #expect(made.code == code, "\(body) \(made.answer.text)")
            // In an update the id is an id, and a dot leads into an object.
            if body["objectId"] != nil || body["a.b"] != nil || body["id"] != nil { continue }
            let changed = try service.call("PUT", "/classes/Thing/\(id)", body)
            #expect(changed.status == 400, "\(body)")
            #expect(changed.code == code, "\(body) \(changed.answer.text)")
        }
        #expect(try service.object("Thing", id) == before)
        #expect(try service.call("GET", "/classes/Thing?count=1").json["count"] == 1)
        #expect(service.core.store.catalog["Thing"]?.fields == ["text": .string])
    }

    @Test("a mismatch names the class, the field and both types")
    func mismatchText() throws {
        let service = try TestService()
        _ = try service.create("Thing", ["n": 1])
        let reply = try service.call("POST", "/classes/Thing", ["n": "text"])
        #expect(
            reply.json["error"] == "schema mismatch for Thing.n; expected Number but got String")
    }

    @Test("an operation in a value that is not a field's is refused as a value")
    func nestedOperations() throws {
        let service = try TestService()
        let reply = try service.call(
            "POST", "/classes/Thing", ["o": ["__op": "Batch", "ops": [["__op": "Add"]]]])
        #expect(reply.code == 108)
        #expect(reply.json["error"]?.stringValue?.contains("Add") == true)
    }

    @Test("Delete and Increment change one field, and Increment tells the new value")
    func operations() throws {
        let service = try TestService()
        func increment(_ amount: JSONValue) -> JSONValue {
            ["__op": "Increment", "amount": amount]
        }
        let made = try service.call("POST", "/classes/T", ["n": increment(4), "s": "x"])
        #expect(made.json["n"] == 4)
        let id = try #require(made.json["objectId"]?.stringValue)
        func put(_ body: JSONValue) throws -> TestService.Reply {
            try service.call("PUT", "/classes/T/\(id)", body)
        }
        #expect(try put(["n": increment(-6)]).json["n"] == -2)
        #expect(try put(["n": increment(0.5)]).json["n"] == -1.5)
        #expect(try put(["m": increment(3), "s": ["__op": "Delete"]]).json["m"] == 3)
        #expect(try service.object("T", id)["s"] == nil)
        #expect(try put(["never": ["__op": "Delete"]]).status == 200)
        #expect(try put(["n": nil]).status == 200)
        #expect(try put(["n": increment(1)]).json["n"] == 1)
        // Beyond 64 bits a sum becomes a double; beyond doubles it is refused.
        #expect(try put(["n": .integer(.max)]).status == 200)
        #expect(try put(["n": increment(1)]).json["n"] == .number(0x1p63))
        #expect(try put(["n": 1.7e308]).status == 200)
        #expect(try put(["n": increment(1.7e308)]).code == 111)
        #expect(try put(["s": "text"]).status == 200)
        #expect(try put(["s": increment(1)]).code == 111)
        #expect(try put(["ACL": ["*": ["read": true, "write": true]]]).status == 200)
        #expect(try service.object("T", id)["ACL"] == ["*": ["read": true, "write": true]])
        #expect(try put(["ACL": ["__op": "Delete"]]).status == 200)
        #expect(try service.object("T", id)["ACL"] == nil)
    }

    @Test("a dotted key changes one member of an object field")
    func dottedKeys() throws {
        let service = try TestService()
        let id = try service.create("T", ["o": ["x": 1, "y": 2], "n": 1, "l": [1]])
        func put(_ body: JSONValue) throws -> TestService.Reply {
            try service.call("PUT", "/classes/T/\(id)", body)
        }
        #expect(try put(["o.x": 9, "o.z.deep": true, "p.q": "new"]).status == 200)
        let counted = try put(["o.y": ["__op": "Increment", "amount": 5]])
        #expect(counted.json["o"] == ["y": 7])
        #expect(try put(["o.z.deep": ["__op": "Delete"], "r.s": ["__op": "Delete"]]).status == 200)
        let object = try service.object("T", id)
        #expect(object["o"] == ["x": 9, "y": 7, "z": [:]])
        #expect(object["p"] == ["q": "new"])
        #expect(object["r"] == nil)
        for (body, code) in [
            (["n.x": 1], 111), (["l.0": 1], 111), (["o.$x": 1], 121), (["o..x": 1], 105),
            ([".x": 1], 105), (["9.x": 1], 105), (["o.": 1], 105), (["ACL.x": 1], 105),
        ] as [(JSONValue, Int64)] {
            #expect(try put(body).code == code, "\(body)")
        }
        let deep = Array(repeating: "a", count: 17).joined(separator: ".")
        #expect(try put([deep: 1]).code == 105)
        #expect(try service.object("T", id)["o"] == object["o"])
    }

    /// Both were quadratic once: this many took minutes of the store's one thread.
    @Test("thousands of dotted keys and of deletions cost no more than their number")
    func manyKeys() throws {
        let service = try TestService()
        var inner = JSONObject()
        for index in 0..<60_000 { inner.append(new: "k\(index)", .integer(Int64(index))) }
        let id = try service.create("T", ["o": .object(inner), "stays": 1])
        func put(_ value: (Int) -> JSONValue) throws -> TestService.Reply {
            var body = JSONObject()
            for index in 0..<10_000 { body.append(new: "o.k\(index * 2)", value(index)) }
            return try service.call("PUT", "/classes/T/\(id)", .object(body))
        }
        #expect(try put { .integer(Int64(-$0)) }.status == 200)
        for index in 0..<10_000 { inner["k\(index * 2)"] = .integer(Int64(-index)) }
        #expect(try service.object("T", id)["o"] == .object(inner))
        #expect(try put { _ in ["__op": "Delete"] }.status == 200)
        inner = JSONObject(
            inner.map { ($0.key, $0.value) }.filter {
                let number = Int($0.0.dropFirst()) ?? 0
                return number >= 20_000 || number % 2 == 1
            })
        let left = try service.object("T", id)
        #expect(left["o"] == .object(inner) && left["stays"] == 1)
    }

    @Test("an object is written with at most 10000 members")
    func memberLimit() throws {
        let service = try TestService()
        let id = try service.create("T", [:])
        var body = JSONObject()
        for index in 0..<10_000 { body.append(new: "o.k\(index)", 1) }
        #expect(try service.call("PUT", "/classes/T/\(id)", .object(body)).status == 200)
        body.append(new: "p", 1)
        for (method, path) in [("PUT", "/classes/T/\(id)"), ("POST", "/classes/T")] {
            let refused = try service.call(method, path, .object(body))
            #expect(refused.status == 400 && refused.code == 155)
        }
        #expect(try service.object("T", id)["p"] == nil)
    }

    @Test("keys of which one leads into the other are refused; similar ones are not")
    func overlappingKeys() throws {
        let service = try TestService()
        let before: JSONValue = ["b": ["c": 1, "d": 2], "\u{e9}": 1, "e\u{301}": 2]
        let id = try service.create("T", ["a": before, "ab": 1])
        let delete: JSONValue = ["__op": "Delete"]
        for body in [
            ["a": delete, "a.b": 1], ["a.b.c": 1, "a": [:]], ["a.b": delete, "a.b.c": delete],
        ] as [JSONValue] {
            #expect(try service.call("PUT", "/classes/T/\(id)", body).code == 105, "\(body)")
        }
        #expect(try service.object("T", id)["a"] == before)
        let body: JSONValue = [
            "a.b.c": delete, "ab": delete, "a.\u{e9}": delete, "a.x.y": delete, "a.b.e": 3,
        ]
        #expect(try service.call("PUT", "/classes/T/\(id)", body).status == 200)
        let after = try service.object("T", id)
        #expect(after["a"] == ["b": ["d": 2, "e": 3], "e\u{301}": 2])
        #expect(after["ab"] == nil)
        #expect(try service.call("PUT", "/classes/T/\(id)", ["a.b.d.e": delete]).code == 111)
    }

    @Test("increments at the same time are all counted")
    func atomicIncrements() async throws {
        let service = try TestService()
        let id = try service.create("T", ["n": 0])
        let port = service.server.port
        let head = TestService.Caller.client.fields.joined(separator: "\r\n")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let client = try RawHTTPClient(port: port)
                    let body = #"{"n":{"__op":"Increment","amount":1}}"#
                    for _ in 0..<20 {
                        client.send(
                            "PUT /parse/classes/T/\(id) HTTP/1.1\r\nHost: localhost\r\n\(head)\r\n"
                                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                        let status = try client.answer().status
                        #expect(status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try service.object("T", id)["n"] == 120)
    }
}
