import GeoStore
import JSONText
import Testing

@testable import GeoService

@Suite("Parse: keys and identity")
struct ParseIdentityTests {
    private static let application = "X-Parse-Application-Id: test-app"

    @Test(
        "without the application's id or a client's key the answer is 403 without a code",
        arguments: [
            [], ["X-Parse-Application-Id: other", "X-Parse-REST-API-Key: test-rest"],
            [application], [application, "X-Parse-REST-API-Key: test-resu"],
            [application, "X-Parse-REST-API-Key: test-rest2"],
            [application, "X-Parse-REST-API-Key:"],
            [application, "X-Parse-Master-Key: test-maste"],
            [application, "X-Parse-Client-Key: test-master"],
        ])
    func unauthorized(fields: [String]) throws {
        let service = try TestService()
        for (method, path) in [("GET", "/classes/A"), ("POST", "/classes/A"), ("POST", "/batch")] {
            let reply = try service.call(
                method, path, method == "POST" ? [:] : nil, as: .nobody, fields: fields)
            #expect(reply.status == 403)
            #expect(reply.json == ["error": "unauthorized"])
        }
        #expect(service.core.store.catalog["A"] == nil)
    }

    @Test(
        "any kind of client key opens",
        arguments: [
            "X-Parse-REST-API-Key", "X-Parse-Client-Key", "X-Parse-Javascript-Key",
            "x-parse-windows-key",
        ])
    func clientKeys(name: String) throws {
        let service = try TestService()
        let reply = try service.call(
            "GET", "/classes/A", as: .nobody, fields: [Self.application, "\(name): test-rest"])
        #expect(reply.status == 200)
    }

    @Test("keys and a method in the body count, and none of them becomes a field")
    func bodyMembers() throws {
        let service = try TestService()
        let control: JSONObject = [
            "_ApplicationId": "test-app", "_JavaScriptKey": "test-rest",
            "_ClientVersion": "js5.3.0", "_InstallationId": "device", "_RevocableSession": "1",
            "_noBody": true, "_ContentType": "image/png", "_SessionToken": "",
        ]
        func body(_ more: JSONObject) -> JSONValue {
            var body = control
            for member in more { body[member.key] = member.value }
            return .object(body)
        }
        let plain = ["Content-Type: text/plain"]
        let made = try service.call(
            "POST", "/classes/A", body(["n": 1]), as: .nobody, fields: plain)
        #expect(made.status == 201)
        let id = try #require(made.json["objectId"]?.stringValue)
        let read = try service.call(
            "POST", "/classes/A/\(id)", body(["_method": "GET"]), as: .nobody, fields: plain)
        #expect(
            read.json.objectValue?.keys.sorted() == ["createdAt", "n", "objectId", "updatedAt"])
        let changed = try service.call(
            "POST", "/classes/A/\(id)", body(["_method": "PUT", "n": 2]), as: .nobody)
        #expect(changed.status == 200)
        let list = try service.call(
            "POST", "/classes/A", body(["_method": "GET", "limit": "1", "count": "1"]), as: .nobody)
        #expect(list.results.first?["n"] == 2)
        #expect(list.json["count"] == 1)
        let gone = try service.call(
            "POST", "/classes/A/\(id)", body(["_method": "DELETE"]), as: .nobody)
        #expect(gone.json == [:])
        #expect(try service.call("GET", "/classes/A/\(id)").code == 101)
        let wrong = try service.call(
            "POST", "/classes/A/\(id)", body(["_method": "BREW"]), as: .nobody)
        #expect(wrong.status == 404)
        #expect(service.core.store.catalog["A"]?.fields.keys.sorted() == ["n"])
        // With the id in the header, the body is not asked for keys, but still has no such fields.
        let mixed = try service.create("A", body(["n": 3]))
        #expect(try service.object("A", mixed)["_ApplicationId"] == nil)
        let master = try service.call(
            "POST", "/classes/_Role",
            ["_ApplicationId": "test-app", "_MasterKey": "test-master", "_method": "GET"],
            as: .nobody)
        #expect(master.status == 200)
    }

    @Test("a wrong master key is as if it were not there")
    func wrongMasterKey() throws {
        let service = try TestService()
        let hidden = try service.create("A", ["ACL": [:]])
        let wrong = ["X-Parse-Master-Key: test-mastes"]
        let reply = try service.call("GET", "/classes/A/\(hidden)", fields: wrong)
        #expect(reply.code == 101)
        #expect(
            try service.call("GET", "/classes/A/\(hidden)", as: .master).status == 200)
    }

    @Test("the master key counts from its addresses only, and never through an unknown proxy")
    func masterAddresses() throws {
        let service = try TestService()
        for field in [
            "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: https", "Forwarded: for=127.0.0.1",
            "X-Forwarded-Port: 443",
        ] {
            let reply = try service.call("GET", "/classes/A", as: .master, fields: [field])
            #expect(reply.status == 403)
            #expect(reply.json == ["error": "unauthorized"])
        }
        let far = try TestService {
            $0.masterKeyAddresses = ["10.0.0.0/8"].compactMap { AddressRange($0) }
        }
        #expect(try far.call("GET", "/classes/A", as: .master).status == 403)
        let proxied = try TestService {
            $0.masterKeyAddresses = ["10.0.0.0/8"].compactMap { AddressRange($0) }
            $0.trustedProxies = ["127.0.0.1"].compactMap { AddressRange($0) }
        }
        let near = ["X-Forwarded-For: 10.1.2.3"]
        #expect(try proxied.call("GET", "/classes/A", as: .master, fields: near).status == 200)
        let other = ["X-Forwarded-For: 11.1.2.3"]
        #expect(try proxied.call("GET", "/classes/A", as: .master, fields: other).status == 403)
    }

    @Test("the local key of this machine's commands is as good as the master key, unforwarded")
    func localKey() throws {
        let service = try TestService()
        let key = try #require(service.core.access.localKey)
        let id = try service.create("A", ["ACL": [:]])
        let fields = [Self.application, "X-Parse-Master-Key: \(key)"]
        let path = "/classes/A/\(id)"
        #expect(try service.call("GET", path, as: .nobody, fields: fields).status == 200)
        let forwarded = fields + ["X-Forwarded-Host: a.example"]
        #expect(try service.call("GET", path, as: .nobody, fields: forwarded).status == 403)
    }

    @Test("a session token is refused with 209, but for the master, and an empty one is none")
    func sessionTokens() throws {
        let service = try TestService()
        let token = ["X-Parse-Session-Token: r:nothing"]
        for (method, path) in [
            ("GET", "/classes/A"), ("POST", "/classes/A"), ("PUT", "/classes/A/x"),
            ("POST", "/batch"),
        ] {
            let reply = try service.call(
                method, path, method == "GET" ? nil : [:], fields: token)
            #expect(reply.status == 400)
            #expect(reply.code == 209)
        }
        #expect(try service.call("GET", "/classes/A", as: .master, fields: token).status == 200)
        let empty = ["X-Parse-Session-Token:"]
        #expect(try service.call("GET", "/classes/A", fields: empty).status == 200)
    }

    @Test("a context must be an object")
    func context() throws {
        let service = try TestService()
        for (text, status) in [("{\"a\":1}", 200), ("[]", 400), ("nonsense", 400)] {
            let reply = try service.call(
                "GET", "/classes/A", fields: ["X-Parse-Cloud-Context: \(text)"])
            #expect(reply.status == status)
            #expect(reply.code == (status == 400 ? 107 : nil))
        }
    }

    @Test("secrets are compared whole")
    func comparison() {
        let texts = ["", "a", "ab", "abc", "abcabc", "abd", "\u{e9}", "ABC"]
        for left in texts {
            for right in texts { #expect(Keys.areEqual(left, right) == (left == right)) }
        }
    }
}
