import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("An object whose time is over")
struct ExpiryTests {
    private let clock = TestClock()
    private let service: TestService

    init() throws {
        service = try TestService(clock: clock)
    }

    private func date(_ milliseconds: Int64) -> JSONValue {
        let time = Timestamp(milliseconds: clock.now.milliseconds + milliseconds)
        return ["__type": "Date", "iso": .string(time.description)]
    }

    private func place(_ lon: Double) -> JSONValue { geoPoint(lon: lon, lat: 10) }

    private func ids(_ path: String, as caller: TestService.Caller = .client) throws -> [String] {
        try service.call("GET", path, as: caller).results.compactMap {
            $0["objectId"]?.stringValue
        }
    }

    @Test("is taken out of the index by a sweep, when nobody asks")
    func sweep() throws {
        _ = try service.create("Spot", ["place": place(1), "expiresAt": date(1_000)])
        _ = try service.create("Spot", ["place": place(2)])
        let layer = try #require(service.core.catalog.layer(named: "Spot"))
        let sweep = ExpirySweep(catalog: service.core.catalog)
        clock.advance(milliseconds: 999)
        let now = service.core.catalog.now().milliseconds
        #expect(sweep.sweep() == now + 1)
        #expect(layer.current.count == 2)
        clock.advance(milliseconds: 1)
        #expect(sweep.sweep() == nil)
        #expect(layer.current.count == 1)
    }

    @Test(
        "is waited for by the sweep, within bounds",
        arguments: [
            (nil, 1_000), (100_900, 900), (100_007, 7), (100_003, 5), (99_000, 5),
            (102_000, 1_000), (.max, 1_000), (.min, 5),
        ] as [(Int64?, Int64)])
    func pause(next: Int64?, expected: Int64) {
        #expect(ExpirySweep.pause(until: next, now: 100_000) == expected)
    }

    @Test("is not there for Parse clients from that instant on, but for the master key")
    func parse() throws {
        let short = try service.create("Spot", ["place": place(1), "expiresAt": date(1_000)])
        let long = try service.create("Spot", ["place": place(2), "expiresAt": date(5_000)])
        let never = try service.create("Spot", ["place": place(3)])
        let all = [short, long, never].sorted()
        clock.advance(milliseconds: 999)
        #expect(try ids("/classes/Spot") == all)
        clock.advance(milliseconds: 1)
        #expect(try ids("/classes/Spot") == all.filter { $0 != short })
        let count = try service.call("GET", "/classes/Spot?count=1&limit=0")
        #expect(count.json["count"] == 2)
        for (method, body) in [("GET", nil), ("PUT", [:]), ("DELETE", nil)]
            as [(String, JSONValue?)]
        {
            let reply = try service.call(method, "/classes/Spot/\(short)", body)
            #expect(reply.status == 404 && reply.code == 101, "\(method)")
        }
        #expect(try ids("/classes/Spot", as: .master) == all)
        let revived = try service.call(
            "PUT", "/classes/Spot/\(short)", ["expiresAt": date(1_000)], as: .master)
        #expect(revived.status == 200)
        #expect(try ids("/classes/Spot") == all)
    }

    @Test("is judged by the field that the layer names")
    func field() throws {
        try service.ask("PUT", "/v1/collections/Spot", ["expires": "endsAt"], as: .master)
        let id = try service.create(
            "Spot", ["place": place(1), "endsAt": date(10), "expiresAt": date(-10)])
        #expect(try ids("/classes/Spot") == [id])
        clock.advance(milliseconds: 10)
        #expect(try ids("/classes/Spot") == [])
        #expect(try service.call("GET", "/classes/Spot?count=1").json["count"] == 0)
        #expect(try service.call("GET", "/classes/Spot/\(id)").status == 404)
    }

    @Test("is only gone in layers: elsewhere the field means nothing")
    func noLayer() throws {
        let id = try service.create("Note", ["expiresAt": date(-10)])
        #expect(try ids("/classes/Note") == [id])
        #expect(try service.call("GET", "/classes/Note/\(id)").status == 200)
    }

    private let paths = [
        "/clusters/Spot?bbox=-180,-90,180,90&zoom=4", "/within/Spot?bbox=0,0,20,20",
        "/within/Spot?bbox=0,0,20,20&count=true", "/near/Spot?lon=1&lat=10",
        "/v1/collections/Spot", "/v1/collections",
    ]

    @Test("is gone from every map answer and tag at that instant, without a write")
    func map() throws {
        for lon in [5.0, 5.001, 9] {
            _ = try service.create("Spot", ["place": place(lon), "kind": "stays"])
        }
        let before = try paths.map { try service.ask("GET", $0) }
        _ = try service.create(
            "Spot", ["place": place(5.0005), "kind": "goes", "expiresAt": date(1_000)])
        _ = try service.create(
            "Spot", ["place": place(1), "kind": "goes", "expiresAt": date(1_000)])
        clock.advance(milliseconds: 999)
        for (path, old) in zip(paths, before) {
            let present = try service.ask("GET", path)
            #expect(present.status == 200)
            #expect(present.answer["etag"] != old.answer["etag"], "\(path)")
        }
        clock.advance(milliseconds: 1)
        for (path, old) in zip(paths, before) {
            let reply = try service.ask("GET", path)
            #expect(reply.answer.text == old.answer.text, "\(path)")
            #expect(reply.answer["etag"] == old.answer["etag"], "\(path)")
        }
    }

    @Test("comes back when it gets another time, and stays gone when it is written after its end")
    func writes() throws {
        let id = try service.create("Spot", ["place": place(1), "expiresAt": date(100)])
        func count() throws -> JSONValue? {
            try service.ask("GET", "/v1/collections/Spot").json["count"]
        }
        #expect(try count() == 1)
        clock.advance(milliseconds: 100)
        #expect(try count() == 0)
        try service.call("PUT", "/classes/Spot/\(id)", ["place": place(2)], as: .master)
        #expect(try count() == 0)
        try service.call("PUT", "/classes/Spot/\(id)", ["expiresAt": date(50)], as: .master)
        #expect(try count() == 1)
        clock.advance(milliseconds: 49)
        #expect(try count() == 1)
        clock.advance(milliseconds: 1)
        #expect(try count() == 0)
        try service.call("PUT", "/classes/Spot/\(id)", ["expiresAt": nil], as: .master)
        #expect(try count() == 1)
        // An index built after the end leaves it out as well.
        try service.call("PUT", "/classes/Spot/\(id)", ["endsAt": date(10)], as: .master)
        try service.ask("PUT", "/v1/collections/Spot", ["expires": "endsAt"], as: .master)
        #expect(try count() == 1)
        clock.advance(milliseconds: 10)
        #expect(try count() == 0)
        try service.ask("PUT", "/v1/collections/Spot", ["kind": "sort"], as: .master)
        #expect(try count() == 0)
        try service.ask("PUT", "/v1/collections/Spot", ["expires": nil], as: .master)
        #expect(try count() == 1)
    }
}
