import CSQLite
import JSONText
import TestSupport
import Testing

@testable import GeoStore

@Suite("What a scope shows to whom")
struct ReaderScopeTests {
    /// Writes objects with random lists, changes and deletes some, and fails some jobs.
    private static func fill(
        _ store: SQLiteStore, using random: inout SeededGenerator
    ) throws -> [String: Document] {
        struct Wanted: Error {}
        var known: [String: Document] = [:]
        for round in 0..<12 {
            var next = known
            var steps: [(before: Document?, after: Document?)] = []
            for _ in 0..<15 {
                let id = "id\(Int.random(in: 0..<60, using: &random))"
                let before = next[id]
                let isGone = before != nil && Int.random(in: 0..<4, using: &random) == 0
                let after =
                    isGone
                    ? nil : try Document.spot(id, acl: RandomAccess.list(using: &random))
                next[id] = after
                steps.append((before, after))
            }
            let fails = round % 3 == 1
            let made = steps
            do {
                try store.write { transaction in
                    for (before, after) in made {
                        if let after {
                            // A part that is undone gives its numbers back.
                            _ = try transaction.attempt { part in
                                var other = after
                                other.objectId = "other"
                                other.acl = AccessList()
                                other.acl?[after.objectId] = .read
                                try part.insert(other)
                                throw Wanted()
                            }
                            if before != nil {
                                try transaction.replace(after)
                            } else {
                                try transaction.insert(after)
                            }
                        } else if let before {
                            try transaction.delete("Spot", before.objectId)
                        }
                    }
                    if fails { throw Wanted() }
                }
                known = next
            } catch is Wanted {}
        }
        return known
    }

    @Test(
        "exactly what they may read, for random lists and callers",
        arguments: 0..<12 as Range<UInt64>)
    func scopes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        let known = try Self.fill(try #require(store), using: &random)
        for again in [false, true] {
            // A second time with all that is remembered forgotten.
            if again { store = nil }
            let store = try store ?? scratch.open()
            for _ in 0..<40 {
                let caller = RandomAccess.caller(using: &random)
                let scope = ObjectScope(readers: caller)
                let twin = known.values.filter { RandomAccess.may(.read, caller, $0.acl) }
                let ids = try store.read {
                    try $0.objectIds(of: "Spot", in: scope, skip: 0, limit: 100)
                }
                #expect(ids == twin.map(\.objectId).sorted())
                #expect(try store.read { try $0.count(of: "Spot", in: scope) } == twin.count)
            }
            var sets: [String: ReaderSet] = [:]
            try store.read {
                try $0.scanLocated("Spot") { sets[$0.objectId] = $0.readers }
            }
            #expect(sets == known.mapValues { ReaderSet($0.acl) })
        }
    }

    @Test("objects of the same readers share one set, whatever else their lists say")
    func interned() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { transaction in
            for number in 0..<50 {
                var acl = AccessList()
                acl["u\(number % 5)"] = .read
                acl["role:x"] = number % 2 == 0 ? .read : [.read, .write]
                acl["w\(number)"] = .write
                try transaction.insert(try .spot("id\(number)", acl: acl))
            }
        }
        #expect(try scratch.integer("SELECT count(*) FROM reader_sets") == 2 + 5)
        #expect(try scratch.integer("SELECT count(DISTINCT readers) FROM objects") == 5)
        #expect(try scratch.integer("SELECT count(*) FROM reader_principals") == 1 + 5 * 2)
    }

    @Test("lists of one hash are two sets")
    func hashes() throws {
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        var acl = AccessList()
        acl["u1"] = .read
        let list = acl
        try store?.write { try $0.insert(try .spot("a", acl: list)) }
        store = nil
        // As if another list had the hash of this one.
        try scratch.execute("UPDATE reader_principals SET principal = 'u2' WHERE principal = 'u1'")
        store = try scratch.open()
        try store?.write { try $0.insert(try .spot("b", acl: list)) }
        func ids(_ user: String) throws -> [String]? {
            try store?.read {
                try $0.objectIds(
                    of: "Spot", in: ObjectScope(readers: Principals(user: user, roles: [])),
                    skip: 0, limit: 9)
            }
        }
        #expect(try ids("u1") == ["b"])
        #expect(try ids("u2") == ["a"])
    }

    @Test("a list of a thousand entries is kept and found, though it is not remembered")
    func large() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        var acl = AccessList()
        // Long names, so that the set is larger than what is remembered of one.
        let tail = String(repeating: "x", count: 400)
        for number in 0..<AccessList.maximumEntries { acl["role:\(number)\(tail)"] = .read }
        let list = acl
        for id in ["a", "b"] { try store.write { try $0.insert(try .spot(id, acl: list)) } }
        var sets: [ReaderSet] = []
        try store.read { try $0.scanLocated("Spot") { sets.append($0.readers) } }
        #expect(sets == [ReaderSet(list), ReaderSet(list)])
        let caller = Principals(user: "u", roles: ["999\(tail)"])
        let many = Principals(user: "u", roles: (0..<500).map { "\($0)\(tail)" })
        for caller in [caller, many] {
            #expect(try store.read { try $0.count(of: "Spot", in: .init(readers: caller)) } == 2)
        }
        #expect(try scratch.integer("SELECT count(*) FROM reader_sets") == 3)
    }

    @Test("no table of sets is scanned, for few names and for many", arguments: [1, 8, 9, 500])
    func plan(count: Int) throws {
        let scratch = try Scratch()
        _ = try scratch.open()
        let caller = Principals(user: "u", roles: (1..<count).map { "r\($0)" })
        let scope = ObjectScope(readers: caller)
        let plan = try scratch.texts(
            "EXPLAIN QUERY PLAN SELECT id FROM objects WHERE class = ?4\(scope.condition)",
            column: 3)
        #expect(plan.contains { $0.hasPrefix("SEARCH p ") })
        #expect(!plan.contains { $0.hasPrefix("SCAN p") || $0.hasPrefix("SCAN reader") })
        #expect(plan.contains { $0.hasPrefix("SEARCH objects USING INDEX objects_by_") })
    }
}
