import GeoIndex
import TestSupport

/// Inputs on which clusters may depend on far cells, all of them in one small country.
enum ClusterShape: String, CaseIterable {
    case uniform, city, grid, staircase, gradient

    /// The zoom and the radius at which the staircase is one.
    static let zoom = 14
    static let radius = 40

    /// About a million points.
    func points() -> [WorldPoint] {
        var random = SeededGenerator(seed: 17)
        let (west, north, side) = (UInt32(2_264_924_160), UInt32(1_431_655_765), UInt32(1 << 24))
        func point(_ x: Double, _ y: Double) -> WorldPoint {
            WorldPoint(
                x: west &+ UInt32(min(max(x, 0), 0.999_999) * Double(side)),
                y: north &+ UInt32(min(max(y, 0), 0.999_999) * Double(side)))
        }
        func uniform() -> Double { Double.random(in: 0..<1, using: &random) }
        let count = 1_000_000
        switch self {
        case .uniform: return (0..<count).map { _ in point(uniform(), uniform()) }
        case .city:
            // Sums of uniform numbers, round a hundred centres of many sizes.
            let centres = (0..<100).map { _ in (uniform(), uniform(), 0.1 * uniform() * uniform()) }
            return (0..<count).map { index in
                let (x, y, size) = centres[index % 100]
                return point(
                    x + size * (uniform() + uniform() + uniform() - 1.5),
                    y + size * (uniform() + uniform() + uniform() - 1.5))
            }
        case .grid:
            return (0..<count).map {
                point((Double($0 % 1_000) + 0.5) / 1_000, (Double($0 / 1_000) + 0.5) / 1_000)
            }
        case .gradient: return (0..<count).map { _ in point(uniform().squareRoot(), uniform()) }
        case .staircase:
            let level = UInt32(ClusterShape.zoom + 4)
            let corner = (west >> (32 - level), north >> (32 - level))
            return (0..<700).flatMap { row in
                // Rows out of reach of one another.
                Staircase(level: level, column: corner.0, row: corner.1 + UInt32(row) * 24).points
            }
        }
    }
}

/// Spots in a row, each in reach of the next only: counts halve along it and, within a count, the
/// hashes of the cells rise, so that each decides about the next.
private struct Staircase {
    private(set) var points: [WorldPoint] = []

    init(level: UInt32, column: UInt32, row: UInt32) {
        var column = column
        var offset: UInt32 = 0
        for magnitude in (0...6).reversed() {
            var floor: UInt64 = 0
            while true {
                // The least hash that is greater goes on furthest.
                let steps = [(1, 0), (1, 1), (2, 0), (2, 1)].map { dx, dy in
                    (column + UInt32(dx), (offset + UInt32(dy)) % 3)
                }
                let next =
                    steps.map { step in
                        (
                            hash: StableHash.finalize(
                                QuadCell(level: UInt8(level), x: step.0, y: row + step.1).key),
                            step: step
                        )
                    }.filter { $0.hash > floor }.min { $0.hash < $1.hash }
                guard let next else { break }
                floor = next.hash
                (column, offset) = next.step
                let half = UInt32(1) << (31 - level)
                let spot = WorldPoint(
                    x: column << (32 - level) + half, y: (row + offset) << (32 - level) + half)
                points.append(contentsOf: repeatElement(spot, count: 1 << magnitude))
            }
        }
    }
}

extension Bench {
    /// `index.cells-…`: cells that are resolved for a view of 1024 × 768 pixels around an object.
    func resolvedCells() throws {
        for shape in ClusterShape.allCases {
            let operation = "index.cells-\(shape.rawValue)"
            guard wants(operation) else { continue }
            let points = shape.points()
            var builder = BulkBuilder(expected: points.count)
            for (number, point) in points.enumerated() {
                let place = RoundedPosition(
                    try LonLat(lon: point.middleLon, lat: point.middleLat))
                try builder.add(id: String(number + 1), Placement(position: place))
            }
            let snapshot = builder.build()
            var random = SeededGenerator(seed: 23)
            var counts: [Double] = []
            for _ in 0..<1_000 {
                let zoom = Int.random(in: 9...15, using: &random)
                let middle = points[Int.random(in: 0..<points.count, using: &random)]
                let pixel = UInt64(1) << UInt64(24 - zoom)
                let window = WorldWindow(
                    west: middle.x &- UInt32(512 * pixel), width: 1024 * pixel,
                    north: middle.y &- UInt32(384 * pixel), height: 768 * pixel)
                let options = try ClusterOptions(zoom: zoom, radiusPixels: ClusterShape.radius)
                counts.append(Double(snapshot.cellsResolved(in: window, options: options)))
            }
            let spread = Spread(counts)
            report.add(
                Record(
                    name: input.benchmark(operation), unit: "cells",
                    statistics: Statistics(wall: spread, processor: spread), calls: counts.count,
                    runs: 1, check: "none: a count",
                    note: "at most \(Int(counts.max() ?? 0)); the view has 3072 cells"))
        }
    }
}
