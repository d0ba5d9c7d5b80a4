import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Class permissions")
struct ClassPermissionsTests {
    private static func permissions(_ members: JSONObject, of name: String = "C")
        -> ClassPermissions
    {
        ClassPermissions(["classLevelPermissions": .object(members)], of: name)
    }

    private let ann = Principals(user: "ann", roles: ["crew"])
    private let bob = Principals(user: "bob", roles: [] as [String])

    @Test("what is not mentioned is open, what is empty is closed, the master key opens all")
    func openAndClosed() {
        let permissions = Self.permissions(["find": [:], "get": 5])
        for caller in [Principals.anonymous, ann] {
            #expect(permissions.verdict(on: .find, for: caller) == .refused)
            #expect(permissions.verdict(on: .get, for: caller) == .refused)
            #expect(permissions.verdict(on: .count, for: caller) == .granted)
            #expect(!permissions.mayFind(caller))
        }
        #expect(permissions.mayFind(.master))
        #expect(ClassPermissions(nil, of: "C") == .open)
        #expect(ClassPermissions.open.mayFind(.anonymous))
    }

    @Test("users, roles, everybody with a session")
    func names() {
        let permissions = Self.permissions([
            "find": ["bob": true], "get": ["role:crew": true],
            "count": ["requiresAuthentication": true], "update": ["ann": false],
        ])
        #expect(permissions.mayFind(bob) && !permissions.mayFind(ann))
        #expect(permissions.verdict(on: .get, for: ann) == .granted)
        #expect(permissions.verdict(on: .get, for: bob) == .refused)
        #expect(permissions.verdict(on: .count, for: bob) == .granted)
        #expect(permissions.verdict(on: .count, for: .anonymous) == .needsUser)
        #expect(permissions.verdict(on: .update, for: ann) == .refused)
    }

    @Test(
        "what is hidden somewhere is all that is hidden in one object at least", arguments: 0..<60)
    func hiddenSomewhere(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let audiences = ["*", "authenticated", "ann", "role:crew", "userField:p", "userField:q"]
        var rules = JSONObject()
        for audience in audiences where Bool.random(using: &random) {
            let fields = ["a", "b", "c"].filter { _ in Bool.random(using: &random) }
            rules[audience] = .array(fields.map { .string($0) })
        }
        let permissions = Self.permissions(["protectedFields": .object(rules)])
        for caller in [Principals.anonymous, ann, bob] {
            var hidden: Set<String> = []
            for names in [[], ["p"], ["q"], ["p", "q"]] {
                var fields = JSONObject()
                for name in names {
                    fields[name] = [
                        "__type": "Pointer", "className": "_User",
                        "objectId": .string(caller.userId ?? "nobody"),
                    ]
                }
                let document = Document(
                    className: "C", objectId: "o", createdAt: Timestamp(milliseconds: 0),
                    fields: fields)
                hidden.formUnion(permissions.hiddenFields(of: document, from: caller))
            }
            #expect(permissions.fieldsHiddenSomewhere(from: caller) == hidden)
        }
        #expect(
            permissions.dependsOnObjects
                == (rules.contains("userField:p") || rules.contains("userField:q")))
    }

    @Test("pointers limit to objects, and to nothing without a user")
    func pointers() {
        let permissions = Self.permissions([
            "find": [:], "get": ["pointerFields": ["p", "q"]], "create": ["pointerFields": ["p"]],
            "update": ["requiresAuthentication": true], "delete": ["*": true],
            "readUserFields": ["q"], "writeUserFields": ["w"],
        ])
        #expect(permissions.verdict(on: .find, for: ann) == .limited(fields: ["q"]))
        #expect(!permissions.mayFind(ann), "not all of the class")
        #expect(permissions.verdict(on: .get, for: .anonymous) == .limited(fields: ["q", "p"]))
        #expect(permissions.verdict(on: .create, for: ann) == .limited(fields: ["p"]))
        #expect(permissions.verdict(on: .update, for: ann) == .limited(fields: ["w"]))
        #expect(permissions.verdict(on: .update, for: .anonymous) == .needsUser)
        #expect(permissions.verdict(on: .delete, for: ann) == .granted)
    }

    @Test("only what every rule hides that is about the caller is hidden")
    func hidden() {
        let permissions = Self.permissions([
            "protectedFields": [
                "*": ["a", "b"], "authenticated": ["a", "c"], "role:crew": [],
                "userField:owner": ["c"],
            ]
        ])
        #expect(permissions.hiddenFields(from: .anonymous) == ["a", "b"])
        #expect(permissions.hiddenFields(from: bob) == ["a"])
        #expect(permissions.hiddenFields(from: ann).isEmpty)
        #expect(permissions.hiddenFields(from: .master).isEmpty)
        let bobs = Document(
            className: "C", objectId: "o", createdAt: .now(),
            fields: [
                "owner": ["__type": "Pointer", "className": "_User", "objectId": "bob"]
            ])
        #expect(permissions.hiddenFields(of: bobs, from: bob).isEmpty)
        #expect(permissions.hiddenFields(of: bobs, from: .anonymous) == ["a", "b"])
        let alone = Self.permissions(["protectedFields": ["userField:owner": ["c"]]])
        #expect(alone.hiddenFields(of: bobs, from: bob) == ["c"])
        #expect(alone.hiddenFields(of: bobs, from: ann).isEmpty)
    }

    @Test("addresses of users are hidden from others, whatever is said of everybody")
    func addresses() {
        let own = Document(className: "_User", objectId: "ann", createdAt: .now(), fields: [:])
        for members in [[:], ["protectedFields": ["*": ["phone"]]]] as [JSONObject] {
            let permissions = Self.permissions(members, of: "_User")
            #expect(permissions.hiddenFields(from: bob).contains("email"))
            #expect(permissions.hiddenFields(of: own, from: bob).contains("email"))
            #expect(permissions.hiddenFields(of: own, from: ann).isEmpty)
        }
        let open = Self.permissions(["protectedFields": ["bob": []]], of: "_User")
        #expect(open.hiddenFields(from: bob).isEmpty)
        #expect(open.hiddenFields(from: ann) == ["email"])
    }

    /// Values that permissions may be sent as.
    private static func value(
        _ depth: Int, using random: inout SeededGenerator
    ) -> JSONValue {
        let names = [
            "find", "update", "protectedFields", "readUserFields", "pointerFields", "*", "ann",
            "role:crew", "requiresAuthentication", "userField:owner", "owner", "a", "é", "",
        ]
        switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &random) {
        case 0: return true
        case 1: return .integer(5)
        case 2: return .string(names.randomElement(using: &random) ?? "")
        case 3: return nil
        case 4:
            let count = Int.random(in: 0..<3, using: &random)
            return .array((0..<count).map { _ in value(depth - 1, using: &random) })
        default:
            var members = JSONObject()
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                members[names.randomElement(using: &random) ?? ""] =
                    value(depth - 1, using: &random)
            }
            return .object(members)
        }
    }

    @Test("what was judged good is read as it was written", arguments: 0..<40)
    func judging(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let fields: [String: FieldType] = ["owner": .pointer("_User"), "a": .string]
        for _ in 0..<200 {
            guard let members = Self.value(4, using: &random).objectValue else { continue }
            let permissions = Self.permissions(members)
            // Whatever it is, nothing is opened that is mentioned and not granted.
            for operation in ClassPermissions.Operation.allCases
            where members.contains(operation.rawValue) {
                let grant = members[operation.rawValue]
                let isOpen = grant?["*"] == true
                #expect((permissions.verdict(on: operation, for: .anonymous) == .granted) == isOpen)
            }
            do {
                try ClassPermissions.check(members, fields: fields)
            } catch {
                #expect(error.code == .invalidJSON)
                continue
            }
            #expect(
                members.keys.allSatisfy { name in
                    ClassPermissions.Operation(rawValue: name) != nil || name.hasSuffix("Fields")
                })
        }
    }

    @Test("what is kept of a class is its own until it is set anew")
    func directory() throws {
        let service = try TestService()
        let directory = PermissionDirectory()
        let store = service.core.store
        func set(_ grant: JSONValue) throws {
            try store.write { transaction in
                try transaction.setClassSettings("C", ["classLevelPermissions": ["find": grant]])
            }
        }
        #expect(directory.permissions(of: "C", in: store.catalog) == .open)
        try set([:])
        let closed = store.catalog
        #expect(!directory.permissions(of: "C", in: closed).mayFind(.anonymous))
        try set(["*": true])
        #expect(directory.permissions(of: "C", in: store.catalog).mayFind(.anonymous))
        #expect(!directory.permissions(of: "C", in: closed).mayFind(.anonymous))
        try store.write { try $0.setClassSettings("C", nil) }
        #expect(directory.permissions(of: "C", in: store.catalog) == .open)
    }
}
