import GeoIndex
import GeoStore
import TestSupport
import Testing
import TileRender

@testable import GeoService

/// Heat that fades and that protects few owners, on tiles.
struct HeatTileTests {
    static let now: Int64 = 1_790_000_012_345

    /// A city whose objects are up to a day old and belong to few.
    private static func placements(seed: Int) throws -> [Placement] {
        var random = SeededRandom(seed: seed)
        return try (0..<700).map { _ in
            let lon = random.normal(seed % 2 == 0 ? 13.4 : 180, 0.05)
            let place = try LonLat(wrappingLon: lon, lat: random.normal(52.5, 0.03))
            return Placement(
                position: RoundedPosition(place), weight: .random(in: 0...3, using: &random),
                time: now - .random(in: -3_600_000...86_400_000, using: &random),
                owner: .random(in: 0...9, using: &random))
        }
    }

    private static func snapshot(_ placements: [Placement]) throws -> IndexSnapshot {
        var builder = BulkBuilder()
        for (number, placement) in placements.enumerated() {
            try builder.add(id: "\(number)", placement)
        }
        return builder.build()
    }

    static let options = [
        HeatOptions(decay: TimeDecay(halfLifeMinutes: 90, nowMilliseconds: now)),
        HeatOptions(radiusPixels: 9, minOwners: 3),
        HeatOptions(
            radiusPixels: 64, decay: TimeDecay(halfLifeMinutes: 700, nowMilliseconds: now),
            minOwners: 2),
    ]

    @Test("tiles join to the window drawn whole", arguments: 0..<6, [1, 2])
    func seams(number: Int, scale: Int) throws {
        let seed = number % 2
        let snapshot = try Self.snapshot(Self.placements(seed: seed))
        let options = Self.options[number / 2]
        let middle = TileID(
            containing: try LonLat(lon: seed == 0 ? 13.4 : -180, lat: 52.5), zoom: 11)
        let edge = 256 * scale
        let world = 1 << 11
        let window = PixelWindow(
            zoom: 11, scale: scale, originX: (Int(middle.x) - 1) * edge,
            originY: (Int(middle.y) - 1) * edge, width: 2 * edge, height: 2 * edge)
        let kernel = DensityKernel(radiusPixels: options.radiusPixels * scale)
        let whole = DensityField(
            snapshot.density(in: window, options: options, filter: .all), kernel: kernel)
        #expect(whole.values.contains { $0 > 0 })
        for row in 0...1 {
            for column in 0...1 {
                let x = (Int(middle.x) - 1 + column + world) % world
                let tile = try TileID(zoom: 11, x: x, y: Int(middle.y) - 1 + row)
                let grid = snapshot.density(
                    in: PixelWindow(tile: tile, scale: scale), options: options, filter: .all)
                let part = DensityField(grid, kernel: kernel)
                for line in 0..<edge {
                    let start = (row * edge + line) * 2 * edge + column * edge
                    #expect(
                        part.values[line * edge..<(line + 1) * edge]
                            == whole.values[start..<start + edge])
                }
            }
        }
    }

    @Test("what few own is not painted", arguments: 0..<4)
    func owners(seed: Int) throws {
        let placements = try Self.placements(seed: seed)
        let snapshot = try Self.snapshot(placements)
        let zoom: UInt8 = 13
        let tile = TileID(QuadCell(level: zoom, containing: WorldPoint(placements[0].position)))
        let window = PixelWindow(tile: tile, scale: 1)
        for minOwners in [1, 2, 4, 8] {
            var cells: [QuadCell: Set<UInt64>] = [:]
            for placement in placements where placement.owner != 0 && placement.weight * 256 >= 1 {
                let cell = QuadCell(
                    level: zoom + 4, containing: WorldPoint(placement.position))
                cells[cell, default: []].insert(placement.owner)
            }
            let kept = placements.filter { placement in
                let cell = QuadCell(
                    level: zoom + 4, containing: WorldPoint(placement.position))
                return cells[cell, default: []].count >= minOwners
            }
            let options = HeatOptions(minOwners: minOwners)
            let expected = try Self.snapshot(kept)
                .density(in: window, options: HeatOptions(), filter: .all)
            let found = snapshot.density(in: window, options: options, filter: .all)
            #expect(
                DensityField(found, kernel: DensityKernel(radiusPixels: 24)).values
                    == DensityField(expected, kernel: DensityKernel(radiusPixels: 24)).values)
            if minOwners == 2 { #expect(kept.count < placements.count && !kept.isEmpty) }
        }
    }

    @Test("the tag of a fading tile is that of its picture")
    func tags() throws {
        let painter = try TilePainter()
        let placements = try Self.placements(seed: 0)
        let snapshot = try Self.snapshot(placements)
        let tile = TileID(containing: try LonLat(lon: 13.4, lat: 52.5), zoom: 11)
        var request = TileRequest(
            layer: "City", tile: tile, scale: 1, style: .heat, ramp: .standard, filter: .all)
        var pictures: [[UInt8]: UInt64] = [:]
        var tags: Set<UInt64> = []
        for minutes in [0, 1, 2, 3, 60, 61, 600] {
            let now = Self.now + Int64(minutes) * 60_000
            request.heat = HeatOptions(
                decay: TimeDecay(halfLifeMinutes: 600, nowMilliseconds: now))
            let drawing = painter.drawing(of: request, from: snapshot, scale: .unfitted)
            let pixels = drawing.image().pixels
            if let known = pictures[pixels] { #expect(known == drawing.hash) }
            pictures[pixels] = drawing.hash
            tags.insert(drawing.hash)
        }
        #expect(tags.count == pictures.count)
        #expect(pictures.count >= 3)
        // In a long time everything is gone.
        request.heat = HeatOptions(
            decay: TimeDecay(halfLifeMinutes: 1, nowMilliseconds: Self.now + 86_400_000))
        let gone = painter.drawing(of: request, from: snapshot, scale: .unfitted)
        #expect(gone.image().pixels.allSatisfy { $0 == 0 })
    }

    @Test("sums of cells paint what entries paint")
    func cells() throws {
        var random = SeededRandom(seed: 3)
        let placements = try (0..<120_000).map { _ in
            let place = try LonLat(
                wrappingLon: random.normal(10, 20), lat: max(-85, min(85, random.normal(40, 15))))
            return Placement(
                position: RoundedPosition(place),
                weight: Double(Int.random(in: 0...700, using: &random)) / 256)
        }
        let snapshot = try Self.snapshot(placements)
        for (zoom, scale) in [(UInt8(0), 1), (0, 2), (2, 1)] {
            let tile = TileID(containing: try LonLat(lon: 10, lat: 40), zoom: zoom)
            let window = PixelWindow(tile: tile, scale: scale)
            let found = snapshot.density(in: window, options: HeatOptions(), filter: .all)
            var expected = DensityGrid(window: window, marginPixels: found.marginPixels)
            for placement in placements {
                expected.add(
                    WorldPoint(placement.position), weight: UInt32(placement.weight * 256))
            }
            #expect(found.fingerprint == expected.fingerprint)
        }
    }
}
