import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import TileRender

/// The law of tiles, on pixels before they become palette indices: a picture is the same whether
/// drawn at once or in parts, wherever it is cut.
@Suite("Basemap seams")
struct BasemapSeamTests {
    /// How many windows are looked at: few, or as many as `SEAM_WINDOWS` says.
    static let windows =
        ProcessInfo.processInfo.environment["SEAM_WINDOWS"].flatMap { Int($0) } ?? 24

    /// A pixel of the world near something worth seeing, or in the 180° or pole corners.
    private func place(
        _ random: inout SeededGenerator, zoom: UInt8, scale: Int
    ) throws -> (x: Int, y: Int) {
        let world = 256 * scale << Int(zoom)
        let map = try CarriedMap.map.get()
        let label = map.labels[Int.random(in: 0..<map.labels.count, using: &random)]
        let unit = Double(world) / Double(1 << map.labelGridBits)
        var x = Int(Double(label.x) * unit) + Int.random(in: -200...200, using: &random)
        var y = Int(Double(label.y) * unit) + Int.random(in: -200...200, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: x = Int.random(in: -200...200, using: &random)
        case 1: y = Int.random(in: -300...100, using: &random)
        case 2: y = world - Int.random(in: 0...300, using: &random)
        case 3: (x, y) = try coast(&random, zoom: zoom, scale: scale)
        case 4: (x, y) = try coast(&random, zoom: zoom, scale: scale)
        default: break
        }
        return (x, y)
    }

    /// A pixel at a corner of the coast.
    private func coast(
        _ random: inout SeededGenerator, zoom: UInt8, scale: Int
    ) throws -> (Int, Int) {
        let band = try CarriedMap.map.get().band(zoom: zoom)
        let unit = Double(256 * scale << Int(zoom)) / Double(1 << band.gridBits)
        let layer = Bool.random(using: &random) ? band.land : band.borders
        let index = Int.random(in: 0..<layer.xs.count, using: &random)
        return (Int(Double(layer.xs[index]) * unit), Int(Double(layer.ys[index]) * unit))
    }

    @Test("a window cut in four is the whole window", arguments: 0..<windows)
    func parts(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let basemap = try CarriedMap.basemap.get()
        let zoom = UInt8(seed % 23)
        let scale = 1 + seed % 2
        let style = seed / 2 % 2
        let (x, y) = try place(&random, zoom: zoom, scale: scale)
        let width = 300 * scale
        let height = 200 * scale
        let cutX = Int.random(in: 1..<width, using: &random)
        let cutY = Int.random(in: 1..<height, using: &random)
        func window(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> PixelWindow {
            PixelWindow(
                zoom: zoom, scale: scale, originX: x - 150 * scale + left,
                originY: y - 100 * scale + top, width: width, height: height)
        }
        let whole = try basemap.pixels(of: window(0, 0, width, height), style: style)
        var different = 0
        for (left, partWidth) in [(0, cutX), (cutX, width - cutX)] {
            for (top, partHeight) in [(0, cutY), (cutY, height - cutY)] {
                let part = try basemap.pixels(
                    of: window(left, top, partWidth, partHeight), style: style)
                for row in 0..<partHeight {
                    let start = (top + row) * width + left
                    let expected = whole[start..<start + partWidth]
                    let found = part[row * partWidth..<(row + 1) * partWidth]
                    if expected != found { different += zip(expected, found).count { $0 != $1 } }
                }
            }
        }
        #expect(different == 0, "zoom \(zoom), scale \(scale), style \(style), at \(x), \(y)")
    }

    @Test(
        "four neighbouring tiles are their joined window, across 180° too", arguments: 0..<windows)
    func tiles(seed: Int) throws {
        var random = SeededGenerator(seed: 1000 + seed)
        let basemap = try CarriedMap.basemap.get()
        let zoom = UInt8(1 + seed % 22)
        let scale = 1 + seed % 2
        let style = seed / 2 % 2
        let (x, y) = try place(&random, zoom: zoom, scale: scale)
        let edge = 256 * scale
        let tiles = 1 << Int(zoom)
        // Every third seed looks at the column of 180°.
        let column = seed % 3 == 0 ? tiles - 1 : (x & (tiles * edge - 1)) / edge
        let row = min(max(y / edge, 0), tiles - 2)
        let whole = try basemap.image(
            of: PixelWindow(
                zoom: zoom, scale: scale, originX: column * edge, originY: row * edge,
                width: 2 * edge, height: 2 * edge), style: style)
        var different = 0
        for (down, east) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let tile = try TileID(zoom: Int(zoom), x: (column + east) % tiles, y: row + down)
            let image = try basemap.image(
                of: PixelWindow(tile: tile, scale: scale), style: style)
            for line in 0..<edge {
                let start = (down * edge + line) * 2 * edge + east * edge
                let expected = whole.pixels[start..<start + edge]
                let found = image.pixels[line * edge..<(line + 1) * edge]
                if expected != found { different += zip(expected, found).count { $0 != $1 } }
            }
        }
        #expect(
            different == 0, "zoom \(zoom), scale \(scale), style \(style), tile \(column), \(row)")
    }

    @Test("a turn round the world changes nothing", arguments: [UInt8(0), 2, 5, 9])
    func turn(zoom: UInt8) throws {
        let basemap = try CarriedMap.basemap.get()
        let world = 256 << Int(zoom)
        func window(_ x: Int) -> PixelWindow {
            PixelWindow(
                zoom: zoom, scale: 1, originX: x, originY: world / 3, width: 100, height: 80)
        }
        #expect(try basemap.pixels(of: window(-50)) == basemap.pixels(of: window(world - 50)))
    }
}
