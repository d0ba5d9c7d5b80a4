import GeoIndex
import TestSupport
import Testing
import TileRender

struct PointGridTests {
    @Test(
        "adding by keys is adding one by one, in any order, repeated worlds included",
        arguments: 0..<16)
    func keys(seed: Int) {
        var random = SeededGenerator(seed: seed)
        // The first windows are wider than the world.
        let window = PixelWindow(
            zoom: UInt8(seed / 4), scale: 1 + seed % 2, originX: -30, originY: -20, width: 600,
            height: 300)
        let slots: [UInt8] = [2, 0, 4, 1]
        // Few pixels, so that several objects share one.
        let objects = (0..<400).map { _ in
            (
                MortonKey(
                    WorldPoint(
                        x: UInt32.random(in: 0..<40, using: &random) << 26 | 5,
                        y: UInt32.random(in: 0..<40, using: &random) << 26 | 9)),
                UInt16.random(in: 0..<4, using: &random)
            )
        }
        var single = PointGrid(window: window)
        for (key, kind) in objects { single.add(key.point, slot: slots[Int(kind)]) }
        for list in [objects, objects.sorted { $0.0 < $1.0 }] {
            var grid = PointGrid(window: window)
            let (xs, ys) = (list.map(\.0.point.x), list.map(\.0.point.y))
            let kinds = list.map(\.1)
            grid.add(xs: xs.span, ys: ys.span, kinds: kinds.span, slots: slots.span)
            #expect(grid.fingerprint == single.fingerprint)
        }
    }

    @Test("the fingerprint sees every cell and its slot")
    func fingerprint() {
        let window = PixelWindow(zoom: 5, scale: 1, originX: 64, originY: 64, width: 3, height: 3)
        let empty = PointGrid(window: window)
        var seen: Set<UInt64> = [empty.fingerprint]
        // The grid's own margin is part of it.
        let edge = 3 + 2 * empty.marginPixels
        for cell in 0..<edge * edge {
            for slot: UInt8 in 0...1 {
                var grid = empty
                let column = window.originX - empty.marginPixels + cell % edge
                let row = window.originY - empty.marginPixels + cell / edge
                grid.add(
                    WorldPoint(
                        x: UInt32(column) << window.pixelShift,
                        y: UInt32(row) << window.pixelShift), slot: slot)
                seen.insert(grid.fingerprint)
            }
        }
        #expect(seen.count == 1 + 2 * edge * edge)
    }
}
