import Dispatch
import GeoStore
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import GeoService

@Suite("Accounts: who a token stands for", .serialized)
struct SessionDirectoryTests {
    private let clock = TestClock()
    private let service: TestService
    private var store: SQLiteStore { service.core.store }
    private var directory: SessionDirectory { service.core.accounts.sessions }

    init() throws {
        service = try TestService(clock: clock) { $0.accounts.passwordMemoryBytes = 8 << 20 }
    }

    /// A user with a session; gives its token.
    private func makeUser(_ id: String) throws -> String {
        let now = clock.now
        return try store.write { transaction in
            try transaction.insert(
                Document(
                    className: "_User", objectId: id, createdAt: now,
                    fields: ["username": .string(id)]))
            return try SessionWriter.make(
                for: id, .login("password"), device: nil, at: now, in: &transaction
            ).token.text
        }
    }

    private func makeRole(_ name: String) throws {
        let now = clock.now
        try store.write { transaction in
            try transaction.insert(
                Document(
                    className: "_Role", objectId: name, createdAt: now, acl: AccessList(),
                    fields: [
                        "name": .string(name),
                        "users": ["__type": "Relation", "className": "_User"],
                    ]))
        }
    }

    private func change(
        _ role: String, _ field: String, add: [String] = [], remove: [String] = []
    ) throws {
        try Self.change(role, field, add: add, remove: remove, in: store)
    }

    /// Puts members into a role or takes them out, as an update of the role does.
    private static func change(
        _ role: String, _ field: String, add: [String] = [], remove: [String] = [],
        in store: SQLiteStore
    ) throws {
        try store.write { transaction in
            guard var after = try transaction.object("_Role", role) else { return }
            let before = after
            after.updatedAt = Timestamp(milliseconds: before.updatedAt.milliseconds + 1)
            try transaction.replace(before, with: after)
            _ = try transaction.relate(add, to: field, of: "_Role", role)
            _ = try transaction.unrelate(remove, from: field, of: "_Role", role)
        }
    }

    private func roles(_ token: String) throws -> [String]? {
        let waited = try directory.find(token)?.principals.roles
        // Both ways give the same.
        switch try directory.findAtOnce(token) {
        case .session(let session): #expect(session.principals.roles == waited)
        case .none: #expect(waited == nil)
        case .unknown: break
        }
        return waited
    }

    @Test("roles are those of a twin that walks the graph, after every change", arguments: 0..<6)
    func graph(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = (0..<6).map { "role\($0)" }
        for name in names { try makeRole(name) }
        let tokens = try (0..<3).map { try makeUser("user\($0)") }
        var users: Set<[Int]> = []
        var inner: Set<[Int]> = []
        for _ in 0..<40 {
            let role = Int.random(in: 0..<6, using: &random)
            if Bool.random(using: &random) {
                let edge = [role, Int.random(in: 0..<3, using: &random)]
                let isNew = users.insert(edge).inserted
                if !isNew { users.remove(edge) }
                try change(
                    names[role], "users", add: isNew ? ["user\(edge[1])"] : [],
                    remove: isNew ? [] : ["user\(edge[1])"])
            } else {
                let edge = [role, Int.random(in: 0..<6, using: &random)]
                let isNew = inner.insert(edge).inserted
                if !isNew { inner.remove(edge) }
                try change(
                    names[role], "roles", add: isNew ? [names[edge[1]]] : [],
                    remove: isNew ? [] : [names[edge[1]]])
            }
            for (user, token) in tokens.enumerated() {
                var held = Set(users.filter { $0[1] == user }.map { $0[0] })
                while true {
                    let more = held.union(inner.filter { held.contains($0[1]) }.map { $0[0] })
                    if more == held { break }
                    held = more
                }
                #expect(try roles(token) == held.map { names[$0] }.sorted())
            }
        }
    }

    @Test("a change counts once it is answered, whoever asks meanwhile")
    func exactness() throws {
        try makeRole("crew")
        let token = try makeUser("ann")
        let isOver = Atomic(false)
        let askers = DispatchGroup()
        let directory = directory
        for _ in 0..<3 {
            DispatchQueue.global().async(group: askers) {
                while !isOver.load(ordering: .relaxed) { _ = try? directory.find(token) }
            }
        }
        for round in 0..<150 {
            let isMember = round.isMultiple(of: 2)
            try change(
                "crew", "users", add: isMember ? ["ann"] : [], remove: isMember ? [] : ["ann"])
            for _ in 0..<3 { #expect(try roles(token) == (isMember ? ["crew"] : [])) }
        }
        isOver.store(true, ordering: .relaxed)
        askers.wait()
    }

    @Test("what was read before a commit is not kept after it")
    func overtaken() throws {
        try makeRole("crew")
        let token = try makeUser("ann")
        let clock = clock
        let store = store
        let hook = Mutex(true)
        // The clock is asked between reading and keeping.
        let directory = SessionDirectory(store) {
            let isFirst = hook.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst {
                #expect(throws: Never.self) {
                    try Self.change("crew", "users", add: ["ann"], in: store)
                }
            }
            return clock.now
        }
        store.observeCommits { changes, _ in directory.apply(changes) }
        #expect(try directory.find(token)?.principals.roles == [])
        #expect(try directory.find(token)?.principals.roles == ["crew"])
    }

    @Test("a session that ends is over at once, and so are those of a user who goes")
    func ended() throws {
        let ann = try makeUser("ann")
        let bob = try makeUser("bob")
        let session = try #require(try directory.find(ann))
        #expect(session.principals == Principals(user: "ann", roles: []))
        #expect(try directory.find(bob) != nil)
        _ = try store.write { try SessionWriter.end(session.id, in: &$0) }
        #expect(try directory.find(ann) == nil)
        #expect(try directory.find(bob) != nil)
        _ = try store.write { try $0.delete("_User", "bob") }
        #expect(try directory.find(bob) == nil)
    }

    @Test("a session is over at the instant at which it expires, known or not")
    func expiry() throws {
        let ann = try makeUser("ann")
        let bob = try makeUser("bob")
        #expect(try directory.find(ann) != nil)
        clock.advance(milliseconds: SessionWriter.lifetimeMilliseconds - 1)
        #expect(try directory.find(ann) != nil)
        clock.advance(milliseconds: 1)
        #expect(try roles(ann) == nil)
        #expect(try roles(bob) == nil)
    }

    @Test("a user has 200 sessions at most, and those that are over go first")
    func bounded() throws {
        let first = try makeUser("ann")
        let clock = clock
        func more(_ count: Int) throws -> [String] {
            try store.write { transaction in
                try (0..<count).map { _ in
                    try SessionWriter.make(
                        for: "ann", .create, device: nil, at: clock.now, in: &transaction
                    ).token.text
                }
            }
        }
        let others = try more(199)
        #expect(try directory.find(first) != nil)
        _ = try more(1)
        #expect(try directory.find(first) == nil)
        #expect(try directory.find(others[0]) != nil)
        clock.advance(milliseconds: SessionWriter.lifetimeMilliseconds)
        _ = try more(1)
        let left = try store.read { try $0.count(of: "_Session") }
        #expect(left == 1)
    }

    @Test(
        "what is no token finds nobody",
        arguments: ["", "r:", "x", "r:" + String(repeating: "0", count: 32), "r:nope\u{0}"])
    func nobody(text: String) throws {
        _ = try makeUser("ann")
        #expect(try directory.find(text) == nil)
    }

    @Test("Basic authorization names the application and carries a key")
    func basic() throws {
        func status(_ text: String) throws -> Int {
            let field =
                "Authorization: Basic "
                + Base64.encodedLines(Array(text.utf8))
                .replacing("\r\n", with: "")
            return try service.call("GET", "/classes/_Hooks", as: .nobody, fields: [field]).status
        }
        #expect(try status("test-app:test-master") == 200)
        #expect(try status("test-app:javascript-key=test-rest") == 400)
        #expect(try status("test-app:javascript-key=other") == 403)
        #expect(try status("test-app:other") == 403)
        #expect(try status("other:test-master") == 403)
        #expect(try status("") == 403)
    }
}
