import GeoIndex
import TestSupport
import Testing

@testable import TileRender

/// The law of tiles for what a detailed source adds: broad roads, bridges, houses and their names.
@Suite("Seams of a detailed source")
struct FeatureSeamTests {
    @Test(
        "a window of a town cut in four is the whole window",
        arguments: 0..<BasemapSeamTests.windows)
    func parts(seed: Int) throws {
        var random = SeededGenerator(seed: 500 + seed)
        let basemap = try CarriedMap.basemap.get()
        // Half of them where names are dense.
        let zoom = UInt8(seed % 4 < 2 ? 16 + seed / 4 % 2 : 10 + seed / 4 % 11)
        let scale = 1 + seed % 2
        let style = seed / 2 % 2
        // Every third town lies on 180°.
        let middle = seed % 3 == 0 ? SampleTown.place(lon: -180, lat: 67.2) : SampleTown.middle
        let town = SampleTown(at: middle)
        let shift = UInt32(24 - (scale - 1)) - UInt32(zoom)
        let spread = min(250 * scale, 2_000_000 >> Int(shift))
        let x = Int(middle.x >> shift) + Int.random(in: -spread...spread, using: &random)
        let y = Int(middle.y >> shift) + Int.random(in: -spread...spread, using: &random)
        let width = 260 * scale
        let height = 200 * scale
        let cutX = Int.random(in: 1..<width, using: &random)
        let cutY = Int.random(in: 1..<height, using: &random)
        func pixels(_ left: Int, _ top: Int, _ width: Int, _ height: Int) throws -> [UInt32] {
            try basemap.pixels(
                of: PixelWindow(
                    zoom: zoom, scale: scale, originX: x + left, originY: y + top, width: width,
                    height: height), style: style, features: town)
        }
        let whole = try pixels(0, 0, width, height)
        var different = 0
        for (left, partWidth) in [(0, cutX), (cutX, width - cutX)] {
            for (top, partHeight) in [(0, cutY), (cutY, height - cutY)] {
                let part = try pixels(left, top, partWidth, partHeight)
                for row in 0..<partHeight {
                    let start = (top + row) * width + left
                    different += zip(
                        whole[start..<start + partWidth],
                        part[row * partWidth..<(row + 1) * partWidth]
                    ).count { $0 != $1 }
                }
            }
        }
        #expect(different == 0, "zoom \(zoom), scale \(scale), at \(x), \(y)")
    }

    @Test("a town changes the picture, and nothing of it shows far away")
    func presence() throws {
        let basemap = try CarriedMap.basemap.get()
        func image(_ zoom: UInt8, _ point: WorldPoint, _ features: any BasemapFeatures) throws
            -> [UInt8]
        {
            let shift = 24 - UInt32(zoom)
            return try basemap.image(
                of: PixelWindow(
                    zoom: zoom, scale: 1, originX: Int(point.x >> shift),
                    originY: Int(point.y >> shift),
                    width: 64, height: 64), features: features
            ).pixels
        }
        let far = SampleTown.place(lon: 11, lat: 53)
        for zoom in [UInt8(13), 16, 18] {
            #expect(
                try image(zoom, SampleTown.middle, SampleTown())
                    != image(zoom, SampleTown.middle, NoFeatures()))
            #expect(try image(zoom, far, SampleTown()) == image(zoom, far, NoFeatures()))
        }
    }
}
