import GeoIndex
import GeoStore
import Glibc
import JSONText
import TestSupport
import Testing

@Suite("How finely a place is shown")
struct LocationAccuracyTests {
    private static let metersPerDegree = Double.pi * 6_371_008.8 / 180

    private static func place(_ random: inout SeededGenerator) throws -> LonLat {
        // Every other one near a pole, an edge of the world or its middle.
        let lon = [-180, 180, 0, Double.random(in: -180...180, using: &random)]
        let lat = [-90, 90, 0, Double.random(in: -90...90, using: &random)]
        let place = (lon.randomElement(using: &random) ?? 0, lat.randomElement(using: &random) ?? 0)
        let jitter = Double.random(in: 0...1e-3, using: &random)
        return try LonLat(
            lon: place.0 > 0 ? place.0 - jitter : place.0 + jitter,
            lat: place.1 > 0 ? place.1 - jitter : place.1 + jitter)
    }

    private static func meters(_ random: inout SeededGenerator) -> Double {
        pow(10, Double.random(in: -1...6, using: &random))
    }

    @Test("a place is shown within its cell, and showing it again moves nothing", arguments: 0..<64)
    func idempotent(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let meters = Self.meters(&random)
            let accuracy = try #require(LocationAccuracy(meters: meters))
            let exact = try Self.place(&random)
            let shown = accuracy.shown(exact)
            #expect(accuracy.shown(shown) == shown)
            // A row is less than two accuracies high, or 0.3 m when that is more.
            let height = max(2 * meters, 0.31)
            #expect(abs(shown.lat - exact.lat) * Self.metersPerDegree <= height / 2 + 0.02)
        }
    }

    @Test("a cell is at least as wide and as high as the accuracy", arguments: 0..<64)
    func size(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let meters = pow(10, Double.random(in: 1...6, using: &random))
        let accuracy = try #require(LocationAccuracy(meters: meters))
        let exact = try Self.place(&random)
        let shown = accuracy.shown(exact)
        /// Whether a step of so many metres from the cell's centre stays in the cell.
        func isInside(north: Double, east: Double) throws -> Bool {
            let lat = shown.lat + north / Self.metersPerDegree
            guard abs(lat) <= 90 else { return true }
            // Measured where a degree of longitude is longest within the step: a strict bound.
            let scale = cos(min(abs(shown.lat), abs(lat)) * .pi / 180) * Self.metersPerDegree
            let degrees = east == 0 ? 0 : east / scale
            // So near a pole one goes round it.
            guard abs(degrees) < 180 else { return true }
            let step = try LonLat(wrappingLon: shown.lon + degrees, lat: lat)
            return accuracy.shown(step) == shown
        }
        for north in [-0.49, 0, 0.49] {
            for east in [-0.49, 0, 0.49] {
                #expect(try isInside(north: north * meters, east: east * meters))
            }
        }
        #expect(try !isInside(north: shown.lat > 0 ? -1.01 * meters : 1.01 * meters, east: 0))
    }

    @Test("each accuracy's cells lie whole in a coarser one's", arguments: 0..<64)
    func nested(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (a, b) = (Self.meters(&random), Self.meters(&random))
        let fine = try #require(LocationAccuracy(meters: min(a, b)))
        let coarse = try #require(LocationAccuracy(meters: max(a, b)))
        for _ in 0..<50 {
            let exact = try Self.place(&random)
            #expect(coarse.shown(fine.shown(exact)) == coarse.shown(exact))
        }
    }

    @Test("180° east is 180° west, and a pole is one place")
    func edges() throws {
        for meters in [0.1, 100, 5_000, 1_000_000] {
            let accuracy = try #require(LocationAccuracy(meters: meters))
            for lat in [-90, -80, 0, 12.5, 90] {
                let east = try LonLat(lon: 180, lat: lat)
                let west = try LonLat(lon: -180, lat: lat)
                #expect(accuracy.shown(east) == accuracy.shown(west))
            }
            for lat in [-90.0, 90] {
                let poles = Set(
                    try [-180, -1, 0, 77.7].map { accuracy.shown(try LonLat(lon: $0, lat: lat)) })
                #expect(poles.count == 1)
            }
        }
    }

    @Test("the grid never changes: what was shown stays where it was")
    func pinned() throws {
        // Computed by a twin of the definition in another language.
        let berlin = try LonLat(lon: 13.405, lat: 52.52)
        let shown = try [1, 500, 100_000].map {
            try #require(LocationAccuracy(meters: $0)).shown(berlin)
        }
        #expect(
            shown == [
                try LonLat(lon: 13.4050047, lat: 52.5199967),
                try LonLat(lon: 13.4088134, lat: 52.517395),
                try LonLat(lon: 12.65625, lat: 52.734375),
            ])
    }

    @Test(
        "what is no number of metres from 0 to a million is refused at every write",
        arguments: [-1, -0.001, 1_000_001, "500", true, [500], ["m": 500]] as [JSONValue])
    func refused(value: JSONValue) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let right = try Document.spot("right", ["locationAccuracy": 500])
        let wrong = try Document.spot("wrong", ["locationAccuracy": value])
        #expect(throws: SchemaError.self) { try store.write { try $0.insert(wrong) } }
        try store.write { try $0.insert(right) }
        // Again when the class knows the field.
        #expect(throws: SchemaError.self) { try store.write { try $0.insert(wrong) } }
        let prepared = Document(
            className: "Spot", objectId: "right", createdAt: right.createdAt, fields: wrong.fields)
        #expect(throws: SchemaError.self) { try store.write { try $0.replace(prepared) } }
        #expect(try store.read { try $0.object("Spot", "right") } == right)
    }

    @Test(
        "what older data has that says nothing hides the place as far as can be",
        arguments: [-1, -0.001, 1_000_001, "500", true, [500], ["m": 500]] as [JSONValue])
    func stored(value: JSONValue) throws {
        let coarsest = try #require(LocationAccuracy(meters: LocationAccuracy.greatestMeters))
        #expect(LocationAccuracy.stored(value) == coarsest)
        let document = try Document.spot("old", ["locationAccuracy": value, "geometry": [:]])
        let exact = try #require(document.location?.position)
        #expect(document.shown.location?.position == coarsest.shown(exact))
        #expect(document.shown.location?.position != exact)
        #expect(document.shown.fields["geometry"] == nil)
    }

    @Test("null and 0 show a place as it is", arguments: [nil, 0, 0.0] as [JSONValue])
    func exact(value: JSONValue) throws {
        let document = try Document.spot("a", ["locationAccuracy": value])
        #expect(document.shown == document)
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { try $0.insert(document) }
        try store.read {
            try $0.scanLocated("Spot") { #expect($0.position == $0.exactPosition) }
        }
    }

    @Test("the index is told the place that is shown, and moving in its cell tells it nothing")
    func index() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        let accuracy = try #require(LocationAccuracy(meters: 2_000))
        let centre = accuracy.shown(try LonLat(lon: 13.4, lat: 52.5))
        for (id, lon) in [("a", centre.lon - 0.001), ("b", centre.lon + 0.001)] {
            let document = try Document.spot(
                id, lon: lon, lat: centre.lat, ["locationAccuracy": 2_000])
            try store.write { try $0.insert(document) }
        }
        let told = seen.all.flatMap { $0 }.compactMap(\.locatedAfter)
        #expect(told.map(\.position) == [centre, centre])
        #expect(Set(told.map(\.exactPosition.lon)).count == 2)
        #expect(Set(told.map(\.content)).count == 1)
        var scanned: [LocatedObject] = []
        try store.read { try $0.scanLocated("Spot") { scanned.append($0) } }
        #expect(scanned == told)
        let shown = try store.read { try $0.object("Spot", "a") }?.shown
        #expect(shown?.location?.position == centre)
        #expect(shown?.contentHash == told[0].content)
        #expect(shown?.fields["locationAccuracy"] == 2_000)
    }
}
