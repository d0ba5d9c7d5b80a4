import GeoIndex
import TestSupport
import Testing

struct ClusterOptionsTests {
    @Test("a zoom or radius out of range is an error that names it")
    func errors() {
        for radius in [9, 101, 0, -1, .max] {
            #expect(throws: ClusterOptionsError.radius(pixels: radius)) {
                try ClusterOptions(zoom: 3, radiusPixels: radius)
            }
        }
        for zoom in [23, -1, .max, .min] {
            #expect(throws: ClusterOptionsError.zoom(zoom)) { try ClusterOptions(zoom: zoom) }
        }
        #expect(ClusterOptionsError.radius(pixels: 9).description.contains("10 to 100"))
        #expect(ClusterOptionsError.zoom(23).description.contains("0 to 22"))
    }

    @Test(
        "every radius has the cells of the definition, and names the highest zoom beyond which they are too fine",
        arguments: 10...100)
    func cells(radius: Int) throws {
        // Cells of 4 px from radius 6 on, 8 from 12, 16 from 23, 32 from 46, 64 from 91.
        let bits = radius < 12 ? 2 : radius < 23 ? 3 : radius < 46 ? 4 : radius < 91 ? 5 : 6
        let highest = min(22, 26 - 8 + bits)
        #expect(ClusterTwin.highestZoom(radius: radius) == highest)
        for zoom in 0...highest {
            let options = try ClusterOptions(zoom: zoom, radiusPixels: radius)
            #expect(Int(options.level) == zoom + 8 - bits)
            #expect(options.deeper.map { Int($0.zoom) } == (zoom < highest ? zoom + 1 : nil))
        }
        for zoom in stride(from: highest + 1, through: 22, by: 1) {
            let error = ClusterOptionsError.tooFine(
                radiusPixels: radius, zoom: zoom, highestZoom: highest)
            #expect(throws: error) { try ClusterOptions(zoom: zoom, radiusPixels: radius) }
            #expect(error.description.contains("is \(highest)"))
        }
    }

    @Test(
        "ids read back as the zoom and cell that they were made of",
        arguments: [10, 16, 40, 46, 91, 100])
    func ids(radius: Int) throws {
        var random = SeededRandom(seed: radius)
        for zoom in 0...ClusterTwin.highestZoom(radius: radius) {
            let options = try ClusterOptions(zoom: zoom, radiusPixels: radius)
            let base = UInt64(1) << (2 * UInt64(options.level))
            for cell in [0, base - 1, .random(in: 0..<base, using: &random)] {
                let (id, read) = try #require(ClusterID.parse(base + cell, radiusPixels: radius))
                #expect(read == options && id.number == base + cell)
                #expect(id.number < 1 << 53)
            }
        }
    }

    @Test(
        "numbers that no cluster has are none",
        arguments: [
            0, 1, 2, 3, 4, 255, 512, 1 << 9, 1 << 51, 1 << 53, 1 << 54, .max,
        ] as [UInt64])
    func noIDs(number: UInt64) {
        #expect(ClusterID.parse(number, radiusPixels: 40) == nil)
    }

    @Test("no radius out of range has ids")
    func noRadius() {
        #expect(ClusterID.parse(1 << 20, radiusPixels: 9) == nil)
        #expect(ClusterID.parse(1 << 20, radiusPixels: 101) == nil)
        #expect(ClusterID.parse(1 << 20, radiusPixels: .min) == nil)
    }
}
