import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Calls about accounts")
struct AccountCallTests {
    private let service: TestService
    private let userId: String
    private let session: String

    init() throws {
        service = try TestService { $0.accounts.passwordMemoryBytes = 8 << 20 }
        let made = try service.call(
            "POST", "/users", ["username": "ann", "password": "secret", "email": "ann@a.example"])
        userId = try #require(made.json["objectId"]?.stringValue)
        session = "X-Parse-Session-Token: " + (made.json["sessionToken"]?.stringValue ?? "")
    }

    @Test(
        "no path leads into what of a user is no object of his own",
        arguments: ["username", "password", "email", "emailVerified", "authData", "sessionToken"])
    func userPaths(field: String) throws {
        let before = try service.object("_User", userId, as: .master)
        for path in ["\(field).x", "\(field).facebook.id"] {
            for caller in [TestService.Caller.client, .master] {
                let reply = try service.call(
                    "PUT", "/users/\(userId)", [path: "x"], as: caller, fields: [session])
                #expect(reply.status == 400 && reply.code == 105, "\(path): \(reply.json)")
            }
        }
        #expect(try service.object("_User", userId, as: .master) == before)
        // Other fields have members.
        let reply = try service.call(
            "PUT", "/users/\(userId)", ["home.city": "Berlin"], fields: [session])
        #expect(reply.status == 200)
    }

    @Test(
        "no path leads into what of a session is the server's",
        arguments: MakeSession.ownedFields.sorted())
    func sessionPaths(field: String) throws {
        let mine = try service.call("GET", "/sessions/me", fields: [session]).json
        let id = try #require(mine["objectId"]?.stringValue)
        for path in [field, "\(field).action"] {
            let reply = try service.call(
                "PUT", "/sessions/\(id)", [path: "x"], fields: [session])
            #expect(reply.status == 400 && reply.code == 105, "\(path): \(reply.json)")
        }
        let path = "\(field).action"
        #expect(
            try service.call("PUT", "/sessions/\(id)", [path: "x"], as: .master).code == 105)
        #expect(try service.call("GET", "/sessions/me", fields: [session]).json == mine)
    }

    @Test("an empty name or address is as good as none")
    func emptyNames() throws {
        for body: JSONValue in [
            ["username": "", "email": "ann@a.example", "password": "secret"],
            ["username": "ann", "email": "", "password": "secret"],
        ] {
            #expect(try service.call("POST", "/login", body).status == 200, "\(body)")
        }
        let reply = try service.call("POST", "/login", ["username": "", "password": "secret"])
        #expect(reply.code == 200)
        #expect(
            try service.call("POST", "/login", ["username": "ann", "password": ""]).code == 201)
    }

    @Test(
        "a page without a token shows no form",
        arguments: ["verify_email", "request_password_reset"])
    func pages(name: String) throws {
        for query in ["", "?token=", "?token=%22%3E", "?token=r:00"] {
            let reply = try service.ask("GET", "/parse/apps/test-app/\(name)\(query)")
            #expect(reply.status == 400, "\(query)")
            #expect(!reply.answer.text.contains("<form"))
        }
    }
}
