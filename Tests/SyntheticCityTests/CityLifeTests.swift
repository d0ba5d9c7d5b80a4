import SyntheticCity
import Testing

@Suite("A living city")
struct CityLifeTests {
    /// What a store would make of the events.
    struct Town {
        var residents: [CityResident] = []
        var likes = 0
        var moves = 0
        var removals = 0

        mutating func apply(_ events: [LifeEvent], prefix: String) {
            for event in events {
                switch event {
                case .create(let record):
                    residents.append(
                        CityResident(
                            id: prefix + record.id, lon: record.lon, lat: record.lat))
                case .move(let id, let lon, let lat):
                    moves += 1
                    guard let index = residents.firstIndex(where: { $0.id == id }) else { continue }
                    residents[index] = CityResident(id: id, lon: lon, lat: lat)
                case .like: likes += 1
                case .remove(let id):
                    removals += 1
                    residents.removeAll { $0.id == id }
                }
            }
        }
    }

    @Test("the demo begins with a dense city and its neighbours")
    func initialRecords() {
        let records = CityLife.initialRecords()
        #expect(records.count == CityLife.population)
        #expect(records == CityLife.initialRecords(seed: 1, count: 20_000))
        #expect(records != CityLife.initialRecords(seed: 2))
        let inCity = records.count { abs($0.lon - 13.405) < 0.35 && abs($0.lat - 52.52) < 0.2 }
        let inRegion = records.count { abs($0.lon - 13.4) < 2 && abs($0.lat - 52.5) < 1.2 }
        #expect((14_000...18_500).contains(inCity), "\(inCity)")
        #expect(inRegion > 19_800, "\(inRegion)")
        #expect(Set(records.map(\.kind)).count == 5)
    }

    @Test("an hour replays, keeps the town alive and in its place", arguments: 0..<4)
    func hour(seed: UInt64) {
        let start: Int64 = 1_800_000_000_000
        var towns = [Town(), Town()]
        for index in towns.indices {
            towns[index].residents = CityLife.initialRecords(seed: seed, count: 500)
                .map { CityResident(id: $0.id, lon: $0.lon, lat: $0.lat) }
            var life = CityLife(seed: seed, startMilliseconds: start)
            for second in 0..<Int64(3600) {
                let residents = towns[index].residents
                let events = life.events(
                    until: start + second * 1000, residentCount: residents.count
                ) { (position) -> CityResident? in
                    #expect(residents.indices.contains(position))
                    return residents[position]
                }
                #expect(events.count <= 40)
                towns[index].apply(events, prefix: "post")
            }
        }
        #expect(towns[0].residents == towns[1].residents)
        let all = towns[0].moves + towns[0].likes + towns[0].removals
        #expect((6_000...14_000).contains(all), "a few in a second: \(all)")
        #expect(towns[0].moves > 1000 && towns[0].likes > 1000 && towns[0].removals > 1000)
        #expect(towns[0].residents.count > 500, "below its size a town grows")
        #expect(
            towns[0].residents.allSatisfy { abs($0.lon - 13.4) < 4 && abs($0.lat - 52.5) < 2 })
    }

    @Test("more than enough objects: the town shrinks")
    func shrinks() {
        var life = CityLife(seed: 3, startMilliseconds: 0)
        var created = 0
        var removed = 0
        for second in 0..<Int64(2000) {
            let events = life.events(until: second * 1000, residentCount: 30_000) {
                CityResident(id: "\($0)", lon: 0, lat: 0)
            }
            for case .create in events { created += 1 }
            for case .remove in events { removed += 1 }
        }
        #expect(removed > created)
    }

    @Test("a long pause gives a bounded burst, a clock that goes back nothing")
    func clocks() {
        var life = CityLife(seed: 3, startMilliseconds: 0)
        let nobody = { (_: Int) -> CityResident? in nil }
        #expect(
            life.events(until: 86_400_000, residentCount: 0, resident: nobody).count
                == CityLife.eventLimit)
        #expect(life.events(until: 86_400_000 - 1, residentCount: 0, resident: nobody).isEmpty)
        #expect(life.events(until: .min, residentCount: 0, resident: nobody).isEmpty)
        #expect(!life.events(until: .max - 10_000, residentCount: 9, resident: nobody).isEmpty)
    }

    @Test("objects at the edges of the globe move without leaving it")
    func edges() {
        var life = CityLife(seed: 3, startMilliseconds: 0)
        let corners = [(180.0, 90.0), (-180.0, -90.0), (180.0, 0.0), (0.0, 90.0)]
        var moves = 0
        for second in 0..<Int64(1000) {
            let events = life.events(until: second * 1000, residentCount: .max) { position in
                let corner = corners[position % 4]
                return CityResident(id: "x", lon: corner.0, lat: corner.1)
            }
            for case .move(_, let lon, let lat) in events {
                moves += 1
                #expect((-180...180).contains(lon) && (-90...90).contains(lat))
            }
        }
        #expect(moves > 500)
    }
}
