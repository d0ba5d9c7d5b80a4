import GeoIndex
import GeoStore
import JSONText
import Testing

@Suite("What the index is told")
struct LocatedObjectTests {
    private static func located(
        _ fields: JSONObject, acl: AccessList? = nil
    ) throws -> LocatedObject? {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        try store.write { try $0.insert(try .spot("a", acl: acl, fields)) }
        var scanned: [LocatedObject] = []
        try store.read { try $0.scanLocated("Spot") { scanned.append($0) } }
        #expect(scanned.map { $0 } == seen.all.flatMap { $0 }.compactMap(\.locatedAfter))
        return scanned.first
    }

    @Test(
        "kind is `kind`, else `category`, and text only",
        arguments: [
            ([:], nil), (["kind": "k", "category": "c"], "k"), (["category": "c"], "c"),
            (["kind": 1, "category": "c"], "c"), (["kind": nil, "category": "c"], "c"),
            (["kind": ""], ""),
        ] as [(JSONObject, String?)])
    func kind(fields: JSONObject, expected: String?) throws {
        #expect(try Self.located(fields)?.kind == expected)
    }

    @Test(
        "weight is the number `weight`, else 1",
        arguments: [
            ([:], 1), (["weight": 2.5], 2.5), (["weight": 0], 0), (["weight": -3], -3),
            (["weight": "7"], 1), (["weight": nil], 1),
        ] as [(JSONObject, Double)])
    func weight(fields: JSONObject, expected: Double) throws {
        #expect(try Self.located(fields)?.weight == expected)
    }

    @Test("expiry is the date `expiresAt`; public is what the access list says")
    func expiryAndRights() throws {
        let date: JSONValue = ["__type": "Date", "iso": "1970-01-01T00:00:05.000Z"]
        #expect(try Self.located(["expiresAt": date])?.expiresAt == Timestamp(milliseconds: 5000))
        #expect(try Self.located(["expiresAt": "1970-01-01T00:00:05.000Z"])?.expiresAt == nil)
        #expect(try Self.located([:])?.isPublic == true)
        #expect(try Self.located([:], acl: AccessList())?.isPublic == false)
        #expect(try Self.located([:], acl: AccessList(everybody: .read))?.isPublic == true)
        #expect(try Self.located([:], acl: AccessList(everybody: .write))?.isPublic == false)
    }

    @Test("objects without a place are not in it, and leave it when they lose theirs")
    func placeless() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        let placed = try Document.spot("a")
        var placeless = placed
        placeless.fields["place"] = nil
        let without = placeless
        try store.write { try $0.insert(placed) }
        try store.write { try $0.replace(without) }
        try store.write { try $0.replace(placed) }
        var null = placed
        null.fields["place"] = .null
        let nulled = null
        try store.write { try $0.replace(nulled) }
        #expect(
            seen.all.flatMap { $0 }.map { $0.locatedAfter != nil } == [true, false, true, false])
        #expect(
            seen.all.flatMap { $0 }.map { $0.locatedBefore != nil } == [false, true, false, true])
        try store.read { try $0.scanLocated("Spot") { _ in Issue.record("a place was left") } }
    }

    @Test("content follows the fields alone")
    func content() throws {
        let base: JSONObject = ["t": "x", "n": 1]
        let content = try #require(Self.located(base)?.content)
        #expect(try Self.located(["n": 1, "t": "x"])?.content == content)
        #expect(try Self.located(["n": 1.0, "t": "x"])?.content == content)
        // A private grant on what stays public must not change what everybody is answered.
        for acl in [AccessList(), AccessList(everybody: .read), AccessList(everybody: .write)] {
            let own = try Self.located(base, acl: acl)
            #expect(own?.content == content)
        }
        let others: [JSONObject] = [
            ["t": "x", "n": 2], ["t": "y", "n": 1], ["t": "x"],
            ["t": "x", "n": 1, "z": nil], ["n": "x", "t": 1],
        ]
        var seen: Set<UInt64> = [content]
        for fields in others {
            let other = try #require(Self.located(fields)?.content)
            #expect(seen.insert(other).inserted, "\(fields)")
        }
    }

    @Test("the content mix never changes: entity tags outlive versions")
    func pinned() throws {
        // The stored definition, computed by a twin of it in another language.
        #expect(try Self.located(["t": "x", "n": 1])?.content == pinnedContent)
    }

    @Test("a document alone has the content that the index is told")
    func contentOfDocument() throws {
        let long = String(repeating: "ü", count: 1000)
        let shapes: [JSONObject] = [
            [:], ["t": "x", "n": 1], ["t": .string(long), "kind": nil],
            ["o": ["a": [1, "b", 2.5]]],
        ]
        for fields in shapes {
            let document = try Document.spot("a", acl: AccessList(), fields)
            #expect(try Self.located(fields)?.content == document.contentHash)
        }
    }
}

private let pinnedContent: UInt64 = 0x15DBE9E68493F78E
