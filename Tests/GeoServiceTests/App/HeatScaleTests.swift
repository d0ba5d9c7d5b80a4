import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("The colour scale of heat")
struct HeatScaleTests {
    private static let now: Int64 = 1_790_000_012_345
    private static let minute: Int64 = 60_000

    /// Two towns, of which the old one is by far the denser.
    private static func placements(seed: Int) throws -> [Placement] {
        var random = SeededRandom(seed: seed)
        return try (0..<1_500).map { number in
            let isOld = number < 1_200
            let lon = random.normal(isOld ? 13.4 : 2.3, isOld ? 0.005 : 0.05)
            let place = try LonLat(lon: lon, lat: random.normal(52.5, 0.01))
            let minutes = Int64.random(in: isOld ? 2_000...9_000 : 0...300, using: &random)
            return Placement(
                position: RoundedPosition(place), weight: .random(in: 0...3, using: &random),
                time: now - minutes * minute)
        }
    }

    private static func snapshot(_ placements: [Placement]) throws -> IndexSnapshot {
        var builder = BulkBuilder()
        for (number, placement) in placements.enumerated() {
            try builder.add(id: "\(number)", placement)
        }
        return builder.build()
    }

    private static func heat(halfLife minutes: Int) -> HeatSettings {
        var heat = HeatSettings()
        heat.halfLifeMinutes = minutes
        return heat
    }

    @Test("is fitted to what fading leaves")
    func fading() throws {
        let placements = try Self.placements(seed: 5)
        let snapshot = try Self.snapshot(placements)
        let options = Self.heat(halfLife: 180)
            .fittingOptions(snapshot, at: Timestamp(milliseconds: Self.now))
        let decay = try #require(options.decay)
        let newest = try #require(placements.map(\.time).max())
        #expect(decay.nowMinutes == newest / Self.minute)
        let scale = HeatScale.fitted(to: snapshot, version: 3, options: options)
        #expect(scale.version == 3 && scale.halfLifeMinutes == 180)

        // The same by hand: the tiles where the middles of eight equal parts of the weight lie.
        let left =
            placements
            .map { placement in
                (
                    point: WorldPoint(placement.position),
                    weight: decay.faded(UInt32(placement.weight * 256), time: placement.time)
                )
            }
            .sorted { MortonKey($0.point).bits < MortonKey($1.point).bits }
        let total = left.reduce(0) { $0 + Int($1.weight) }
        let samples = (0..<8).compactMap { part in
            var sum = 0
            return left.first { entry in
                sum += Int(entry.weight)
                return sum > total * (2 * part + 1) / 16
            }?.point
        }
        #expect(samples.count == 8)
        for zoom: UInt8 in [0, 3, 9, 13, 20] {
            let tiles = Set(samples.map { TileID(QuadCell(level: zoom, containing: $0)) })
            let kernel = DensityKernel(radiusPixels: 24)
            let domains = tiles.compactMap { tile in
                var grid = DensityGrid(
                    window: PixelWindow(tile: tile, scale: 1), marginPixels: kernel.marginPixels)
                for entry in left { grid.add(entry.point, weight: entry.weight) }
                return DensityField(grid, kernel: kernel).suggestedDomain()
            }
            #expect(scale.domains[Int(zoom)] == domains.max(), "zoom \(zoom)")
        }
        // The old town does not make the new one pale.
        let plain = HeatScale.fitted(to: snapshot, version: 3)
        #expect(plain.halfLifeMinutes == nil)
        #expect(plain.isLeft(by: scale))
        #expect(zip(scale.domains, plain.domains).allSatisfy { $0 <= $1 })
    }

    @Test("does not depend on when it is fitted")
    func deterministic() throws {
        var placements = try Self.placements(seed: 9)
        let heat = Self.heat(halfLife: 360)
        func options(after minutes: Int64) throws -> HeatOptions {
            heat.fittingOptions(
                try Self.snapshot(placements),
                at: Timestamp(milliseconds: Self.now + minutes * Self.minute))
        }
        let first = try options(after: 0)
        for minutes: Int64 in [1, 59, 600, 1_000_000] {
            #expect(try options(after: minutes) == first)
        }
        // An object of next year does not fade all others away.
        placements[0].time = Self.now + 525_600 * Self.minute
        let withFuture = try options(after: 0)
        let minutes = Self.now / Self.minute
        #expect(withFuture.decay?.nowMinutes == minutes / 360 * 360)
        #expect(try options(after: 359 - minutes % 360) == withFuture)
        #expect(try options(after: 360 - minutes % 360) != withFuture)
    }

    @Test("changes by PUT, and when the density has left it")
    func changes() throws {
        let service = try TestService()
        let store = service.core.store
        func insert(_ numbers: Range<Int>, ageMinutes: Int64) throws {
            var random = SeededRandom(seed: numbers.lowerBound)
            let documents = try numbers.map { number in
                let place = try LonLat(
                    lon: random.normal(13.4, 0.0001), lat: random.normal(52.5, 0.0001))
                return Document(
                    className: "Spot", objectId: "id\(number)",
                    createdAt: Timestamp(milliseconds: Self.now - ageMinutes * Self.minute),
                    fields: ["location": GeoPointField.json(place)])
            }
            try store.write { transaction in
                for document in documents { try transaction.insert(document) }
            }
        }
        func scale() throws -> HeatScale {
            try #require(service.core.catalog.layer(named: "Spot")).heatScale
        }
        func refit() throws {
            service.core.fitter.fit(try #require(service.core.catalog.layer(named: "Spot")))
        }
        func put(_ heat: JSONObject) throws {
            _ = try service.core.editor.change("Spot", by: ["heat": .object(heat)])
        }
        try insert(0..<2_000, ageMinutes: 600)
        try insert(2_000..<2_100, ageMinutes: 0)
        try refit()
        let plain = try scale()
        #expect(plain.isFitted && plain.halfLifeMinutes == nil)

        try put(["halfLife": "1h"])
        let fading = try scale()
        #expect(fading.version == plain.version + 1 && fading.halfLifeMinutes == 60)
        #expect(plain.isLeft(by: fading))
        let kept = try store.read { try HeatScaleStore().scale(of: "Spot", in: $0) }
        #expect(kept == fading)
        // Nothing has changed, whatever the clock says; nor does a little more change it.
        try refit()
        #expect(try scale() == fading)
        try insert(3_000..<3_050, ageMinutes: 0)
        try refit()
        #expect(try scale() == fading)
        try insert(4_000..<6_000, ageMinutes: 0)
        try refit()
        let denser = try scale()
        #expect(denser.version == fading.version + 1 && denser.halfLifeMinutes == 60)
        #expect(fading.isLeft(by: denser))

        // What an operator sets has nothing to do with fading.
        try put(["domain": 7])
        let set = try scale()
        #expect(set.version == denser.version + 1 && set.halfLifeMinutes == nil)
        try put(["halfLife": "2h"])
        #expect(try scale() == set)
        try put(["domain": nil])
        #expect(try scale().halfLifeMinutes == 120)
        try put(["halfLife": nil])
        #expect(try scale().halfLifeMinutes == nil)
        #expect(try scale().version == set.version + 2)
    }
}
