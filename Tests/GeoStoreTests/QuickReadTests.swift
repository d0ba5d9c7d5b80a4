import JSONText
import TestSupport
import Testing

@testable import GeoStore

@Suite("Reads on threads that must not wait")
struct QuickReadTests {
    private static var access: QueryAccess {
        QueryAccess(
            scope: { _ in .all }, shown: { $0 }, schema: { _ in nil },
            stored: { _ in StoredView(.master, now: nil) }, seesEverything: true)
    }

    private static func ids(
        _ reader: borrowing Reader, _ condition: Where?, limit: Int
    ) throws -> [String] {
        try reader.select(ObjectQuery("Spot", condition, limit: limit), for: access).ids
    }

    @Test("end when they read much, and the reader is as good as new")
    func allowance() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        let long = String(repeating: "x", count: 200_000)
        try store.write { transaction in
            for index in 0..<2_000 {
                try transaction.insert(
                    try .spot(
                        "s\(1_000 + index)",
                        ["n": .integer(Int64(index)), "t": .string(index == 9 ? long : "")]))
            }
        }
        let few = try Where(["n": ["$lt": 5]], of: "Spot")
        // More rounds than there are readers.
        for _ in 0..<6 {
            let first = try store.readIfQuick { try Self.ids($0, nil, limit: 3) }
            #expect(first == ["s1000", "s1001", "s1002"])
            // All objects would be looked at.
            #expect(try store.readIfQuick { try Self.ids($0, few, limit: 10) } == nil)
            // The tenth one is too long, by its id and in a row of others.
            #expect(try store.readIfQuick { try Self.ids($0, nil, limit: 10) } == nil)
            let found = try store.readIfQuick { reader in
                try reader.found("Spot", ids: ["s1009"], for: Self.access).count
            }
            #expect(found == nil)
            let all = try store.read { reader in
                (
                    try Self.ids(reader, few, limit: 10), try Self.ids(reader, nil, limit: 10).last,
                    try reader.found("Spot", ids: ["s1009"], for: Self.access).count
                )
            }
            #expect(all.0 == (0..<5).map { "s100\($0)" })
            #expect(all.1 == "s1009" && all.2 == 1)
        }
    }

    @Test("what was read lately is found where it is, wherever that was before", arguments: 0..<4)
    func places(seed: Int) throws {
        var options = StoreOptions()
        options.readers = 1
        let store = try Scratch().open(options)
        defer { store.close() }
        var random = SeededGenerator(seed: UInt64(seed))
        var known: [String: Int64] = [:]
        let ids = (0..<40).map { "p\($0)" }
        for turn in 0..<60 {
            // A place is taken again by the next object that comes.
            let changed = ids.shuffled(using: &random).prefix(6)
            for id in changed {
                let n = Int64(turn)
                let isKnown = known[id] != nil
                let isGone = isKnown && Bool.random(using: &random)
                try store.write { transaction in
                    if isKnown { try transaction.delete("Spot", id) }
                    if !isGone { try transaction.insert(try .spot(id, ["n": .integer(n)])) }
                }
                known[id] = isGone ? nil : n
            }
            let found = try store.read { reader in
                try reader.found("Spot", ids: ids, for: Self.access).map { try $0.document() }
            }
            #expect(found.map(\.objectId) == ids.filter { known[$0] != nil })
            #expect(found.map { $0.fields["n"]?.integerValue } == found.map { known[$0.objectId] })
        }
    }

    @Test("hints are of the key that they were given, or another's, and are few")
    func hints() {
        var hints = PlaceHints()
        let keys = (0..<5_000).map { PlaceHints.Key(Int64($0 % 3), "id\($0)") }
        #expect(keys.allSatisfy { hints[$0] == nil })
        for (index, key) in keys.enumerated() {
            hints[key] = Int64(index + 1)
            #expect(hints[key] == Int64(index + 1))
        }
        let kept = keys.indices.filter { hints[keys[$0]] == Int64($0 + 1) }
        #expect(kept.count > 1_000)
        hints[keys[7]] = 1 << 40
        #expect(hints[keys[7]] != 1 << 40)
    }
}
