import Foundation
import GeoIndex
import GeoStore
import TestSupport
import Testing
import TileRender

@testable import GeoService

/// Neighbouring tiles joined are the window drawn whole: through the index, the clusters, the
/// filters and the styles, as the service draws them. `GEOSERVICE_SEAM_WINDOWS=200` takes that many
/// windows instead of a few.
struct TileSeamTests {
    private static let now: Int64 = 1_790_000_012_345
    private static let kinds: [String?] = ["cafe", "museum", "event", "photo", nil, "bench"]
    private static let painter = Result { try TilePainter(KindStyle(assets: checkout)) }
    private static let checkout = Golden.fixtures.deletingLastPathComponent()
        .path(percentEncoded: false)

    static let windows: Int = {
        let asked = ProcessInfo.processInfo.environment["GEOSERVICE_SEAM_WINDOWS"]
        return max(1, asked.flatMap { Int($0) } ?? 10)
    }()

    /// A random place of the map: every third across 180°, every fifth at a pole's edge.
    private struct Scene {
        let zoom: UInt8
        let snapshot: IndexSnapshot
        /// The columns and rows of the window, as shares of the world.
        let x: Double
        let y: Double

        init(seed: Int) throws {
            var random = SeededRandom(seed: seed)
            zoom = UInt8.random(in: 0...18, using: &random)
            let tiles = Double(1 << Int(zoom))
            // The corner of tiles that the window lies round.
            let column = seed % 3 == 0 ? 0 : Int.random(in: 0..<Int(tiles), using: &random)
            let x = Double(column) / tiles
            let row = Int.random(in: 0...Int(tiles), using: &random)
            let y = seed % 5 == 0 ? (seed % 2 == 0 ? 0 : 1) : Double(row) / tiles
            let clumps = (0..<4).map { _ in
                (
                    x: x + .random(in: -0.6...0.6, using: &random) / tiles,
                    y: y + .random(in: -0.6...0.6, using: &random) / tiles,
                    spread: Double.random(in: 0.005...0.3, using: &random) / tiles
                )
            }
            var builder = BulkBuilder()
            for number in 0..<500 {
                let clump = clumps[number % 4]
                let worldX = clump.x + random.normal(0, clump.spread)
                let worldY = min(max(clump.y + random.normal(0, clump.spread), 0), 1)
                let lat = atan(sinh(.pi * (1 - 2 * worldY))) * 180 / .pi
                // Some lie beyond what the map shows.
                let isBeyond = (worldY == 0 || worldY == 1) && number % 3 == 0
                let position = try LonLat(
                    wrappingLon: worldX * 360 - 180, lat: isBeyond ? lat * 1.03 : lat)
                try builder.add(
                    id: "\(number)",
                    Placement(
                        position: RoundedPosition(position),
                        kind: TileSeamTests.kinds[number % 11 % 6],
                        weight: .random(in: 0...3, using: &random),
                        time: now - .random(in: 0...86_400_000, using: &random),
                        owner: .random(in: 1...5, using: &random)))
            }
            (self.x, self.y) = (x, y)
            snapshot = builder.build()
        }

        /// A window round the corner, within the world's rows.
        func window(scale: Int, seed: Int) -> PixelWindow {
            var random = SeededRandom(seed: seed &* 31 &+ scale)
            let world = 256 * scale << Int(zoom)
            let (width, height) = (
                Int.random(in: 90...200, using: &random) * scale, min(world, 150 * scale)
            )
            let west = Int(x * Double(world)) - Int.random(in: 1..<width, using: &random)
            let north = Int(y * Double(world)) - Int.random(in: 1..<height, using: &random)
            return PixelWindow(
                zoom: zoom, scale: scale, originX: west,
                originY: min(max(north, 0), world - height), width: width, height: height)
        }

        /// What is asked for in a style, by turns.
        func request(_ style: TileStyle, scale: Int, seed: Int) throws -> TileRequest {
            let filters: [EntryFilter] = [
                .all, EntryFilter(kinds: ["cafe", "bench"]), .all,
                EntryFilter(
                    since: now - 40_000_000,
                    test: ObjectTest(name: "half") {
                        $0.bits &* 0x9e37_79b9_7f4a_7c15 >> 63 != 0
                    }),
            ]
            let decay = TimeDecay(halfLifeMinutes: 300, nowMilliseconds: now)
            let heats = [
                HeatOptions(), HeatOptions(radiusPixels: 64, decay: decay, minOwners: 2),
                HeatOptions(radiusPixels: 4), HeatOptions(radiusPixels: 9, minOwners: 3),
                HeatOptions(radiusPixels: 64), HeatOptions(radiusPixels: 33, decay: decay),
            ]
            var request = TileRequest(
                layer: "L", tile: try TileID(zoom: 0, x: 0, y: 0), scale: scale, style: style,
                ramp: ColorRamp.all[seed % 4], filter: filters[seed % filters.count])
            guard style == .heat else { return request }
            request.heat = heats[seed % heats.count]
            if seed % 7 == 6 {
                request.filter = .all
                request.protection = HeatProtection(
                    minOwners: 3, halfLifeHours: 5, nowMilliseconds: now)
            }
            return request
        }
    }

    @Test(
        "tiles joined are the window drawn whole", arguments: 0..<windows, TileStyle.allCases)
    func joined(seed: Int, style: TileStyle) throws {
        let painter = try Self.painter.get()
        let scene = try Scene(seed: seed)
        let scale = HeatScale.unfitted
        for factor in 1...2 {
            let window = scene.window(scale: factor, seed: seed)
            var request = try scene.request(style, scale: factor, seed: seed)
            let edge = 256 * factor
            let tiles = 1 << Int(scene.zoom)
            func draw(_ window: PixelWindow) throws -> IndexedImage {
                // Any tile of the zoom: the window says which part of the world is meant.
                request.tile = try TileID(zoom: Int(scene.zoom), x: 0, y: 0)
                return painter.drawing(
                    of: request, in: window, from: scene.snapshot, scale: scale
                ).image()
            }
            let whole = try draw(window)
            var isRight = [Bool](repeating: false, count: whole.pixels.count)
            for row in window.originY / edge...(window.originY + window.height - 1) / edge {
                for column in window.originX / edge...(window.originX + window.width - 1) / edge {
                    let tile = try TileID(
                        zoom: Int(scene.zoom), x: column % tiles, y: row)
                    let part = try draw(PixelWindow(tile: tile, scale: factor))
                    // Where the tile and the window meet, in columns and rows of the window.
                    let (left, top) = (
                        column * edge - window.originX, row * edge - window.originY
                    )
                    for line in max(0, top)..<min(window.height, top + edge) {
                        let (from, to) = (max(0, left), min(window.width, left + edge))
                        let own = line * window.width
                        let other = (line - top) * edge - left
                        let isSame =
                            part.pixels[other + from..<other + to]
                            == whole.pixels[own + from..<own + to]
                        if isSame { for place in own + from..<own + to { isRight[place] = true } }
                    }
                }
            }
            #expect(isRight.allSatisfy { $0 }, "\(window) of \(request)")
        }
    }

    @Test("the windows show something, edges of the world and both sides of 180° among them")
    func windowsShow() throws {
        let painter = try Self.painter.get()
        var painted = 0
        for seed in 0..<10 {
            let scene = try Scene(seed: seed)
            let window = scene.window(scale: 1, seed: seed)
            let request = try scene.request(.points, scale: 1, seed: seed)
            let image = painter.drawing(
                of: request, in: window, from: scene.snapshot, scale: .unfitted
            ).image()
            if image.pixels.contains(where: { $0 > 3 }) { painted += 1 }
            let world = window.worldSizePixels
            if seed % 3 == 0 { #expect(window.originX + window.width > world) }
            if seed % 5 == 0 {
                #expect(window.originY == 0 || window.originY + window.height == world)
            }
        }
        #expect(painted >= 9)
    }
}
