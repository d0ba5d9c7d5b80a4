import TestSupport
import Testing

@testable import GeoIndex

/// A unit says what it depends on: nothing else may change it.
struct ClusterDependencyTests {
    static let shapes: [Shape] = [
        .city, .streetGrid, .staircase, .gradient, .antimeridian, .poles, .duplicates, .world,
    ]

    @Test(
        "a unit stays as it is when something changes outside of its dependency",
        arguments: shapes, LawInput.radii)
    func changesOutside(shape: Shape, radius: Int) throws {
        // So dense that chains of cells are long.
        let positions = shape.positions(count: 700, seed: radius)
        let before = try index(of: positions)
        var random = SeededRandom(seed: radius)
        var outside = 0
        // At the low zooms one field goes right round the world.
        for zoom in [1, 2, 3, 4, 9, 11, 13, 14] {
            let question = ClusterQuestion(
                try ClusterOptions(zoom: zoom, radiusPixels: radius), .all)
            let keys = UnitWindow.keys(of: .world, question, in: before)
            var reader = UnitReader(before, question)
            let units = reader.resolve(keys)
            for _ in 0..<3 {
                let layer = LayerIndex(before)
                let number = Int.random(in: 0..<positions.count, using: &random)
                let other = positions.randomElement(using: &random) ?? positions[0]
                let position = RoundedPosition(
                    lonE7: other.lonE7, latE7: min(900_000_000, other.latE7 + 500))
                let isDeletion = Bool.random(using: &random)
                try layer.apply([
                    isDeletion
                        ? ObjectEdit(id: "\(number)", placement: nil)
                        : .put("\(number)", position)
                ])
                var later = UnitReader(layer.current, question)
                let changed = zip(units, later.resolve(keys)).filter { !$0.isSame(as: $1) }
                for (unit, _) in changed {
                    let isTouched =
                        unit.dependency.contains(WorldPoint(positions[number]))
                        || !isDeletion && unit.dependency.contains(WorldPoint(position))
                    #expect(isTouched, "zoom \(zoom), unit \(unit.key), object \(number)")
                }
                outside += units.count {
                    !$0.dependency.contains(WorldPoint(positions[number]))
                }
            }
        }
        // A street grid or a staircase of 700 is hardly wider than what one unit depends on.
        #expect(outside > 0 || radius > 16 || shape == .duplicates)
    }

    @Test(
        "a unit depends on its own window, wherever else its chains go", arguments: shapes,
        LawInput.radii)
    func ownWindow(shape: Shape, radius: Int) throws {
        let snapshot = try index(of: shape.positions(count: 300, seed: radius))
        for zoom in stride(from: 0, through: 18, by: 3) {
            let question = ClusterQuestion(
                try ClusterOptions(zoom: zoom, radiusPixels: radius), .all)
            var reader = UnitReader(snapshot, question)
            for unit in reader.resolve(UnitWindow.keys(of: .world, question, in: snapshot)) {
                #expect(unit.dependency.contains(unit.window), "zoom \(zoom), unit \(unit.key)")
            }
        }
    }

    @Test(
        "along a hostile row every unit depends on its head",
        arguments: HostileRowTests.Row.allCases)
    func hostileRows(row: HostileRowTests.Row) throws {
        let row = row.made
        let snapshot = try index(of: row.positions)
        let question = ClusterQuestion(
            try ClusterOptions(zoom: row.zoom, radiusPixels: row.radius), .all)
        let head = WorldPoint(row.spots[0])
        let keys = UnitWindow.keys(of: .world, question, in: snapshot)
        #expect(keys.count > 1, "the row crosses the edges of units")
        // Together and one by one.
        var reader = UnitReader(snapshot, question)
        for unit in reader.resolve(keys) + keys.flatMap({ reader.resolve([$0]) }) {
            #expect(unit.dependency.contains(head), "unit \(unit.key)")
        }
    }

    @Test("where one field goes round the world, units depend on what is near, over ±180° too")
    func roundTheWorld() throws {
        // Two towns, one of them on both sides of the antimeridian.
        let town = [1_795_000_000, -1_795_000_000].map {
            RoundedPosition(lonE7: $0, latE7: -10_000_000)
        }
        let other = RoundedPosition(lonE7: 200_000_000, latE7: -10_000_000)
        let snapshot = try index(of: town + [other])
        let question = ClusterQuestion(try ClusterOptions(zoom: 4), .all)
        let keys = UnitWindow.keys(of: .world, question, in: snapshot)
        let groups = UnitGroups(question, in: .world).groups(of: keys[...])
        try #require(groups.count == 1 && groups[0].columns.count == 8, "one field, all round")
        var reader = UnitReader(snapshot, question)
        for unit in reader.resolve(keys) where unit.isIn(town + [other]) {
            let isOther = unit.window.contains(WorldPoint(other))
            for place in town {
                #expect(unit.dependency.contains(WorldPoint(place)) == !isOther, "\(unit.key)")
            }
            #expect(unit.dependency.contains(WorldPoint(other)) == isOther, "\(unit.key)")
        }
    }

    @Test("a union of windows holds both, and is no longer than it must be", arguments: 0..<200)
    func unions(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        func window() -> WorldWindow {
            WorldWindow(
                west: .random(in: 0...UInt32.max, using: &random),
                width: .random(
                    in: 1...(1 << UInt64.random(in: 1...32, using: &random)), using: &random),
                north: .random(in: 0...UInt32.max, using: &random),
                height: .random(
                    in: 1...(1 << UInt64.random(in: 1...32, using: &random)), using: &random))
        }
        let (first, second) = (window(), window())
        let union = first.union(second)
        #expect(union.contains(first) && union.contains(second))
        #expect(union == second.union(first) || union.width == second.union(first).width)
        #expect(union.width <= WorldWindow.worldSize)
        let gap = WorldWindow.worldSize - min(union.width, WorldWindow.worldSize)
        // What is left out is the longest gap: half of what neither covers, or more.
        let covered = min(first.width + second.width, WorldWindow.worldSize)
        #expect(2 * gap >= WorldWindow.worldSize - covered)
    }
}

extension ClusterUnit {
    func isSame(as other: ClusterUnit) -> Bool {
        key == other.key && members == other.members
            && seeds.elementsEqual(other.seeds) {
                $0.x == $1.x && $0.y == $1.y && $0.count == $1.count && $0.cell == $1.cell
                    && $0.end == $1.end
            }
    }
}

extension ClusterUnit {
    fileprivate func isIn(_ positions: [RoundedPosition]) -> Bool {
        positions.contains { window.contains(WorldPoint($0)) }
    }
}
