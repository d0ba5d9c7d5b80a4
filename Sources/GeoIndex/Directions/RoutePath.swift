/// A line to be drawn on a map: vertices of which neighbours are joined by straight lines of
/// longitude and latitude.
///
/// Its longitudes go on beyond ±180° where it crosses that meridian, so that it can be drawn on a
/// map that repeats the world; taken round the globe they are ordinary ones.
public struct RoutePath: Equatable, Sendable {
    /// One vertex, in units of 1e-7 degree.
    public struct Vertex: Hashable, Sendable {
        /// Units east; whole turns may be added.
        public let lonE7: Int64
        /// Units north, in ±900 000 000.
        public let latE7: Int32

        /// Degrees east.
        public var lon: Double { Double(lonE7) / 1e7 }
        /// Degrees north.
        public var lat: Double { Double(latE7) / 1e7 }

        /// Creates a vertex from its units.
        public init(lonE7: Int64, latE7: Int32) {
            self.lonE7 = lonE7
            self.latE7 = latE7
        }

        init(_ position: RoundedPosition) {
            self.init(lonE7: Int64(position.lonE7), latE7: position.latE7)
        }

        /// The vertex as a position on the globe.
        public var position: RoundedPosition {
            let turn = RoundedPosition.turnE7
            // One turn at most is added to a remainder, which is smaller than one.
            var lon = lonE7 % turn
            if lon > turn / 2 { lon -= turn }
            if lon < -turn / 2 { lon += turn }
            return RoundedPosition(
                lonE7: Int32(lon), latE7: max(-900_000_000, min(900_000_000, latE7)))
        }
    }

    /// The vertices in order; none, or at least two.
    public private(set) var vertices: [Vertex] = []

    /// A path without vertices.
    public init() {}

    /// A path of given vertices.
    public init(_ vertices: [Vertex]) { self.vertices = vertices }

    /// Draws a great circle: between two neighbouring vertices the line strays from it by no more
    /// than a tolerance.
    ///
    /// Pieces of under 200 m are not divided further, however near to a pole they are. A circle
    /// whose middle is a pole has that pole twice, at the longitude of either side.
    ///
    /// - Parameter tolerance: A length above 0.
    /// - Complexity: O(vertices); at most 2¹⁶ of them, by the depth of the division.
    public init(_ circle: GreatCircle, tolerance: Distance) {
        var division = Division(circle: circle, toleranceMeters: tolerance.meters)
        division.divide(
            Piece(
                from: 0, to: 1, start: Vertex(circle.start),
                end: Division.near(Vertex(circle.start), circle.end)),
            depth: 0)
        vertices = [Vertex(circle.start)] + division.vertices
    }

    /// Goes on with another path, which begins where this one ends.
    public mutating func append(_ next: RoutePath) {
        guard let last = vertices.last, let first = next.vertices.first else {
            if vertices.isEmpty { vertices = next.vertices }
            return
        }
        // A whole number of turns, when the two are the same place.
        let turn = RoundedPosition.turnE7
        let turns = Int64((Double(last.lonE7 - first.lonE7) / Double(turn)).rounded())
        vertices += next.vertices.dropFirst().map {
            Vertex(lonE7: $0.lonE7 + turns * turn, latE7: $0.latE7)
        }
    }
}

/// A part of a great circle, and its ends as vertices.
private struct Piece {
    let from: Double
    let to: Double
    let start: RoutePath.Vertex
    let end: RoutePath.Vertex
}

/// Halves pieces until each looks straight.
private struct Division {
    /// 2¹⁶ pieces of half the globe's girth would be 300 m long.
    private static let greatestDepth = 16
    private static let leastMeters = 200.0

    let circle: GreatCircle
    let toleranceMeters: Double
    /// All but the first.
    private(set) var vertices: [RoutePath.Vertex] = []

    init(circle: GreatCircle, toleranceMeters: Double) {
        self.circle = circle
        self.toleranceMeters = toleranceMeters
    }

    mutating func divide(_ piece: Piece, depth: Int) {
        let length = circle.distance.meters * (piece.to - piece.from)
        guard depth < Division.greatestDepth, length > Division.leastMeters else {
            return vertices.append(piece.end)
        }
        let fraction = (piece.from + piece.to) / 2
        let middle = circle.position(at: fraction)
        if abs(middle.latE7) == 900_000_000 {
            let before = RoutePath.Vertex(lonE7: piece.start.lonE7, latE7: middle.latE7)
            divide(
                Piece(from: piece.from, to: fraction, start: piece.start, end: before),
                depth: depth + 1)
            // On the globe the same place.
            let after = RoutePath.Vertex(lonE7: piece.end.lonE7, latE7: middle.latE7)
            vertices.append(after)
            return divide(
                Piece(from: fraction, to: piece.to, start: after, end: piece.end),
                depth: depth + 1)
        }
        guard strays(piece) else { return vertices.append(piece.end) }
        let vertex = Division.near(piece.start, middle)
        // The end may lie on another turn when seen from the middle.
        divide(
            Piece(from: piece.from, to: fraction, start: piece.start, end: vertex),
            depth: depth + 1)
        let end = Division.near(vertex, piece.end.position)
        divide(Piece(from: fraction, to: piece.to, start: vertex, end: end), depth: depth + 1)
    }

    /// Whether the straight line is too far from the circle at a quarter, a half or three quarters
    /// of the way: over the equator the two meet in the middle, and bend to either side of it.
    private func strays(_ piece: Piece) -> Bool {
        (1...3).contains { quarter in
            let fraction = piece.from + (piece.to - piece.from) * Double(quarter) / 4
            let lon = piece.start.lonE7 * Int64(4 - quarter) + piece.end.lonE7 * Int64(quarter)
            let lat =
                Int64(piece.start.latE7) * Int64(4 - quarter)
                + Int64(piece.end.latE7) * Int64(quarter)
            let line = RoutePath.Vertex(lonE7: lon / 4, latE7: Int32(lat / 4))
            let apart = SphericalGeodesy.distance(
                from: line.position, to: circle.position(at: fraction))
            return apart.meters > toleranceMeters
        }
    }

    /// A position on the turn that is nearest to a vertex; of two, on its own.
    static func near(_ vertex: RoutePath.Vertex, _ position: RoundedPosition) -> RoutePath.Vertex {
        let turn = RoundedPosition.turnE7
        let gap = vertex.lonE7 - Int64(position.lonE7)
        let turns = Int64((Double(gap) / Double(turn)).rounded(.toNearestOrEven))
        return RoutePath.Vertex(lonE7: Int64(position.lonE7) + turns * turn, latE7: position.latE7)
    }
}
