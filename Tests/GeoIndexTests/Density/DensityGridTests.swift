import GeoIndex
import TestSupport
import Testing

struct DensityGridTests {
    @Test("the order of addition does not matter, saturation included", arguments: 0..<16)
    func order(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let window = PixelWindow(
            zoom: 1, scale: 2, originX: -7, originY: 500, width: 20, height: 20)
        let kernel = DensityKernel(radiusPixels: 4)
        let objects = (0..<500).map { _ in
            (
                pixelCorner(
                    window, Int.random(in: -4..<24, using: &random),
                    Int.random(in: -4..<24, using: &random)),
                UInt32.random(in: 0...UInt32.max >> UInt32(seed), using: &random)
            )
        }
        func field(_ objects: [(WorldPoint, UInt32)]) -> [UInt64] {
            var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
            for (place, weight) in objects { grid.add(place, weight: weight) }
            return DensityField(grid, kernel: kernel).values
        }
        let expected = field(objects)
        #expect(field(objects.reversed()) == expected)
        #expect(field(objects.shuffled(using: &random)) == expected)
    }

    @Test("adding a list is adding one by one")
    func lists() {
        let window = PixelWindow(
            zoom: 5, scale: 1, originX: 64, originY: 64, width: 16, height: 16)
        let kernel = DensityKernel(radiusPixels: 5)
        let places = (0..<40).map { pixelCorner(window, $0 % 21 - 2, $0 * 7 % 23 - 3) }
        let weights = (0..<40).map { UInt32($0 * 13) }
        var single = DensityGrid(window: window, marginPixels: 4)
        var list = single
        for (place, weight) in zip(places, weights) { single.add(place, weight: weight) }
        list.add(places.span, weights: weights.span)
        #expect(
            DensityField(list, kernel: kernel).values == DensityField(single, kernel: kernel).values
        )
        for place in places { single.add(place, weight: 256) }
        list.add(places.span, weight: 256)
        #expect(
            DensityField(list, kernel: kernel).values == DensityField(single, kernel: kernel).values
        )
    }

    @Test(
        "adding by keys is adding one by one, in any order, repeated worlds and saturation included",
        arguments: 0..<16)
    func keys(seed: Int) {
        var random = SeededGenerator(seed: seed)
        // The first windows are wider than the world.
        let window = PixelWindow(
            zoom: UInt8(seed / 4), scale: 1 + seed % 2, originX: -30, originY: -20, width: 600,
            height: 300)
        // Few pixels, so that several objects share one.
        let objects = (0..<400).map { _ in
            (
                MortonKey(
                    WorldPoint(
                        x: UInt32.random(in: 0..<40, using: &random) << 26 | 5,
                        y: UInt32.random(in: 0..<40, using: &random) << 26 | 9)),
                UInt32.random(in: 0...UInt32.max >> UInt32(seed), using: &random)
            )
        }
        var single = DensityGrid(window: window, marginPixels: 9)
        for (key, weight) in objects { single.add(key.point, weight: weight) }
        for list in [objects, objects.sorted { $0.0 < $1.0 }] {
            var grid = DensityGrid(window: window, marginPixels: 9)
            let (xs, ys) = (list.map(\.0.point.x), list.map(\.0.point.y))
            let weights = list.map(\.1)
            grid.add(xs: xs.span, ys: ys.span, weights: weights.span)
            #expect(grid.fingerprint == single.fingerprint)
            #expect(
                DensityField(grid, kernel: DensityKernel(radiusPixels: 10)).values
                    == DensityField(single, kernel: DensityKernel(radiusPixels: 10)).values)
        }
    }

    @Test("the fingerprint sees every cell", arguments: 0..<25)
    func fingerprint(pixel: Int) {
        let window = PixelWindow(zoom: 5, scale: 1, originX: 64, originY: 64, width: 5, height: 5)
        let empty = DensityGrid(window: window, marginPixels: 0)
        var grid = empty
        grid.add(pixelCorner(window, pixel % 5, pixel / 5), weight: 1)
        #expect(grid.fingerprint != empty.fingerprint)
    }
}
