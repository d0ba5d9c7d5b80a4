import GeoIndex
import GeoStore
import Glibc
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import GeoService

@Suite("Changing what a layer is")
struct LayerEditorTests {
    private static let path = "/v1/collections/Spot"

    /// What the layer's index must be: one built afresh from the store.
    private static func expectFresh(_ service: TestService, _ comment: Comment) throws {
        let layer = try #require(service.core.catalog.layer(named: "Spot"))
        let fresh = try service.core.store.read {
            try layer.settings.fields.snapshot(of: "Spot", in: $0)
        }
        let whole: [ClosedRange<UInt64>] = [0...UInt64.max]
        #expect(layer.current.count == fresh.count, comment)
        #expect(
            layer.current.sum(over: whole, filter: .all) == fresh.sum(over: whole, filter: .all),
            comment)
        #expect(layer.current.kindCounts.map(\.kind) == fresh.kindCounts.map(\.kind), comment)
    }

    private static func document(
        _ number: Int, _ random: inout some RandomNumberGenerator
    ) throws -> Document {
        let position = try LonLat(
            lon: .random(in: -180...180, using: &random), lat: .random(in: -80...80, using: &random)
        )
        return Document(
            className: "Spot", objectId: "id\(number)", createdAt: .now(),
            fields: [
                "place": GeoPointField.json(position), "kind": .string("k\(number % 3)"),
                "sort": .string("s\(number % 5)"), "size": .integer(Int64(number % 7)),
                "price": .number(Double(number) / 8),
            ])
    }

    @Test("no write is lost while another index is built", arguments: 0..<4 as Range<UInt64>)
    func rebuild(seed: UInt64) throws {
        let service = try TestService()
        let store = service.core.store
        var random = SeededGenerator(seed: seed)
        let first = try (0..<800).map { try Self.document($0, &random) }
        try store.write { transaction in
            for document in first { try transaction.insert(document) }
        }
        let isOver = Mutex(false)
        let writes = Mutex(0)
        let isDone = Semaphore()
        let isStarted = SystemThread.start { [random] in
            defer { isDone.signal() }
            var random = random
            while !isOver.withLock({ $0 }) {
                let number = Int.random(in: 0..<1_000, using: &random)
                let isGone = Int.random(in: 0..<4, using: &random) == 0
                guard let document = try? Self.document(number, &random) else { return }
                _ = try? store.write { transaction in
                    try transaction.delete("Spot", document.objectId)
                    if !isGone { try transaction.insert(document) }
                }
                writes.withLock { $0 += 1 }
            }
        }
        try #require(isStarted)
        let changes: [JSONObject] = [
            ["kind": "sort"], ["weight": "size", "aggregates": [["field": "price", "op": "sum"]]],
            ["kind": nil], ["aggregates": nil, "time": "updatedAt"], ["title": "Spots"],
            ["weight": nil, "time": nil],
        ]
        for change in changes {
            let seen = writes.withLock { $0 }
            _ = try service.core.editor.change("Spot", by: change)
            // Each change meets writes, however fast it is.
            while writes.withLock({ $0 }) < seen + 5 { sched_yield() }
        }
        isOver.withLock { $0 = true }
        isDone.wait()
        try Self.expectFresh(service, "after \(writes.withLock { $0 }) writes")
    }

    @Test("what was asked before a change keeps the settings and the index of before")
    func atomic() throws {
        let service = try TestService()
        for number in 0..<3 {
            _ = try service.create(
                "Spot",
                [
                    "place": geoPoint(lon: Double(number), lat: 1), "kind": "a",
                    "sort": .string("s\(number)"),
                ])
        }
        let before = try #require(service.core.catalog.layer(named: "Spot"))
        try service.ask("PUT", Self.path, ["kind": "sort", "title": "Sorted"], as: .master)
        let after = try #require(service.core.catalog.layer(named: "Spot"))
        #expect(before.settings == .none)
        #expect(before.current.kindCounts.map(\.kind) == ["a"])
        #expect(after.settings.title == "Sorted")
        #expect(after.current.kindCounts.map(\.kind) == ["s0", "s1", "s2"])
        #expect(before.indexNumber != after.indexNumber)
        // A title asks for no other index.
        try service.ask("PUT", Self.path, ["title": nil], as: .master)
        #expect(service.core.catalog.layer(named: "Spot")?.index === after.index)
    }

    @Test("only the master key may, and what is wrong is named")
    func refusals() throws {
        let service = try TestService()
        _ = try service.create("Spot", ["place": geoPoint(lon: 1, lat: 2), "price": 5])
        #expect(try service.ask("PUT", Self.path, [:], as: .client).status == 401)
        #expect(try service.ask("PUT", Self.path, [:], as: .nobody).status == 401)
        let wrong = try service.ask(
            "PUT", Self.path,
            [
                "kind": "price", "location": "elsewhere", "owner": "price",
                "aggregates": [["field": "place", "op": "sum"]],
            ], as: .master)
        #expect(wrong.status == 400)
        #expect(
            wrong.json["errors"]?.arrayValue?.compactMap { $0["field"]?.stringValue }
                == ["location", "kind", "owner", "aggregates[0].field"])
        #expect(try service.ask("PUT", Self.path, [1], as: .master).status == 400)
        #expect(
            try service.ask("PUT", Self.path + "?radius=3", [:], as: .master).status == 400)
        for name in ["_Role", "basemap", "a-b", "_Layer"] {
            let reply = try service.ask("PUT", "/v1/collections/\(name)", [:], as: .master)
            #expect(reply.status == 404, "\(name)")
        }
        #expect(service.core.catalog.layer(named: "Spot")?.settings == LayerSettings.none)
    }

    @Test("a layer can be set up before its first object")
    func ahead() throws {
        let service = try TestService()
        #expect(try service.ask("GET", Self.path).status == 404)
        let put = try service.ask(
            "PUT", Self.path, ["kind": "sort", "title": "Spots", "location": "place"], as: .master)
        #expect(put.status == 200 && put.json["count"] == 0 && put.json["title"] == "Spots")
        #expect(try service.ask("GET", "/clusters/Spot?bbox=-180,-90,180,90&zoom=3").status == 200)
        _ = try service.create("Spot", ["place": geoPoint(lon: 1, lat: 2), "sort": "s"])
        #expect(try service.ask("GET", Self.path).json["kinds"] == ["s": 1])
        // Under another name the class's place is not the layer's.
        try service.ask("PUT", "/v1/collections/Other", ["location": "home"], as: .master)
        _ = try service.create("Other", ["place": geoPoint(lon: 1, lat: 2)])
        #expect(try service.ask("GET", "/v1/collections/Other").json["count"] == 0)
        let other = try service.ask(
            "PUT", "/v1/collections/Other", ["location": nil], as: .master)
        #expect(other.json["count"] == 1)
    }

    @Test("a layer of settings alone can be removed, and made again")
    func remove() throws {
        let service = try TestService()
        func names() throws -> [String] {
            let list = try service.ask("GET", "/v1/collections").json["collections"]
            return list?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
        }
        #expect(try service.ask("DELETE", Self.path, as: .master).status == 404)
        let settings: JSONObject = ["title": "Mistyped", "kind": "sort", "heat": ["domain": 8]]
        try service.ask("PUT", Self.path, .object(settings), as: .master)
        #expect(try names() == ["Spot"])
        for caller in [TestService.Caller.client, .nobody] {
            #expect(try service.ask("DELETE", Self.path, as: caller).status == 401)
        }
        #expect(
            try service.ask("DELETE", Self.path + "?force=true", as: .master).status == 400)
        #expect(try names() == ["Spot"])
        let removed = try service.ask("DELETE", Self.path, as: .master)
        #expect(removed.status == 204 && removed.answer.body.isEmpty)
        #expect(try names() == [])
        #expect(try service.ask("GET", Self.path).status == 404)
        #expect(try service.ask("DELETE", Self.path, as: .master).status == 404)
        // Nothing of it is left in the store, and a layer of that name begins anew.
        let kept = try service.core.store.read { try LayerSettingsStore.all(in: $0) }
        #expect(kept.isEmpty)
        _ = try service.create("Spot", ["place": geoPoint(lon: 1, lat: 2), "kind": "a"])
        let layer = try #require(service.core.catalog.layer(named: "Spot"))
        #expect(layer.settings == .none && layer.heatScale == .unfitted)
        #expect(layer.current.kindCounts.map(\.kind) == ["a"])
    }

    @Test("a layer with objects stays, private ones count; without objects its settings go")
    func removeUsed() throws {
        let service = try TestService()
        try service.ask("PUT", Self.path, ["title": "Spots", "kind": "sort"], as: .master)
        let id = try service.create(
            "Spot", ["place": geoPoint(lon: 1, lat: 2), "kind": "a", "ACL": [:]], as: .master)
        let refused = try service.ask("DELETE", Self.path, as: .master)
        #expect(refused.status == 409)
        #expect(refused.json["detail"]?.stringValue?.contains("has objects with a place") == true)
        #expect(service.core.catalog.layer(named: "Spot")?.settings.title == "Spots")
        try service.call("DELETE", "/classes/Spot/\(id)", as: .master)
        // The class keeps its GeoPoint field, so that it is a layer with or without settings.
        let bare = try service.ask("DELETE", Self.path, as: .master)
        #expect(bare.status == 200 && bare.json["title"] == "Spot" && bare.json["kind"] == nil)
        #expect(service.core.catalog.layer(named: "Spot")?.settings == LayerSettings.none)
        _ = try service.create("Spot", ["place": geoPoint(lon: 1, lat: 2), "kind": "a"])
        try Self.expectFresh(service, "after the removal")
    }

    @Test("no write is lost while a layer is removed", arguments: 0..<12)
    func removeRacing(round: Int) throws {
        let service = try TestService()
        try service.ask("PUT", Self.path, ["title": "Mistyped", "kind": "sort"], as: .master)
        var random = SeededGenerator(seed: UInt64(round))
        let documents = try (0..<20).map { try Self.document($0, &random) }
        let store = service.core.store
        let written = Mutex(0)
        let isDone = Semaphore()
        let isStarted = SystemThread.start {
            defer { isDone.signal() }
            for document in documents {
                guard (try? store.write { try $0.insert(document) }) != nil else { return }
                written.withLock { $0 += 1 }
            }
        }
        try #require(isStarted)
        // Each round begins at another of the writes.
        while written.withLock({ $0 }) < round % 3 { sched_yield() }
        do {
            _ = try service.core.editor.remove("Spot")
        } catch let problem as Problem {
            #expect(problem.status == .conflict)
        }
        isDone.wait()
        #expect(written.withLock { $0 } == documents.count)
        try Self.expectFresh(service, "round \(round)")
        #expect(service.core.catalog.layer(named: "Spot")?.current.count == documents.count)
    }

    @Test("a member of the body that stands twice is refused by its name")
    func repeatedMembers() throws {
        let service = try TestService()
        for (body, field) in [
            (#"{"title":"a","title":"a"}"#, "title"),
            (#"{"heat":{"radius":9,"minOwners":3,"radius":10}}"#, "heat.radius"),
            (#"{"aggregates":[{"field":"a","op":"sum","op":"min"}]}"#, "aggregates[0].op"),
            (#"{"title":"a\u0000b"}"#, "title"),
        ] {
            let reply = try service.ask("PUT", Self.path, bytes: Array(body.utf8), as: .master)
            #expect(reply.status == 400)
            #expect(reply.json["errors"]?.arrayValue?.map { $0["field"] } == [.string(field)])
        }
        #expect(service.core.catalog.layer(named: "Spot") == nil)
    }

    @Test("the fields that are named are those that count")
    func fields() throws {
        let service = try TestService()
        _ = try service.create(
            "Spot",
            [
                "place": geoPoint(lon: 1, lat: 2), "kind": "a", "sort": "b", "weight": 3, "size": 5,
                "startsAt": ["__type": "Date", "iso": "2031-02-03T04:05:06.007Z"],
            ])
        func description() throws -> JSONValue { try service.ask("GET", Self.path).json }
        #expect(try description()["kinds"] == ["a": 1])
        try service.ask(
            "PUT", Self.path, ["kind": "sort", "weight": "size", "time": "startsAt"], as: .master)
        let json = try description()
        #expect(json["kinds"] == ["b": 1])
        #expect(
            json["extent"]?["temporal"]?["interval"]
                == [["2031-02-03T04:05:06.007Z", "2031-02-03T04:05:06.007Z"]])
        for (name, value) in [("kind", "sort"), ("weight", "size"), ("time", "startsAt")] {
            #expect(json[name] == .string(value))
        }
        let layer = try #require(service.core.catalog.layer(named: "Spot"))
        #expect(layer.current.sum(over: [0...UInt64.max], filter: .all).count == 1)
    }

    @Test("a layer's radius is that of clusters that name none")
    func clusterRadius() throws {
        let service = try TestService()
        // 30 pixels apart at zoom 0.
        for lon in [0, 30 / 256.0 * 360] {
            _ = try service.create("Spot", ["place": geoPoint(lon: lon, lat: 0)])
        }
        func count(_ more: String = "") throws -> Int {
            let reply = try service.ask(
                "GET", "/clusters/Spot?bbox=-180,-90,180,90&zoom=0" + more)
            return reply.json["features"]?.arrayValue?.count ?? -1
        }
        #expect(try count() == 1)
        try service.ask("PUT", Self.path, ["cluster": ["radius": 20]], as: .master)
        #expect(try count() == 2)
        #expect(try count("&radius=40") == 1)
        try service.ask("PUT", Self.path, ["cluster": nil], as: .master)
        #expect(try count() == 1)
    }
}
