import GeoIndex
import TestSupport
import Testing

/// What the laws say, checked against the definition carried out over all cells of the world.
struct ClusterLawTests {
    static let zooms = 0...22
    static let radii = [16, 40, 100]

    @Test("the whole world gives the twin's clusters", arguments: Shape.allCases, radii)
    func wholeWorldEqualsTwin(shape: Shape, radius: Int) throws {
        let positions = shape.positions(count: 600, seed: radius)
        let snapshot = try index(of: positions)
        let places = positions.map { WorldPoint($0) }
        for zoom in Self.zooms {
            guard let options = try? ClusterOptions(zoom: zoom, radiusPixels: radius) else {
                continue
            }
            let found = snapshot.clusters(in: .world, options: options)
            let expected = ClusterTwin.clusters(of: places, zoom: zoom, radius: radius)
            #expect(found.ids == expected.map(\.id), "zoom \(zoom)")
            #expect(found.counts == expected.map(\.count), "zoom \(zoom)")
            #expect(found.points.map { Int($0.x) } == expected.map(\.x), "zoom \(zoom)")
            #expect(found.points.map { Int($0.y) } == expected.map(\.y), "zoom \(zoom)")
        }
    }

    @Test("any window names the world's clusters", arguments: Shape.allCases, radii)
    func windowsAgreeWithTheWorld(shape: Shape, radius: Int) throws {
        let positions = shape.positions(count: 1200, seed: radius + 1)
        let snapshot = try index(of: positions)
        let places = positions.map { WorldPoint($0) }
        var random = SeededRandom(seed: radius)
        for zoom in Self.zooms {
            guard let options = try? ClusterOptions(zoom: zoom, radiusPixels: radius) else {
                continue
            }
            let world = ClusterTwin.clusters(of: places, zoom: zoom, radius: radius)
            for _ in 0..<6 {
                let centre = places.randomElement(using: &random) ?? WorldPoint(x: 0, y: 0)
                let window = Self.window(around: centre, zoom: zoom, using: &random)
                let found = snapshot.clusters(in: window, options: options)
                let expected = world.filter {
                    window.contains(WorldPoint(x: UInt32($0.x), y: UInt32($0.y)))
                }
                #expect(found.ids == expected.map(\.id), "zoom \(zoom), \(window)")
                #expect(found.counts == expected.map(\.count), "zoom \(zoom), \(window)")
            }
        }
    }

    /// A window of a few pixels up to a screen, near a point.
    static func window(around centre: WorldPoint, zoom: Int, using random: inout SeededRandom)
        -> WorldWindow
    {
        let pixel = UInt64(1) << UInt64(24 - zoom)
        let width = UInt64.random(in: 1...700, using: &random) * pixel
        let height = UInt64.random(in: 1...500, using: &random) * pixel
        let west = UInt64(centre.x) &- width / 2
        let north = UInt64(centre.y) > height / 2 ? UInt64(centre.y) - height / 2 : 0
        return WorldWindow(
            west: UInt32(truncatingIfNeeded: west), width: width, north: UInt32(north),
            height: height)
    }
}
