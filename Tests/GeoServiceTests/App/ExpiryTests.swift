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
}
