import TestSupport
import Testing

@testable import GeoIndex

struct HotspotTests {
    private static let kinds = ["event", "trade", nil]
    /// Every shape at three zooms, every zoom with several shapes and every radius.
    static let cases: [(shape: Shape, zoom: UInt8, radius: Int)] = {
        let zooms: [UInt8] = [0, 1, 4, 9, 14, 18, 22]
        let radii = [4, 9, 24, 33]
        return Shape.allCases.enumerated().flatMap { number, shape in
            (0..<3).map { step in
                (shape, zooms[(3 * number + 2 * step) % 7], radii[(number + step) % 4])
            }
        }
    }()

    /// Placements of a shape, with weights in 1/256 of which some are 0.
    private static func placements(_ shape: Shape, count: Int, seed: Int) -> [Placement] {
        var random = SeededRandom(seed: seed)
        return shape.positions(count: count, seed: seed).map { position in
            Placement(
                position: position, kind: kinds.randomElement(using: &random) ?? nil,
                weight: Double(Int.random(in: 0...5, using: &random) * 200) / 256,
                time: .random(in: 0...10, using: &random) * 60_000,
                owner: .random(in: 0...6, using: &random))
        }
    }

    private static func objects(
        _ placements: [Placement], decay: TimeDecay? = nil
    ) -> [HotspotTwin.Object] {
        placements.compactMap { placement in
            let weight = UInt32(placement.weight * 256)
            let left = decay?.faded(weight, time: placement.time) ?? weight
            // What has faded to nothing is gone; what weighs nothing is there.
            if left == 0 && weight > 0 { return nil }
            return HotspotTwin.Object(
                point: WorldPoint(placement.position), weight: Int(left), kind: placement.kind,
                owner: placement.owner)
        }
    }

    private static func found(
        _ snapshot: IndexSnapshot, _ query: HotspotQuery
    ) throws -> [HotspotTwin.Found] {
        let background = snapshot.hotspotBackground(
            zoom: query.zoom, filter: query.filter, options: query.options)
        return try snapshot.hotspots(query, background: background).map { hotspot in
            let (count, kinds) = snapshot.members(of: hotspot, query)
            return HotspotTwin.Found(
                id: hotspot.id.number, hundredths: hotspot.hundredths, density: hotspot.density,
                point: hotspot.point, count: count,
                kinds: Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0.count) }))
        }
    }

    @Test("are those of the definition, whatever the window", arguments: cases)
    func twin(shape: Shape, zoom: UInt8, radius: Int) throws {
        let placements = Self.placements(shape, count: shape.sparing(48), seed: Int(zoom))
        let snapshot = try index(of: placements)
        let twin = HotspotTwin(zoom: Int(zoom), radius: radius)
        let expected = twin.hotspots(Self.objects(placements))
        #expect(expected.isEmpty == placements.allSatisfy { $0.weight == 0 })
        var query = HotspotQuery(
            window: .world, zoom: zoom, limit: .max, options: HeatOptions(radiusPixels: radius))
        #expect(try Self.found(snapshot, query) == expected)
        query.limit = 1 + expected.count / 3
        #expect(try Self.found(snapshot, query) == Array(expected.prefix(query.limit)))
        var random = SeededRandom(seed: Int(zoom))
        for _ in 0..<4 {
            let centre = expected.randomElement(using: &random)?.point ?? WorldPoint(x: 0, y: 0)
            query.window = .random(around: centre, zoom: Int(zoom), using: &random)
            query.limit = .random(in: 1...expected.count + 1, using: &random)
            let inside = expected.filter { query.window.contains($0.point) }
            #expect(
                try Self.found(snapshot, query) == Array(inside.prefix(query.limit)),
                "\(query.window)")
        }
    }

    @Test("fade with time and count kept objects only", arguments: 0..<6)
    func faded(seed: Int) throws {
        let shape = [Shape.duplicates, .poles, .antimeridian, .city, .gradient, .world][seed]
        let placements = Self.placements(shape, count: 60, seed: seed)
        let snapshot = try index(of: placements)
        let decay = TimeDecay(halfLifeMinutes: 2, nowMilliseconds: 8 * 60_000 + 59_999)
        let filter = EntryFilter(kinds: ["event"], since: 60_000)
        let kept = placements.filter { $0.kind == "event" && $0.time >= 60_000 }
        for zoom: UInt8 in [2, 12] {
            let query = HotspotQuery(
                window: .world, zoom: zoom, limit: 50, filter: filter,
                options: HeatOptions(radiusPixels: 8, decay: decay))
            let expected = HotspotTwin(zoom: Int(zoom), radius: 8)
                .hotspots(Self.objects(kept, decay: decay))
            #expect(try Self.found(snapshot, query) == Array(expected.prefix(50)))
            let background = snapshot.hotspotBackground(
                zoom: zoom, filter: filter, options: query.options)
            let plain = snapshot.hotspotBackground(
                zoom: zoom, filter: filter, options: HeatOptions(radiusPixels: 8))
            #expect(background.weight < plain.weight)
        }
    }

    @Test("count cells with enough owners only", arguments: 1..<5)
    func owners(minOwners: Int) throws {
        let placements = Self.placements(.city, count: 90, seed: minOwners)
        let snapshot = try index(of: placements)
        for zoom: UInt8 in [3, 14] {
            let twin = HotspotTwin(zoom: Int(zoom), radius: 8)
            let kept = twin.guarded(Self.objects(placements), minOwners: minOwners)
            if zoom == 14 && minOwners > 1 { #expect(kept.count < placements.count) }
            let query = HotspotQuery(
                window: .world, zoom: zoom, limit: 100,
                options: HeatOptions(radiusPixels: 8, minOwners: minOwners))
            let expected = twin.hotspots(kept)
            #expect(try Self.found(snapshot, query) == Array(expected.prefix(100)))
        }
    }

    @Test("do not depend on the order or the history of writes", arguments: 0..<6)
    func history(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let placements = Self.placements(.city, count: 300, seed: seed)
        let built = try index(of: placements)
        let live = LayerIndex()
        for (number, placement) in placements.enumerated().shuffled(using: &random) {
            var other = placement
            other.position = placements[(number + 7) % placements.count].position
            try live.apply([ObjectEdit(id: String(number), placement: other)])
            try live.apply([ObjectEdit(id: String(number), placement: placement)])
        }
        let query = HotspotQuery(window: .world, zoom: 11, limit: 40)
        #expect(try Self.found(live.current, query) == Self.found(built, query))
    }

    @Test("of equal scores the smallest ids are found", arguments: [1, 3, 17])
    func ties(limit: Int) throws {
        // So heavy that the bound of a block is the score itself.
        let placements = Shape.world.positions(count: 40, seed: 4).map {
            Placement(position: $0, weight: 1_000_000)
        }
        let snapshot = try index(of: placements)
        var query = HotspotQuery(window: .world, zoom: 14, limit: 40)
        let background = snapshot.hotspotBackground(zoom: 14, options: query.options)
        let all = try snapshot.hotspots(query, background: background)
        #expect(all.count == 40 && Set(all.map(\.hundredths)).count == 1)
        #expect(all.map(\.id) == all.map(\.id).sorted())
        query.limit = limit
        let few = try snapshot.hotspots(query, background: background)
        #expect(few.map(\.id) == Array(all.map(\.id).prefix(limit)))
    }

    @Test("every hotspot is a maximum of the painted heat")
    func painted() throws {
        let placements = Self.placements(.city, count: 400, seed: 5)
        let snapshot = try index(of: placements)
        let query = HotspotQuery(window: .world, zoom: 10, limit: 30)
        let background = snapshot.hotspotBackground(zoom: 10, options: query.options)
        let hotspots = try snapshot.hotspots(query, background: background)
        #expect(hotspots.count > 5)
        for hotspot in hotspots {
            let tile = TileID(QuadCell(level: 10, containing: hotspot.pixel))
            let window = PixelWindow(tile: tile, scale: 1)
            var grid = DensityGrid(window: window, marginPixels: query.kernel.marginPixels)
            for object in Self.objects(placements) {
                grid.add(object.point, weight: UInt32(object.weight))
            }
            let field = DensityField(grid, kernel: query.kernel)
            let column = Int(hotspot.pixel.x >> 14) - window.originX
            let row = Int(hotspot.pixel.y >> 14) - window.originY
            #expect(field.values[row * 256 + column] == hotspot.density)
            for down in -3...3 {
                for across in -3...3
                where (0..<256).contains(column + across) && (0..<256).contains(row + down) {
                    #expect(
                        field.values[(row + down) * 256 + column + across] <= hotspot.density)
                }
            }
        }
    }

    @Test(
        "more than a search takes is refused",
        arguments: [EntryFilter.all, EntryFilter(since: .min)])
    func limits(filter: EntryFilter) throws {
        let snapshot = try index(of: Shape.world.positions(count: 900, seed: 1))
        var query = HotspotQuery(window: .world, zoom: 6, limit: 10, filter: filter)
        let background = snapshot.hotspotBackground(
            zoom: 6, filter: filter, options: query.options)
        let whole = try snapshot.hotspots(query, background: background).map(\.id)
        #expect(whole.count == 10)
        let defaults = HotspotLimits()
        #expect(defaults.pixels == 2_000_000 && defaults.blocks == 200_000)
        // What there is may be there, and one less may not.
        query.limits.blocks = Int(background.blocks)
        query.limits.pixels = 900
        #expect(try snapshot.hotspots(query, background: background).map(\.id) == whole)
        query.limits.blocks -= 1
        #expect(
            throws: HotspotError.tooManyPixels(limit: 900, blockLimit: query.limits.blocks)
        ) { try snapshot.hotspots(query, background: background) }
        query.limits = HotspotLimits(pixels: 500)
        #expect(throws: HotspotError.tooManyPixels(limit: 500, blockLimit: 200_000)) {
            try snapshot.hotspots(query, background: background)
        }
        query.limits = HotspotLimits(blurs: 3)
        #expect(throws: HotspotError.tooEven(blockLimit: 3)) {
            try snapshot.hotspots(query, background: background)
        }
        // One tile of the same is a question like any other.
        query.window = WorldWindow(try TileID(zoom: 3, x: 3, y: 3))
        query.limits = HotspotLimits(pixels: 500)
        #expect(try !snapshot.hotspots(query, background: background).isEmpty)
    }

    @Test("an id names its zoom and cell, and other numbers are none")
    func ids() throws {
        for zoom: UInt8 in 0...22 {
            let point = WorldPoint(x: 0x8765_4321, y: 0x1234_5678)
            let id = HotspotID(zoom: zoom, point: point)
            #expect(id.number < 1 << 53)
            #expect(HotspotID(id.number) == id)
            #expect(id.zoom == zoom)
            #expect(id.cell == QuadCell(level: zoom + 4, containing: point))
        }
        for number: UInt64 in [0, 1, 2, 255, 512, 1 << 54, .max, (1 << 53) - 1 + (1 << 53)] {
            #expect(HotspotID(number) == nil)
        }
        #expect(HotspotID(256)?.zoom == 0)
    }
}
