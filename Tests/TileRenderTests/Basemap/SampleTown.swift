import GeoIndex
import TestSupport

@testable import TileRender

/// A small made-up town as an import of detailed data would give it: a river with a park, streets
/// of every class, a motorway on a bridge, houses with names. It gives what touches a window and
/// nothing else, so that windows differ in what they get.
struct SampleTown: BasemapFeatures {
    /// 2^30 units: 3.7 cm at the equator.
    static let gridBits = 30

    /// Where the town is, unless told otherwise: on dry land, far from any name of the world map.
    static let middle = place(lon: 10.21, lat: 52.93)

    /// A place that is surely on the map.
    static func place(lon: Double, lat: Double) -> WorldPoint {
        WorldPoint(x: WorldPoint.column(ofLon: lon), y: WorldPoint.row(ofLat: lat))
    }

    private struct Shape {
        let shapes: ShapeClass
        let level: Int8
        /// Grid units.
        let points: [(x: Int, y: Int)]
    }

    private let shapes: [Shape]
    private let points: [FeaturePoint]

    init(at middle: WorldPoint = SampleTown.middle) {
        var plan = TownPlan(middle)
        plan.draw()
        shapes = plan.lines.map { Shape(shapes: $0, level: $1, points: $2) }
        points = plan.points
    }

    func fingerprint(in window: FeatureWindow) -> UInt64 { 1 }

    func shapes(_ wanted: ShapeClass, in window: FeatureWindow) -> [FeatureShapes] {
        let found = shapes.filter { $0.shapes == wanted && SampleTown.touches($0.points, window) }
        return Set(found.map(\.level)).sorted().map { level in
            var layer = PathLayer(isClosed: wanted.isArea)
            for shape in found where shape.level == level {
                for point in shape.points { layer.append(x: Int32(point.x), y: Int32(point.y)) }
                layer.endPath()
            }
            return FeatureShapes(gridBits: SampleTown.gridBits, level: level, paths: layer)
        }
    }

    func points(in window: FeatureWindow) -> [FeaturePoint] {
        points.filter { window.area.contains($0.place) }
    }

    /// Whether the box around a shape touches a window, all the way round the world.
    private static func touches(_ points: [(x: Int, y: Int)], _ window: FeatureWindow) -> Bool {
        let shift = 32 - gridBits
        let xs = points.map { $0.x << shift }
        let ys = points.map { $0.y << shift }
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
        else { return false }
        let area = window.area
        let isLevel =
            bottom >= Int(area.north) && top <= Int(area.north) + Int(area.height)
        return isLevel
            && [-1 << 32, 0, 1 << 32].contains { turn in
                right + turn >= Int(area.west) && left + turn <= Int(area.west) + Int(area.width)
            }
    }
}

/// Draws the town's plan in units of a metre or so around its middle, and cuts it at 180°.
private struct TownPlan {
    private(set) var lines: [(ShapeClass, Int8, [(x: Int, y: Int)])] = []
    private(set) var points: [FeaturePoint] = []

    private let middle: WorldPoint
    private var random = SeededGenerator(seed: 7)
    /// Grid units in a metre of the plan.
    private static let unit = 44.0

    init(_ middle: WorldPoint) { self.middle = middle }

    mutating func draw() {
        area(.residential, [(-900, -700), (800, -750), (900, 600), (-800, 700)])
        area(.park, [(-500, 120), (-120, 90), (-90, 420), (-480, 460)])
        area(.pitch, [(-430, 330), (-340, 325), (-335, 380), (-425, 385)])
        area(.wood, [(500, 250), (860, 220), (880, 580), (560, 600)])
        area(.water, [(-330, 200), (-240, 190), (-220, 260), (-300, 290)])
        line(.river, [(-1200, -260), (-500, -150), (-100, -40), (250, 60), (1200, 40)])
        line(.rail, [(-1200, 620), (-200, 560), (1200, 640)])
        line(.primary, [(-1200, -20), (-300, 20), (0, 0), (300, -60), (1200, -140)])
        line(.secondary, [(0, 0), (30, -300), (60, -1200)])
        line(.secondary, [(0, 0), (-20, 300), (-10, 1200)])
        line(.motorway, [(-1200, -900), (-300, -420), (500, -330), (1200, -500)], level: 1)
        line(.path, [(-480, 140), (-300, 300), (-110, 400)])
        line(.pedestrian, [(60, 30), (170, 80), (260, 180)])
        for step in -5...5 where step != 0 {
            let x = Double(step) * 120
            line(.street, [(x, -560), (x + 20, -90), (x + 20, 40), (x, 520)])
            let y = Double(step) * 100
            line(.tertiary, [(-800, y + 15), (0, y), (800, y - 20)])
            for house in 0..<24 {
                let left = x + Double(house % 2 == 0 ? 22 : 70)
                let top = -540 + Double(house / 2) * 85
                building(left, top)
            }
        }
        for index in 0..<400 {
            let classes: [PointClass] = [
                .food, .shop, .culture, .lodging, .health, .station, .house, .park, .suburb,
            ]
            let names = [
                "Zum Anker", "Bücherei", "東京ラーメン 🍜", "مطعم النور", "Gasthaus zur alten Brücke",
                "Кофейня", "Ελιά", "12a", "Stadtpark", "Neustadt",
            ]
            let kind = classes[index % classes.count]
            let isRare = kind == .suburb || kind == .station || kind == .park
            if isRare && index > 40 { continue }
            let x = Double.random(in: -700...700, using: &random)
            let y = Double.random(in: -500...500, using: &random)
            let (column, row) = grid(x, y)
            points.append(
                FeaturePoint(
                    kind, rank: UInt8.random(in: 0...255, using: &random),
                    place: WorldPoint(
                        x: UInt32(truncatingIfNeeded: column << 2),
                        y: UInt32(truncatingIfNeeded: row << 2)),
                    name: kind == .house ? "\(index)" : names[index / 3 % names.count]))
        }
    }

    private mutating func building(_ left: Double, _ top: Double) {
        let width = Double.random(in: 12...26, using: &random)
        let height = Double.random(in: 12...30, using: &random)
        area(
            .building,
            [
                (left, top), (left + width, top), (left + width, top + height),
                (left, top + height),
            ])
    }

    private func grid(_ x: Double, _ y: Double) -> (x: Int, y: Int) {
        (
            Int(middle.x >> 2) + Int((x * TownPlan.unit).rounded()),
            Int(middle.y >> 2) + Int((y * TownPlan.unit).rounded())
        )
    }

    /// An area that 180° cuts is left out: a source would part it.
    private mutating func area(_ shapes: ShapeClass, _ corners: [(Double, Double)]) {
        let world = 1 << SampleTown.gridBits
        let points = corners.map { grid($0.0, $0.1) }
        let turns = Set(points.map { $0.x >> SampleTown.gridBits })
        guard turns.count == 1 else { return }
        lines.append((shapes, 0, points.map { ($0.x & (world - 1), $0.y) }))
    }

    private mutating func line(_ shapes: ShapeClass, _ corners: [(Double, Double)], level: Int8 = 0)
    {
        let world = 1 << SampleTown.gridBits
        var piece: [(x: Int, y: Int)] = []
        var turn = grid(corners[0].0, corners[0].1).x >> SampleTown.gridBits
        for corner in corners {
            let (x, y) = grid(corner.0, corner.1)
            if let last = piece.last, x >> SampleTown.gridBits != turn {
                let east = x - turn * world > 0
                let share =
                    Double((east ? world : 0) - last.x) / Double(x - turn * world - last.x)
                let row = last.y + Int((Double(y - last.y) * share).rounded())
                piece.append((east ? world : 0, row))
                lines.append((shapes, level, piece))
                turn += east ? 1 : -1
                piece = [(east ? 0 : world, row)]
            }
            piece.append((x - turn * world, y))
        }
        lines.append((shapes, level, piece))
    }
}
