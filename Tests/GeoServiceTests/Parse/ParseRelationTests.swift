import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Parse: relations")
struct ParseRelationTests {
    private func pointers(_ ids: [String], of className: String = "Post") -> JSONValue {
        .array(
            ids.map {
                ["__type": "Pointer", "className": .string(className), "objectId": .string($0)]
            })
    }

    private func change(_ name: String, _ ids: [String], of className: String = "Post") -> JSONValue
    {
        ["__op": .string(name), "objects": pointers(ids, of: className)]
    }

    private func members(
        _ service: TestService, _ id: String, _ field: String = "posts"
    ) throws -> [String] {
        try service.core.store.read {
            try $0.relatedIds(field, of: "Shelf", id, limit: 100_000)
        }
    }

    @Test("members come and go, each once, and the object tells their class alone")
    func membership() throws {
        let service = try TestService()
        let made = try service.call(
            "POST", "/classes/Shelf", ["posts": change("AddRelation", ["a", "b"])])
        #expect(made.json.objectValue?.keys == ["objectId", "createdAt"])
        let id = try #require(made.json["objectId"]?.stringValue)
        let seen = try service.object("Shelf", id)
        #expect(seen["posts"] == ["__type": "Relation", "className": "Post"])
        #expect(try members(service, id) == ["a", "b"])
        func put(_ value: JSONValue) throws {
            let reply = try service.call("PUT", "/classes/Shelf/\(id)", ["posts": value])
            #expect(reply.json.objectValue?.keys == ["updatedAt"], "\(reply.answer.text)")
        }
        try put(change("AddRelation", ["b", "c", "c"]))
        #expect(try members(service, id) == ["a", "b", "c"])
        try put(change("RemoveRelation", ["a", "stranger"]))
        #expect(try members(service, id) == ["b", "c"])
        try put([
            "__op": "Batch",
            "ops": [
                change("AddRelation", ["d", "e"]), change("RemoveRelation", ["b", "e"]),
                change("AddRelation", ["b"]),
            ],
        ])
        #expect(try members(service, id) == ["b", "c", "d"])
        for nothing: JSONValue in [
            change("AddRelation", []), ["__op": "Batch", "ops": []], nil, seen["posts"] ?? nil,
        ] {
            try put(nothing)
            #expect(try members(service, id) == ["b", "c", "d"])
            #expect(try service.object("Shelf", id)["posts"] == seen["posts"])
        }
        try put(["__op": "Delete"])
        #expect(try members(service, id) == [])
        try put(change("AddRelation", ["f"]))
        #expect(try members(service, id) == ["f"])
    }

    @Test("the first member fixes the class of all, in every object")
    func target() throws {
        let service = try TestService()
        let id = try service.create("Shelf", ["posts": change("AddRelation", ["a"])])
        let other = try service.create("Shelf", [:])
        for (body, isCreate) in [
            (change("AddRelation", ["x"], of: "Book"), true),
            (change("RemoveRelation", ["x"], of: "Book"), true), ("text", true), ([1], true),
            (["__type": "Pointer", "className": "Post", "objectId": "a"], true),
            (["__type": "Relation", "className": "Book"], true),
            (["__op": "Increment", "amount": 1], false), (["__op": "Add", "objects": [1]], false),
        ] as [(JSONValue, Bool)] {
            for path in ["/classes/Shelf/\(id)", "/classes/Shelf/\(other)"] {
                let reply = try service.call("PUT", path, ["posts": body])
                #expect(reply.code == 111, "\(body) \(reply.answer.text)")
            }
            if isCreate {
                #expect(try service.call("POST", "/classes/Shelf", ["posts": body]).code == 111)
            }
        }
        let refused = try service.call(
            "PUT", "/classes/Shelf/\(other)", ["posts": change("AddRelation", ["x"], of: "Book")])
        #expect(
            refused.json["error"]
                == "schema mismatch for Shelf.posts; expected Relation<Post> but got Relation<Book>"
        )
        let mixed: JSONValue = [
            "__op": "Batch",
            "ops": [change("AddRelation", ["x"]), change("RemoveRelation", ["y"], of: "Book")],
        ]
        #expect(try service.call("PUT", "/classes/Shelf/\(id)", ["posts": mixed]).code == 111)
        #expect(try members(service, id) == ["a"])
        #expect(try members(service, other) == [])
    }

    @Test("objects that never had a member have the relation, too, where they are read")
    func unset() throws {
        let service = try TestService()
        let early = try service.create("Shelf", ["n": 1, "posts": nil])
        let shelf = try service.create("Shelf", ["posts": change("AddRelation", ["a"])])
        let holder = try service.create(
            "Room",
            ["shelf": ["__type": "Pointer", "className": "Shelf", "objectId": .string(early)]])
        let relation: JSONValue = ["__type": "Relation", "className": "Post"]
        #expect(try service.object("Shelf", early)["posts"] == relation)
        #expect(try service.object("Shelf", shelf)["posts"] == relation)
        for method in ["POST /classes/Shelf", "PUT /classes/Shelf/\(early)"] {
            let parts = method.split(separator: " ").map(String.init)
            let reply = try service.call(parts[0], parts[1], ["posts": nil, "n": 2])
            #expect(reply.status < 300)
        }
        #expect(try service.object("Shelf", early)["n"] == 2)
        let room = try service.call("GET", "/classes/Room/\(holder)?include=shelf")
        #expect(room.json["shelf"]?["posts"] == relation)
        for query in ["keys=n", "excludeKeys=posts"] {
            let part = try service.call("GET", "/classes/Shelf/\(early)?\(query)")
            #expect(part.status == 200 && part.json["posts"] == nil)
        }
        #expect(
            try service.call("GET", "/classes/Shelf/\(early)?keys=posts").json["posts"] == relation)
    }

    @Test("what fails takes its members along")
    func undone() throws {
        let service = try TestService()
        let id = try service.create("Shelf", ["posts": change("AddRelation", ["a"]), "n": 1])
        let add = change("AddRelation", ["b"])
        #expect(
            try service.call("PUT", "/classes/Shelf/\(id)", ["posts": add, "n": "x"]).code == 111)
        let part: JSONValue = [
            "method": "PUT", "path": .string("/parse/classes/Shelf/\(id)"), "body": ["posts": add],
        ]
        let bad: JSONValue = ["method": "DELETE", "path": "/parse/classes/Shelf/nobody0000"]
        let failed = try service.call(
            "POST", "/batch", ["transaction": true, "requests": [part, bad]])
        #expect(failed.status == 400)
        #expect(try members(service, id) == ["a"])
        let apart = try service.call("POST", "/batch", ["requests": [part, bad]])
        #expect(apart.status == 200)
        #expect(try members(service, id) == ["a", "b"])
        try service.call("DELETE", "/classes/Shelf/\(id)")
        #expect(try members(service, id) == [])
    }

    @Test("thousands of members of one write, and more are refused")
    func limits() throws {
        let service = try TestService()
        let ids = (0..<10_000).map { "m\($0)" }
        let id = try service.create("Shelf", ["posts": change("AddRelation", ids)])
        #expect(try members(service, id).count == 10_000)
        for body in [
            ["posts": change("AddRelation", ids + ["more"])],
            ["posts": change("AddRelation", ids), "others": change("AddRelation", ["more"])],
            [
                "posts": [
                    "__op": "Batch",
                    "ops": [change("AddRelation", ids), change("RemoveRelation", ["more"])],
                ]
            ],
        ] as [JSONValue] {
            #expect(try service.call("PUT", "/classes/Shelf/\(id)", body).code == 155)
        }
        let deleted = try service.call(
            "PUT", "/classes/Shelf/\(id)", ["posts": ["__op": "Delete"]])
        #expect(deleted.status == 200)
        #expect(try members(service, id) == [])
    }
}

@Suite("Parse: rules of a class's fields")
struct ParseFieldRulesTests {
    @Test("defaults and required fields hold for creates and updates")
    func rules() throws {
        let service = try TestService()
        try service.core.store.write {
            try $0.setClassSettings(
                "Ruled",
                [
                    "fields": [
                        "d": ["defaultValue": 5], "r": ["required": true],
                        "b": ["required": true, "defaultValue": "x"],
                    ]
                ])
        }
        let made = try service.call("POST", "/classes/Ruled", ["r": 1])
        #expect(made.status == 201 && made.json["d"] == 5 && made.json["b"] == "x")
        let id = try #require(made.json["objectId"]?.stringValue)
        #expect(try service.object("Ruled", id)["d"] == 5)
        let given = try service.call("POST", "/classes/Ruled", ["r": 1, "d": 6, "b": "y"])
        #expect(given.json.objectValue?.keys == ["objectId", "createdAt"])
        for body in [[:], ["r": nil], ["r": ["__op": "Delete"]], ["r": 1, "b": ""]] as [JSONValue] {
            let refused = try service.call("POST", "/classes/Ruled", body)
            #expect(refused.status == 400 && refused.code == 142, "\(refused.answer.text)")
        }
        for body in [["r": nil], ["r": ["__op": "Delete"]], ["b": ""]] as [JSONValue] {
            #expect(try service.call("PUT", "/classes/Ruled/\(id)", body).code == 142)
        }
        let missing = try service.call("POST", "/classes/Ruled", ["d": 1])
        #expect(missing.json["error"] == "r is required")
        #expect(try service.call("PUT", "/classes/Ruled/\(id)", ["d": nil, "n": 1]).status == 200)
        #expect(try service.call("GET", "/classes/Ruled?count=1").json["count"] == 2)
    }
}
