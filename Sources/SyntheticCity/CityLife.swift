/// One thing that happens in a living city.
package enum LifeEvent: Hashable, Sendable {
    /// Somebody posts something. Its `number` counts the stream's posts; ids are the store's.
    case create(CityRecord)
    /// An object moves to a place, in decimal degrees.
    case move(id: String, lon: Double, lat: Double)
    /// Somebody likes an object.
    case like(id: String)
    /// An object has run its time.
    case remove(id: String)
}

/// An object that exists, as the stream of life sees it.
package struct CityResident: Hashable, Sendable {
    /// The object's id.
    package let id: String
    /// Decimal degrees east.
    package let lon: Double
    /// Decimal degrees north.
    package let lat: Double

    /// Creates a resident.
    package init(id: String, lon: Double, lat: Double) {
        self.id = id
        self.lon = lon
        self.lat = lat
    }
}

/// The demo: one dense city with its neighbours, and a deterministic stream of what happens there.
///
/// The stream has no clock and no store. The caller passes the time and answers what exists, so
/// that a test replays a day in a second. Every ``gatheringMilliseconds`` the town gathers at
/// another spot: half of what is posted is posted there and half of the moves lead there, so that
/// hotspots come and go while somebody watches.
///
///     var life = CityLife(seed: 1, startMilliseconds: now)
///     let events = life.events(until: now, residentCount: ids.count) { resident(at: $0) }
package struct CityLife: Sendable {
    /// How many objects the demo starts with.
    package static let population = 20_000
    /// How long the town stays at one spot.
    package static let gatheringMilliseconds: Int64 = 90_000
    /// What one call returns at most: after a pause the stream goes on from now.
    package static let eventLimit = 64
    /// The mean time between two events: four happen in a second.
    static let meanGapMilliseconds: UInt32 = 250

    private let generator: CityGenerator
    private var random: SplitMix64
    private var nextMilliseconds: Int64
    private var posts: UInt64 = 0

    /// Creates the stream of a seed, beginning at a time in milliseconds since 1970 UTC.
    package init(seed: UInt64 = CityGenerator.defaultSeed, startMilliseconds: Int64) {
        generator = CityLife.town(seed: seed)
        random = SplitMix64(seed: seed, stream: UInt64(bitPattern: startMilliseconds))
        nextMilliseconds = startMilliseconds
    }

    /// The objects that the demo starts with; ids are their numbers.
    package static func initialRecords(
        seed: UInt64 = CityGenerator.defaultSeed, count: Int = CityLife.population
    ) -> [CityRecord] {
        let town = town(seed: seed)
        return (0..<UInt64(max(0, count))).map { town.record(at: $0) }
    }

    private static func town(seed: UInt64) -> CityGenerator {
        CityGenerator(geography: .demo(seed: seed), seed: seed)
    }

    /// What has happened since the last call, oldest first.
    ///
    /// - Parameters:
    ///   - milliseconds: The time now. A time before the last one gives nothing.
    ///   - residentCount: How many objects exist.
    ///   - resident: The object at a position below that count; `nil` when it has just gone.
    /// - Throws: What `resident` throws; the event it was asked for is lost.
    /// - Complexity: O(events), at most ``eventLimit``.
    package mutating func events<Failure: Error>(
        until milliseconds: Int64, residentCount: Int,
        resident: (Int) throws(Failure) -> CityResident?
    ) throws(Failure) -> [LifeEvent] {
        var events: [LifeEvent] = []
        while nextMilliseconds <= milliseconds {
            guard events.count < CityLife.eventLimit else {
                nextMilliseconds = milliseconds
                break
            }
            // Gaps are even between nothing and twice the mean; the sum cannot pass the clock's
            // range, because it stays within half a second of a time that the caller has.
            let now = nextMilliseconds
            nextMilliseconds &+= Int64(1 + random.below(2 * CityLife.meanGapMilliseconds - 1))
            if let event = try event(at: now, residentCount: residentCount, resident: resident) {
                events.append(event)
            }
        }
        return events
    }

    private mutating func event<Failure: Error>(
        at milliseconds: Int64, residentCount: Int,
        resident: (Int) throws(Failure) -> CityResident?
    ) throws(Failure) -> LifeEvent? {
        let ticket = random.below(100)
        // Posting and expiring pull the population back to where it began.
        let postPercent: UInt32 = residentCount < CityLife.population ? 32 : 20
        if residentCount < 1 || ticket < postPercent { return .create(post(at: milliseconds)) }
        // A random position below a positive count that fits 32 bits is a position.
        let bound = UInt32(clamping: residentCount)
        guard let chosen = try resident(Int(random.below(bound))) else { return nil }
        switch ticket {
        case ..<52: return .remove(id: chosen.id)
        case ..<70: return .like(id: chosen.id)
        default: return step(of: chosen, at: milliseconds)
        }
    }

    /// A new record, half of the time at the gathering.
    private mutating func post(at milliseconds: Int64) -> CityRecord {
        // Counts events, four in a second: 64 bits outlast the sun.
        posts &+= 1
        let base = generator.record(at: random.next() >> 1)
        let place =
            random.below(2) == 0
            ? PlaceE6(lon: base.lon, lat: base.lat)
            : near(gathering(at: milliseconds), withinMeters: 120)
        return CityRecord(
            number: posts, lonE6: place.lonE6, latE6: place.latE6, kind: base.kind,
            weightHundredths: base.weightHundredths, timeMilliseconds: milliseconds,
            owner: base.owner, titleBits: base.titleBits)
    }

    /// A walk of some ten metres, or the way to the gathering for who is in the town.
    private mutating func step(of resident: CityResident, at milliseconds: Int64) -> LifeEvent {
        let meeting = gathering(at: milliseconds)
        let isInTown =
            abs(resident.lon - meeting.lon) < 0.6 && abs(resident.lat - meeting.lat) < 0.4
        let goes = random.below(2) == 0 && isInTown
        let target =
            goes
            ? near(meeting, withinMeters: 90)
            : near((lon: resident.lon, lat: resident.lat), withinMeters: 40)
        return .move(
            id: resident.id, lon: Double(target.lonE6) / 1e6, lat: Double(target.latE6) / 1e6)
    }

    /// Where the town gathers at a time: in a district, another one every 90 seconds.
    private func gathering(at milliseconds: Int64) -> (lon: Double, lat: Double) {
        let turn = milliseconds / CityLife.gatheringMilliseconds
        var random = SplitMix64(seed: ~generator.seed, stream: UInt64(bitPattern: turn))
        let district = generator.geography.district(at: random.unit())
        let city = generator.geography.cities[district.city]
        return (
            lon: city.lon + district.eastMeters * city.lonDegreesPerMeter,
            lat: city.lat + district.northMeters * Geography.latDegreesPerMeter
        )
    }

    private mutating func near(_ place: (lon: Double, lat: Double), withinMeters spread: Double)
        -> PlaceE6
    {
        // Near a pole a metre has many degrees; a hundredth keeps the division finite.
        let shrink = max(0.01, cosine(degrees: min(90, max(-90, place.lat))))
        return PlaceE6(
            lon: place.lon + random.bell() * spread * Geography.latDegreesPerMeter / shrink,
            lat: place.lat + random.bell() * spread * Geography.latDegreesPerMeter)
    }
}
