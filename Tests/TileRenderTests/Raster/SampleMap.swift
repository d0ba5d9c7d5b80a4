import GeoIndex
import TestSupport
import TileRender

/// A seeded town of points, and its clusters by a coarse grid: input for pictures, not the
/// product's clusters.
struct SampleMap {
    var places: [WorldPoint] = []
    var slots: [UInt8] = []

    static let kinds: [String?] = ["marker", "event", "trade", "photo", "track", nil, "bench"]

    /// Clumps and a thin rest, within a tile or across its edges.
    init(seed: Int, count: Int, around tile: TileID, kinds: Int = 5) {
        var random = SeededGenerator(seed: seed)
        let unit = 0x1p32 / Double(UInt64(1) << UInt64(tile.zoom))
        let clumps = (0..<12).map { _ in
            (
                x: Double.random(in: -0.3...1.3, using: &random),
                y: Double.random(in: -0.3...1.3, using: &random),
                spread: Double.random(in: 0.01...0.12, using: &random),
                kind: Int.random(in: 0..<kinds, using: &random)
            )
        }
        for _ in 0..<count {
            var x = Double.random(in: -0.6...1.6, using: &random)
            var y = Double.random(in: -0.6...1.6, using: &random)
            var kind = Int.random(in: 0..<kinds, using: &random)
            if Int.random(in: 0..<20, using: &random) > 0 {
                // Squares thin the clumps out, so that few hold most.
                let pick = Double.random(in: 0..<1, using: &random)
                let clump = clumps[Int(pick * pick * 12)]
                x = clump.x + clump.spread * SampleMap.bell(&random)
                y = clump.y + clump.spread * SampleMap.bell(&random)
                if Bool.random(using: &random) { kind = clump.kind }
            }
            let row = (Double(tile.y) + y) * unit
            guard (0..<0x1p32).contains(row) else { continue }
            let column = Int64(((Double(tile.x) + x) * unit).rounded(.down))
            places.append(
                WorldPoint(x: UInt32(truncatingIfNeeded: column), y: UInt32(row)))
            slots.append(KindStyle.standard.slot(forKind: SampleMap.kinds[kind]))
        }
    }

    /// A mark for each occupied square of 44 pixels of a zoom, at the first place in it.
    func marks(zoom: UInt8) -> [ClusterMark] {
        struct Square: Hashable {
            let x: UInt32
            let y: UInt32
        }
        var members: [Square: [Int]] = [:]
        for (index, place) in places.enumerated() {
            let shift = 24 - UInt32(zoom)
            let square = Square(x: (place.x >> shift) / 44, y: (place.y >> shift) / 44)
            members[square, default: []].append(index)
        }
        return members.values.map { indices in
            let first = indices[0]
            return ClusterMark(
                place: places[first], count: indices.count, slot: slots[first])
        }
    }

    func pointGrid(_ window: PixelWindow) -> PointGrid {
        var grid = PointGrid(window: window)
        grid.add(places.span, slots: slots.span)
        return grid
    }

    func densityGrid(_ window: PixelWindow, _ layer: HeatLayer) -> DensityGrid {
        var grid = layer.grid(for: window)
        grid.add(places.span, weight: DensityGrid.weightUnit)
        return grid
    }

    /// About normal: the sum of three uniform numbers.
    private static func bell(_ random: inout SeededGenerator) -> Double {
        (0..<3).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &random) }
    }
}
