import GeoIndex
import TestSupport
import Testing

/// Windows at which cutting goes wrong: empty, nearly the whole belt, on a cluster's very point.
struct ClusterWindowTests {
    @Test("a window without width or height is empty", arguments: Shape.allCases)
    func emptyWindows(shape: Shape) throws {
        let input = try LawInput.of(shape, radius: 40)
        let place = input.places.first ?? WorldPoint(x: 0, y: 0)
        for zoom in input.zooms {
            for (width, height) in [(0, 0), (0, 1 << 30), (1 << 30, 0)] as [(UInt64, UInt64)] {
                let window = WorldWindow(
                    west: place.x, width: width, north: place.y, height: height)
                #expect(input.snapshot.clusters(in: window, options: zoom.options).count == 0)
            }
        }
    }

    @Test(
        "a window of one unit holds a cluster when it lies on its point: west and north edges in",
        arguments: Shape.allCases.filter { $0 != .empty })
    func unitWindows(shape: Shape) throws {
        let input = try LawInput.of(shape, radius: 40)
        for zoom in input.zooms {
            for cluster in zoom.expected.prefix(4) {
                let point = cluster.point
                func ids(dx: Int, dy: Int) -> [UInt64] {
                    guard (0..<(1 << 32)).contains(cluster.y + dy) else { return [] }
                    let window = WorldWindow(
                        west: UInt32(truncatingIfNeeded: Int(point.x) + dx), width: 1,
                        north: UInt32(cluster.y + dy), height: 1)
                    return input.snapshot.clusters(in: window, options: zoom.options).ids
                }
                #expect(ids(dx: 0, dy: 0) == [cluster.id], "zoom \(zoom.zoom)")
                #expect(!ids(dx: -1, dy: 0).contains(cluster.id))
                #expect(!ids(dx: 1, dy: 0).contains(cluster.id))
                #expect(!ids(dx: 0, dy: -1).contains(cluster.id))
                #expect(!ids(dx: 0, dy: 1).contains(cluster.id))
            }
        }
    }

    @Test(
        "among many cells a cluster asked for alone has the members that it has in the world",
        arguments: [Shape.city, .streetGrid, .gradient, .antimeridian], LawInput.radii)
    func oneByOne(shape: Shape, radius: Int) throws {
        // So dense that a member is mostly reached by several seeds, some of them known only
        // by following chains out of the window.
        let positions = shape.positions(count: 1400, seed: radius)
        let places = positions.map { WorldPoint($0) }
        let snapshot = try index(of: positions)
        var random = SeededRandom(seed: radius)
        for zoom in 8...15 {
            let expected = ClusterTwin.clusters(of: places, zoom: zoom, radius: radius)
            for cluster in expected.shuffled(using: &random).prefix(50) {
                let (id, options) = try #require(
                    ClusterID.parse(cluster.id, radiusPixels: radius))
                let found = try #require(snapshot.cluster(id, options: options))
                #expect(found.counts == [cluster.count], "zoom \(zoom), cluster \(cluster.id)")
                let leaves = snapshot.leaves(of: found, limit: .max, offset: 0)
                #expect(
                    leaves.compactMap { Int($0.id) }.sorted() == cluster.members,
                    "zoom \(zoom), cluster \(cluster.id)")
            }
        }
    }

    @Test(
        "a window all but a strip of the belt, wherever the strip lies, counts nothing twice",
        arguments: [Shape.world, .poles, .antimeridian], LawInput.radii)
    func nearlyTheWholeBelt(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        for zoom in input.zooms.prefix(6) {
            let side = UInt64(1) << UInt64(32 - zoom.twin.level)
            for strip in [1, 2, 7, 14, 16, 19] as [UInt64] {
                let width = WorldWindow.worldSize - min(WorldWindow.worldSize, strip * side + 1)
                let west = UInt32(truncatingIfNeeded: strip * 0x9e37_79b9 / 3)
                let window = WorldWindow(
                    west: west, width: width, north: 0, height: WorldWindow.worldSize)
                expectEqual(
                    input.snapshot.clusters(in: window, options: zoom.options),
                    zoom.expected.filter { window.contains($0.point) },
                    "zoom \(zoom.zoom), \(strip) cells left out from column \(west)")
            }
        }
    }

    @Test(
        "a low window all but a strip of the belt counts nothing twice either",
        arguments: [Shape.world, .poles, .antimeridian], 6...12)
    func lowAndNearlyTheWholeBelt(shape: Shape, level: Int) throws {
        let input = try LawInput.of(shape, radius: 40)
        let zoom = input.zooms[level - 4]
        let side = UInt64(1) << UInt64(32 - level)
        var random = SeededRandom(seed: level)
        // Cells are loaded in blocks, larger ones the wider the window is: the strip's two sides
        // must not fall in one of them and load it twice.
        for _ in 0..<40 {
            let place = try #require(input.places.randomElement(using: &random))
            let strip = UInt64.random(in: 1...min(160, (1 << UInt64(level)) / 2), using: &random)
            // The strip lies beside an object, on either side.
            let gap = UInt64.random(in: 0...20, using: &random) * side
            let west =
                Bool.random(using: &random)
                ? UInt64(place.x) &- gap : UInt64(place.x) &+ gap &+ strip * side
            let row = UInt64(place.y) / side * side
            let window = WorldWindow(
                west: UInt32(truncatingIfNeeded: west),
                width: WorldWindow.worldSize - strip * side,
                north: UInt32(row - min(row, 3 * side)), height: 7 * side)
            expectEqual(
                input.snapshot.clusters(in: window, options: zoom.options),
                zoom.expected.filter { window.contains($0.point) },
                "\(strip) cells left out of \(window)")
        }
    }

    @Test("windows as wide as the world at deep zooms are answered, few objects or none")
    func deepAndWide() throws {
        let positions = Shape.world.positions(count: 12, seed: 9)
        let snapshot = try index(of: positions)
        let options = try ClusterOptions(zoom: 22)
        let expected = ClusterTwin.clusters(
            of: positions.map { WorldPoint($0) }, zoom: 22, radius: 40)
        expectEqual(snapshot.clusters(in: .world, options: options), expected, "world")
        let half = WorldWindow(
            west: 3_000_000_000, width: WorldWindow.worldSize / 2, north: 0,
            height: WorldWindow.worldSize)
        expectEqual(
            snapshot.clusters(in: half, options: options),
            expected.filter { half.contains($0.point) }, "half")
        #expect(try index(of: []).clusters(in: .world, options: options).count == 0)
    }

    @Test(
        "boxes are half open, ±180° is no edge, the poles' edges are in",
        arguments: LawInput.radii)
    func boxes(radius: Int) throws {
        let positions =
            [
                (180, 10), (-180, 20), (-180, 0), (179.9999999, -10), (-179.9999999, -20),
                (0, 90), (40, -90), (80, 85.0511288), (120, -85.0511288), (10, 50),
            ].map { (lon: Double, lat: Double) in
                RoundedPosition(
                    lonE7: Int32((lon * 1e7).rounded()), latE7: Int32((lat * 1e7).rounded()))
            }
        let snapshot = try index(of: positions)
        let places = positions.map { WorldPoint($0) }
        let zoom = 14
        let options = try ClusterOptions(zoom: zoom, radiusPixels: radius)
        let expected = ClusterTwin.clusters(of: places, zoom: zoom, radius: radius)
        func members(_ west: Double, _ south: Double, _ east: Double, _ north: Double) throws
            -> [Int]
        {
            let box = try BoundingBox(west: west, south: south, east: east, north: north)
            let found = snapshot.clusters(in: WorldWindow(box), options: options)
            return found.ids.flatMap { id in expected.first { $0.id == id }?.members ?? [] }
                .sorted()
        }
        #expect(try members(-180, -90, 180, 90) == Array(0..<10))
        // A box that starts at ±180° has the meridian, one that ends there has not.
        #expect(try members(180, -30, 190, 30) == [0, 1, 2, 4])
        #expect(try members(-180, -30, -170, 30) == [0, 1, 2, 4])
        #expect(try members(170, -30, 180, 30) == [3])
        #expect(try members(170, 5, -180, 30) == [])
        #expect(try members(170, -30, 190, 30) == [0, 1, 2, 3, 4])
        #expect(try members(10, 50, 11, 51) == [])
        #expect(try members(10, 49, 11, 50) == [9], "the north edge is in")
        #expect(try members(9, 49, 10, 50) == [], "the east edge is out")
        #expect(try members(9, 50, 11, 51) == [], "the south edge is out")
        #expect(try members(-180, 85.0511288, 180, 90) == [])
        #expect(try members(-180, 80, 180, 85.0511288) == [5, 7])
        #expect(try members(-180, -85.0511288, 180, -80) == [6, 8])
        #expect(try members(-180, -90, 180, -85.0511288) == [6, 8])
        // Turning the box by 360° changes nothing.
        #expect(try members(9.5 + 360, 49, 10.5 + 360, 51) == [9])
        #expect(try members(9.5 - 720, 49, 10.5 - 720, 51) == [9])
    }

    @Test(
        "a bound on clusters is passed only by a set that says so; below it nothing is left out",
        arguments: [1, 40, 700, 5_000])
    func boundedSets(bound: Int) throws {
        // At this zoom the world is cut into many parts, almost one for each object.
        let snapshot = try index(of: Shape.world.positions(count: 900, seed: bound))
        let options = try ClusterOptions(zoom: 21)
        let whole = snapshot.clusters(in: .world, options: options)
        let bounded = snapshot.clusters(in: .world, options: options, atMost: bound)
        if whole.count <= bound {
            #expect(bounded.ids == whole.ids)
        } else {
            #expect(bounded.count > bound)
            #expect(Set(bounded.ids).isSubset(of: whole.ids))
        }
    }

    @Test("occupied cells bound the clusters, and counting them ends at the limit")
    func occupiedCells() throws {
        for shape in Shape.allCases {
            let positions = shape.positions(count: 600, seed: 5)
            let snapshot = try index(of: positions)
            for zoom in [0, 6, 12, 21] {
                let options = try ClusterOptions(zoom: zoom)
                let cells = Set(
                    positions.map { QuadCell(level: options.level, containing: WorldPoint($0)) })
                let all = snapshot.occupiedCells(in: .world, options: options, atMost: .max)
                #expect(all >= cells.count, "\(shape), zoom \(zoom)")
                let clusters = snapshot.clusters(in: .world, options: options).count
                #expect(clusters <= all && all <= max(cells.count * 2, cells.count + 64))
                if all > 10 {
                    let some = snapshot.occupiedCells(in: .world, options: options, atMost: 10)
                    #expect(some > 10)
                }
            }
        }
    }
}
