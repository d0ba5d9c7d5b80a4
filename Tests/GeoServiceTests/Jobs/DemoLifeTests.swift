import GeoIndex
import GeoStore
import JSONText
import SyntheticCity
import Testing

@testable import GeoService

@Suite("The demo's city")
struct DemoLifeTests {
    @Test("is made once")
    func madeOnce() throws {
        let fixture = try ImportFixture()
        #expect(try DemoCity.make(in: fixture.store) { _ in })
        #expect(try !DemoCity.make(in: fixture.store) { _ in })
        #expect(try fixture.objects(DemoCity.layer).count == CityLife.population)
        #expect(fixture.catalog.layer(named: DemoCity.layer)?.current.kindCounts.count == 5)
    }

    @Test("knows after a quarter of an hour exactly the residents that the store has")
    func residentsStayTrue() throws {
        let fixture = try ImportFixture()
        _ = try DemoCity.make(in: fixture.store) { _ in }
        // What somebody adds is nobody's resident.
        try fixture.store.write { transaction in
            try transaction.insert(
                Document(
                    className: DemoCity.layer, objectId: "mine", createdAt: Timestamp.now(),
                    fields: ["title": "Mine"]))
        }
        var residents = try Residents(of: fixture.store)
        #expect(residents.count == CityLife.population)
        var life = CityLife(startMilliseconds: 0)
        var likes = 0
        for tick in 1...150 {
            let now = Timestamp(milliseconds: Int64(tick) * 6_000)
            let events = life.events(
                until: now.milliseconds, residentCount: residents.count
            ) { residents[$0] }
            likes += events.count { if case .like = $0 { true } else { false } }
            let changes = try fixture.store.write { transaction in
                try events.compactMap { try $0.happen(at: now, in: &transaction) }
            }
            for change in changes { residents.apply(change) }
        }
        #expect(likes > 50)
        let stored = try fixture.objects(DemoCity.layer)
        #expect(stored["mine"] == ["title": "Mine"])
        #expect(residents.count == stored.count - 1)
        for index in 0..<residents.count {
            let resident = residents[index]
            let place = try #require(stored[resident.id]?["location"])
            #expect(place["longitude"]?.doubleValue == resident.lon)
            #expect(place["latitude"]?.doubleValue == resident.lat)
        }
        #expect(stored.values.contains { ($0["likes"]?.integerValue ?? 0) > 0 })
    }
}
