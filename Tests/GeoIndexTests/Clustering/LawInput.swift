import GeoIndex
import Synchronization
import Testing

/// One input of the laws: places of a shape, their index, and the twin's clusters at every zoom.
struct LawInput: Sendable {
    static let radii = [16, 40, 100]

    let shape: Shape
    let radius: Int
    let positions: [RoundedPosition]
    let places: [WorldPoint]
    let snapshot: IndexSnapshot
    let zooms: [Zoom]

    struct Zoom: Sendable {
        let zoom: Int
        let options: ClusterOptions
        let expected: [ClusterTwin.Cluster]
        /// What the index answers for the whole world.
        let found: ClusterSet

        var twin: ClusterTwin { ClusterTwin(zoom: zoom, radius: options.radiusPixels) }
    }

    /// The input of a shape and radius; made once, since every law looks at all of them.
    static func of(_ shape: Shape, radius: Int) throws -> LawInput {
        let name = "\(shape) \(radius)"
        if let known = made.withLock({ $0[name] }) { return known }
        let input = try LawInput(shape: shape, radius: radius)
        made.withLock { $0[name] = input }
        return input
    }

    private static let made = Mutex<[String: LawInput]>([:])

    private init(shape: Shape, radius: Int) throws {
        self.shape = shape
        self.radius = radius
        let positions = shape.positions(count: shape.sparing(240), seed: radius)
        let places = positions.map { WorldPoint($0) }
        let snapshot = try index(of: positions)
        self.positions = positions
        self.places = places
        self.snapshot = snapshot
        // A radius of 16 needs cells of 8 px, which end at zoom 21: there the error is the answer.
        zooms = try (0...ClusterTwin.highestZoom(radius: radius)).map { zoom in
            let options = try ClusterOptions(zoom: zoom, radiusPixels: radius)
            return Zoom(
                zoom: zoom, options: options,
                expected: ClusterTwin.clusters(of: places, zoom: zoom, radius: radius),
                found: snapshot.clusters(in: .world, options: options))
        }
    }
}

extension ClusterTwin {
    /// The deepest zoom whose cells are at level 26 or above.
    static func highestZoom(radius: Int) -> Int {
        (0...22).last { ClusterTwin(zoom: $0, radius: radius).level <= 26 } ?? 0
    }
}

/// Checks clusters of the index against the twin's.
func expectEqual(
    _ found: ClusterSet, _ expected: [ClusterTwin.Cluster], _ comment: @autoclosure () -> String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let isEqual =
        found.ids == expected.map(\.id) && found.counts == expected.map(\.count)
        && found.points == expected.map(\.point)
    if isEqual { return }
    let missing = expected.count { !found.ids.contains($0.id) }
    let surplus = found.ids.count { id in !expected.contains { $0.id == id } }
    Issue.record(
        """
        \(comment()): \(found.count) clusters for \(expected.count), \(missing) missing, \
        \(surplus) too many, or counts or points that differ
        """, sourceLocation: sourceLocation)
}
