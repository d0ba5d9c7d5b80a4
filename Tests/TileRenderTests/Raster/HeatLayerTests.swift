import GeoIndex
import TestSupport
import Testing
import TileRender

struct HeatLayerTests {
    private static let tile = Result { try TileID(zoom: 10, x: 550, y: 335) }

    /// A heat picture of the same seeded town.
    private func image(
        domain: Double = 64, ramp: ColorRamp = .standard, radius: Int = 24, weight: UInt32 = 256
    ) throws -> IndexedImage {
        let tile = try HeatLayerTests.tile.get()
        let layer = HeatLayer(domain: domain, ramp: ramp, radiusPixels: radius)
        let map = SampleMap(seed: 11, count: 2000, around: tile)
        var grid = layer.grid(for: PixelWindow(tile: tile, scale: 1))
        grid.add(map.places.span, weight: weight)
        return layer.draw(grid)
    }

    @Test("every option changes the picture")
    func options() throws {
        let plain = try image()
        #expect(try image(domain: 128).pixels != plain.pixels)
        #expect(try image(radius: 16).pixels != plain.pixels)
        #expect(try image(weight: 512).pixels != plain.pixels)
        for ramp in ColorRamp.all.dropFirst() {
            #expect(try image(ramp: ramp).pixels == plain.pixels)
            #expect(try image(ramp: ramp).rgba != plain.rgba)
        }
    }

    @Test("twice the weight on twice the domain is the same picture")
    func scales() throws {
        // The first pass rounds to 1/256: a pixel on the edge of a step may fall beside it.
        let different = zip(
            try image().pixels, try image(domain: 128, weight: 512).pixels
        ).count { $0 != $1 }
        #expect(different < 100)
    }

    @Test("a pixel has the last step that its density has reached", arguments: [0.25, 1, 37, 4096])
    func steps(domain: Double) throws {
        let tile = try HeatLayerTests.tile.get()
        let layer = HeatLayer(domain: domain, radiusPixels: 12)
        let map = SampleMap(seed: 12, count: 3000, around: tile)
        let window = PixelWindow(tile: tile, scale: 1)
        var grid = layer.grid(for: window)
        grid.add(map.places.span, weight: 256)
        let field = DensityField(grid, kernel: layer.kernel(scale: 1))
        let image = layer.draw(field)
        // Steps begin up to 1/2048 of the last threshold late.
        let slack = layer.stops.last.map { $0.density / 2048 } ?? 0
        for index in field.values.indices {
            let density = Double(field.values[index]) / Double(field.unit)
            let most = layer.stops.count { $0.density <= density * (1 + 1e-9) }
            let least = layer.stops.count { $0.density <= density - slack }
            #expect((least...max(least, most)).contains(Int(image.pixels[index])))
        }
        #expect(Set(image.pixels).count > 1)
    }

    @Test("sixteen colours do, so a heat tile has four bits a pixel")
    func fourBits() throws {
        let decoded = try DecodedPNG(try PNGEncoder().encode(try image()))
        #expect(decoded.bitsPerPixel == 4)
    }

    @Test("the same map at scale 2 looks the same from afar")
    func scaleTwo() throws {
        let tile = try HeatLayerTests.tile.get()
        let layer = HeatLayer(domain: 64)
        let map = SampleMap(seed: 11, count: 2000, around: tile)
        let single = layer.draw(map.densityGrid(PixelWindow(tile: tile, scale: 1), layer))
        let double = layer.draw(map.densityGrid(PixelWindow(tile: tile, scale: 2), layer))
        let far = (0..<256 * 256).count { index in
            let (column, row) = (index % 256, index / 256)
            let other = double.pixels[(2 * row + 1) * 512 + 2 * column + 1]
            return abs(Int(single.pixels[index]) - Int(other)) > 1
        }
        #expect(far < 66)
    }

    @Test(
        "stops ascend, end near the domain, and carry the ramp's colours", arguments: ColorRamp.all)
    func stops(ramp: ColorRamp) throws {
        let stops = HeatLayer(domain: 512, ramp: ramp).stops
        #expect(stops.count == 15)
        #expect(zip(stops, stops.dropFirst()).allSatisfy { $0.density < $1.density })
        #expect((400...512).contains(stops[14].density))
        #expect(stops.allSatisfy { $0.hexColor.count == 9 })
        #expect(Set(stops.map(\.hexColor)).count == 15)
        #expect(ColorRamp(named: ramp.name) == ramp)
        #expect(ColorRamp(named: ramp.name + "x") == nil)
    }
}
