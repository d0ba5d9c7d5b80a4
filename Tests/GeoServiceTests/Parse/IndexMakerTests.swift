import GeoStore
import JSONText
import Synchronization
import Testing

@testable import GeoService

@Suite("Indexes that slow finds bring")
struct IndexMakerTests {
    private let service: TestService
    private var store: SQLiteStore { service.core.store }

    init() throws {
        service = try TestService()
        try service.core.store.write { transaction in
            for number in 0..<1_500 {
                try transaction.insert(
                    Document(
                        className: "Post", objectId: "p\(number)",
                        createdAt: Timestamp(milliseconds: Int64(number)),
                        fields: ["tag": .string("t\(number % 100)"), "n": .integer(Int64(number))]))
            }
        }
    }

    private func find(
        _ field: String, _ value: JSONValue, as caller: TestService.Caller = .master
    ) throws -> [JSONValue] {
        let reply = try service.call(
            "POST", "/classes/Post",
            ["_method": "GET", "where": .object(JSONObject([(field, value)])), "limit": 50],
            as: caller)
        #expect(reply.status == 200)
        return reply.results
    }

    /// The indexes once nothing is being built any more; steps are jobs between these.
    private func settled() throws -> [ValueIndex] {
        for _ in 0..<1_000 {
            let indexes = try store.write { try $0.indexes(of: "Post") }
            if indexes.allSatisfy({ $0.state == .whole }) { return indexes }
        }
        Issue.record("no end of building")
        return []
    }

    private func lookedAt(_ field: String, _ value: JSONValue) throws -> Int {
        let catalog = store.catalog
        let condition = try Where(.object(JSONObject([(field, value)])), of: "Post")
        return try store.read {
            try $0.select(
                ObjectQuery("Post", condition, limit: 100),
                for: QueryAccess(
                    scope: { _ in .all }, shown: { $0 }, schema: { catalog[$0] },
                    seesEverything: true)
            ).lookedAt
        }
    }

    @Test("the third slow find of the master key brings an index, and the next reads what it gives")
    func madeAfterThree() throws {
        #expect(try lookedAt("tag", "t7") == 1_500)
        var found: [[JSONValue]] = []
        for _ in 0..<2 { found.append(try find("tag", "t7")) }
        #expect(try settled().isEmpty)
        found.append(try find("tag", "t7"))
        #expect(try settled().map(\.field) == ["tag"])
        #expect(try lookedAt("tag", "t7") == 15)
        found.append(try find("tag", "t7"))
        #expect(found.allSatisfy { $0 == found[0] } && found[0].count == 15)
    }

    @Test("nobody's finds bring none, however slow")
    func neverForAnonymous() throws {
        for _ in 0..<6 { #expect(try find("tag", "t7", as: .client).count == 15) }
        #expect(try settled().isEmpty)
    }

    @Test("an index that nobody uses for a week goes")
    func unusedGo() throws {
        let hours = Mutex(0)
        let start = ContinuousClock.now
        let maker = IndexMaker(store: store) {
            start + .seconds(3_600 * hours.withLock { $0 })
        }
        try store.write { transaction in
            try transaction.declareIndex("tag", of: "Post")
            try transaction.declareIndex("n", of: "Post")
        }
        maker.resume()
        #expect(try settled().map(\.field) == ["tag", "n"])
        let catalog = store.catalog
        let condition = try Where(["n": 5], of: "Post")
        for day in 0...8 {
            hours.withLock { $0 = 24 * day }
            let selection = try store.read {
                try $0.select(
                    ObjectQuery("Post", condition, limit: 1),
                    for: QueryAccess(
                        scope: { _ in .all }, shown: { $0 }, schema: { catalog[$0] },
                        seesEverything: true))
            }
            #expect(selection.indexedField == "n")
            maker.note(selection, of: "Post", condition, ParseIdentity(.anonymous))
            // What the sweep asks for stands before this.
            try store.write { _ in }
            #expect(try settled().map(\.field) == (day < 7 ? ["tag", "n"] : ["n"]), "day \(day)")
        }
    }
}
