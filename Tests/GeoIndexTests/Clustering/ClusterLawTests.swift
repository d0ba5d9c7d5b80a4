import GeoIndex
import TestSupport
import Testing

/// The seven laws of clusters, each over all shapes, radii and zooms.
struct ClusterLawTests {
    @Test(
        "the definition: the world gives the twin's clusters", arguments: Shape.allCases,
        LawInput.radii)
    func definition(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        for zoom in input.zooms {
            expectEqual(zoom.found, zoom.expected, "zoom \(zoom.zoom)")
        }
    }

    @Test(
        "law 1: the counts of the tiles of a zoom sum to the objects", arguments: Shape.allCases,
        LawInput.radii)
    func conservation(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        for zoom in input.zooms {
            #expect(zoom.found.counts.reduce(0, +) == input.positions.count, "\(zoom.zoom)")
            var sum = 0
            for tile in try Self.tiles(of: input, zoom: zoom) {
                sum += input.snapshot.clusters(in: WorldWindow(tile), options: zoom.options)
                    .counts.reduce(0, +)
            }
            #expect(sum == input.positions.count, "zoom \(zoom.zoom)")
        }
    }

    @Test(
        "law 2: no two points reach one another, and a spot is in one cluster",
        arguments: Shape.allCases, LawInput.radii)
    func separation(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        var random = SeededRandom(seed: radius)
        for zoom in input.zooms {
            let reach = zoom.twin.reach
            let points = zoom.found.points.map { (x: Int($0.x), y: Int($0.y)) }
                .sorted { $0.y < $1.y }
            for first in points.indices {
                var second = first + 1
                while second < points.count && points[second].y - points[first].y < reach {
                    #expect(
                        !zoom.twin.reaches(points[first], points[second]), "zoom \(zoom.zoom)")
                    second += 1
                }
            }
            for _ in 0..<min(3, zoom.found.count) {
                let number = Int.random(in: 0..<zoom.found.count, using: &random)
                let members = try Self.members(of: number, in: input, zoom: zoom)
                let spots = Set(members.map { input.places[$0] })
                let all = input.places.indices.filter { spots.contains(input.places[$0]) }
                #expect(members.sorted() == all, "zoom \(zoom.zoom), cluster \(number)")
            }
        }
    }

    @Test(
        "law 3: windows and tiles name the world's clusters", arguments: Shape.allCases,
        LawInput.radii)
    func consistency(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        var random = SeededRandom(seed: radius)
        for zoom in input.zooms {
            var windows = try Self.tiles(of: input, zoom: zoom).shuffled(using: &random).prefix(3)
                .map { WorldWindow($0) }
            for _ in 0..<4 {
                let centre = input.places.randomElement(using: &random) ?? WorldPoint(x: 0, y: 0)
                windows.append(.random(around: centre, zoom: zoom.zoom, using: &random))
            }
            for window in windows {
                expectEqual(
                    input.snapshot.clusters(in: window, options: zoom.options),
                    zoom.expected.filter { window.contains($0.point) },
                    "zoom \(zoom.zoom), \(window)")
            }
        }
    }

    @Test(
        "law 4: an edited index answers as a fresh one", arguments: Shape.allCases, LawInput.radii)
    func liveness(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        let layer = LayerIndex()
        var random = SeededRandom(seed: radius)
        // Everything comes in somewhere else, with strangers that leave again, and then moves.
        let elsewhere = input.positions.shuffled(using: &random)
        var edits: [ObjectEdit] = []
        for number in input.positions.indices {
            edits.append(.put("\(number)", elsewhere[number]))
            edits.append(.put("stranger\(number)", input.positions[number]))
        }
        edits.shuffle(using: &random)
        for number in input.positions.indices.shuffled(using: &random) {
            edits.append(.put("\(number)", input.positions[number]))
            edits.append(ObjectEdit(id: "stranger\(number)", placement: nil))
        }
        while !edits.isEmpty {
            let size = min(edits.count, Int.random(in: 1...300, using: &random))
            try layer.apply(Array(edits.prefix(size)))
            edits.removeFirst(size)
        }
        let snapshot = layer.current
        #expect(snapshot.count == input.positions.count)
        for zoom in input.zooms {
            expectEqual(
                snapshot.clusters(in: .world, options: zoom.options), zoom.expected,
                "zoom \(zoom.zoom)")
        }
    }

    @Test(
        "law 6: the world is round: what is turned by 180° across ±180° has the same cells",
        arguments: Shape.allCases, LawInput.radii)
    func roundness(shape: Shape, radius: Int) throws {
        // The twin measures the shorter way round. Here all is moved onto ±180°, half a turn at a
        // time, and windows over ±180° are asked for.
        let positions = shape.positions(count: 120, seed: radius).map { position in
            let lon = (Int64(position.lonE7) + 1_666_000_000 + 1_800_000_000) % 3_600_000_000
            return RoundedPosition(lonE7: Int32(lon - 1_800_000_000), latE7: position.latE7)
        }
        let places = positions.map { WorldPoint($0) }
        let snapshot = try index(of: positions)
        for zoom in 0...ClusterTwin.highestZoom(radius: radius) {
            let options = try ClusterOptions(zoom: zoom, radiusPixels: radius)
            let expected = ClusterTwin.clusters(of: places, zoom: zoom, radius: radius)
            let size = min(UInt64(1) << 32, 600 << UInt64(24 - zoom))
            let rows: [UInt32] = [places.first.map(\.y) ?? 0, 0, .max]
            for row in rows {
                let north = row > UInt32(size / 2) ? row - UInt32(size / 2) : 0
                let window = WorldWindow(
                    west: UInt32(truncatingIfNeeded: 0 &- size / 2), width: size, north: north,
                    height: size)
                expectEqual(
                    snapshot.clusters(in: window, options: options),
                    expected.filter { window.contains($0.point) }, "zoom \(zoom), \(window)")
            }
        }
    }

    @Test(
        "law 7: members lie within the radius and a cell's diagonal of their cluster's point",
        arguments: Shape.allCases, LawInput.radii)
    func nearness(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        var random = SeededRandom(seed: radius)
        for zoom in input.zooms {
            let side = Double(UInt64(1) << UInt64(32 - zoom.twin.level))
            let bound = Double(zoom.twin.reach) + side * 2.0.squareRoot()
            for _ in 0..<min(4, zoom.found.count) {
                let number = Int.random(in: 0..<zoom.found.count, using: &random)
                let centre = zoom.found.points[number]
                let members = try Self.members(of: number, in: input, zoom: zoom)
                #expect(members.count == zoom.found.counts[number])
                for place in members.map({ input.places[$0] }) {
                    let dx = Double(Int32(bitPattern: place.x &- centre.x))
                    let dy = Double(place.y) - Double(centre.y)
                    #expect((dx * dx + dy * dy).squareRoot() < bound, "zoom \(zoom.zoom)")
                }
            }
        }
    }
}

extension ClusterLawTests {
    /// The tiles of a zoom that hold an object or a cluster's point; all of them up to zoom 2.
    static func tiles(of input: LawInput, zoom: LawInput.Zoom) throws -> [TileID] {
        if zoom.zoom <= 2 {
            return try (0..<(1 << (2 * zoom.zoom))).map { number in
                try TileID(
                    zoom: zoom.zoom, x: number >> zoom.zoom, y: number & ((1 << zoom.zoom) - 1))
            }
        }
        let shift = UInt32(32 - zoom.zoom)
        return try Set(
            (input.places + zoom.expected.map(\.point)).map { place in
                try TileID(zoom: zoom.zoom, x: Int(place.x >> shift), y: Int(place.y >> shift))
            }
        ).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    }

    /// The numbers of a cluster's members, as its leaves name them.
    static func members(of number: Int, in input: LawInput, zoom: LawInput.Zoom) throws -> [Int] {
        let (id, options) = try #require(
            ClusterID.parse(zoom.found.ids[number], radiusPixels: input.radius))
        #expect(options == zoom.options)
        let cluster = try #require(input.snapshot.cluster(id, options: options))
        return input.snapshot.leaves(of: cluster, limit: .max, offset: 0).compactMap { Int($0.id) }
    }
}

extension WorldWindow {
    /// A window of a few pixels up to a screen, near a point.
    static func random(around centre: WorldPoint, zoom: Int, using random: inout SeededRandom)
        -> WorldWindow
    {
        let pixel = UInt64(1) << UInt64(24 - zoom)
        let width = UInt64.random(in: 1...700, using: &random) * pixel
        let height = UInt64.random(in: 1...500, using: &random) * pixel
        let west = UInt64(centre.x) &- UInt64.random(in: 0...width, using: &random)
        let north = UInt64(centre.y) > height / 2 ? UInt64(centre.y) - height / 2 : 0
        return WorldWindow(
            west: UInt32(truncatingIfNeeded: west), width: width, north: UInt32(north),
            height: height)
    }
}

extension ObjectEdit {
    /// Puts an object at a place, with nothing else known of it.
    static func put(_ id: String, _ position: RoundedPosition) -> ObjectEdit {
        ObjectEdit(id: id, placement: Placement(position: position))
    }
}
