import GeoIndex
import GeoStore
import JSONText
import Testing

@testable import GeoService

@Suite("Parse: who may do what")
struct ParseAccessTests {
    @Test("without a right to read an object is not there, without one to write it stays")
    func accessLists() throws {
        let service = try TestService()
        let lists: [(JSONValue, read: Bool, write: Bool)] = [
            (nil, true, true), ([:], false, false), (["*": ["read": true]], true, false),
            (["*": ["write": true]], false, true), (["someone": ["read": true]], false, false),
            (["*": ["read": true, "write": true]], true, true),
            (["*": ["read": false], "role:a": ["write": true]], false, false),
        ]
        var seen: [String] = []
        for (list, read, write) in lists {
            let id = try service.create("T", ["n": 1, "ACL": list])
            #expect(try service.object("T", id, as: .master)["n"] == 1)
            #expect(try service.call("GET", "/classes/T/\(id)").code == (read ? nil : 101))
            if read { seen.append(id) }
            let change = try service.call("PUT", "/classes/T/\(id)", ["n": 2])
            #expect(change.status == (write ? 200 : 404))
            #expect(change.code == (write ? nil : 101))
            #expect(try service.object("T", id, as: .master)["n"] == (write ? 2 : 1))
        }
        let visible = try service.call("GET", "/classes/T?count=1&order=objectId")
        #expect(visible.results.map { $0["objectId"] } == seen.sorted().map { .string($0) })
        #expect(visible.json["count"] == .integer(Int64(seen.count)))
        let all = try service.call("GET", "/classes/T?count=true&limit=0", as: .master)
        #expect(all.json["count"] == .integer(Int64(lists.count)))
        #expect(all.results.isEmpty)
        for object in try service.call("GET", "/classes/T", as: .master).results {
            let id = try #require(object["objectId"]?.stringValue)
            let open = object["ACL"]?["*"]?["write"] == true || object["ACL"] == nil
            #expect(try service.call("DELETE", "/classes/T/\(id)").status == (open ? 200 : 404))
            #expect(
                try service.call("GET", "/classes/T/\(id)", as: .master).status
                    == (open ? 404 : 200))
        }
    }

    @Test("only granted rights come back")
    func echo() throws {
        let service = try TestService()
        let id = try service.create(
            "T", ["ACL": ["b": ["read": true, "write": false], "*": ["read": false], "a": nil]])
        #expect(try service.object("T", id, as: .master)["ACL"] == ["b": ["read": true]])
        #expect(
            try service.call("PUT", "/classes/T/\(id)", ["ACL": nil], as: .master).status == 200)
        #expect(try service.object("T", id, as: .master)["ACL"] == ["b": ["read": true]])
    }

    @Test("clients make classes only where the setting, or loopback mode, lets them")
    func classCreation() throws {
        func creates(_ service: TestService, _ fields: [String] = []) throws -> Int64? {
            let name = "New\(Int.random(in: 0..<1_000_000_000))"
            let reply = try service.call("POST", "/classes/\(name)", ["a": 1], fields: fields)
            #expect(reply.status == (reply.code == nil ? 201 : 400))
            #expect((service.core.store.catalog[name] != nil) == (reply.code == nil))
            return reply.code
        }
        let proxied = ["X-Forwarded-For: 198.51.100.7"]
        let unset = try TestService()
        #expect(try creates(unset) == nil)
        #expect(try creates(unset, proxied) == 119)
        let off = try TestService { $0.clientClassCreation = false }
        #expect(try creates(off) == 119)
        let message = try off.call("POST", "/classes/Gone", [:]).json["error"]
        #expect(message == "This user is not allowed to access non-existent class: Gone")
        #expect(try off.call("GET", "/classes/Gone").results.isEmpty)
        #expect(try off.call("POST", "/classes/Made", ["a": 1], as: .master).status == 201)
        #expect(try off.call("POST", "/classes/Made", ["b": 1]).status == 201)
        let on = try TestService { $0.clientClassCreation = true }
        #expect(try creates(on, proxied) == nil)
    }

    @Test("classes of the service's own are the master's, and _Layer is nobody's")
    func systemClasses() throws {
        let service = try TestService()
        for name in ["_JobStatus", "_Hooks", "_GlobalConfig", "_Nonsense", "_Layer", "_"] {
            for (method, path) in [
                ("GET", "/classes/\(name)"), ("POST", "/classes/\(name)"),
                ("GET", "/classes/\(name)/x"), ("PUT", "/classes/\(name)/x"),
                ("DELETE", "/classes/\(name)/x"),
            ] {
                let body: JSONValue? = method == "POST" || method == "PUT" ? ["a": 1] : nil
                #expect(try service.call(method, path, body).code == 119)
                if name == "_Layer" {
                    #expect(try service.call(method, path, body, as: .master).code == 119)
                }
            }
        }
        #expect(try service.call("POST", "/classes/_Hooks", ["a": 1], as: .master).status == 201)
        #expect(try service.call("GET", "/classes/_Hooks", as: .master).results.count == 1)
        for name in ["_Nonsense", "9x", "a-b", "a%20b", "%C3%A9"] {
            let reply = try service.call("POST", "/classes/\(name)", ["a": 1], as: .master)
            #expect(reply.status == 400 && reply.code == 107)
            #expect(try service.call("GET", "/classes/\(name)", as: .master).code == 107)
        }
    }

    @Test("an object with a place is on the map when its create is answered, and off it when gone")
    func onTheMap() throws {
        let service = try TestService()
        let id = try service.create("Spot", ["place": geoPoint(lon: 13.4, lat: 52.5)])
        #expect(service.core.catalog.layer(named: "Spot")?.current.count == 1)
        _ = try service.create("Spot", ["place": geoPoint(lon: 1, lat: 2), "ACL": [:]])
        #expect(service.core.catalog.layer(named: "Spot")?.current.count == 1)
        try service.call("PUT", "/classes/Spot/\(id)", ["ACL": ["me": ["read": true]]])
        #expect(service.core.catalog.layer(named: "Spot")?.current.count == 0)
        try service.call(
            "PUT", "/classes/Spot/\(id)", ["ACL": ["*": ["write": true, "read": true]]], as: .master
        )
        #expect(service.core.catalog.layer(named: "Spot")?.current.count == 1)
        try service.call("PUT", "/classes/Spot/\(id)", ["place": ["__op": "Delete"]])
        #expect(service.core.catalog.layer(named: "Spot")?.current.count == 0)
    }
}
