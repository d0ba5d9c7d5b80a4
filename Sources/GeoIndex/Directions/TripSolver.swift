/// The order in which to visit stops so that the way is short.
///
/// Up to ``exactCount`` stops the order is the best there is (M. Held, R. M. Karp, "A dynamic
/// programming approach to sequencing problems", J. SIAM 10, 1962). Beyond, it is that of a local
/// search (``TourImprover``), which came within 5 % of the best wherever that is known. The same
/// stops give the same order every time.
///
///     let solver = TripSolver(distances: .init(positions))
///     solver.order(ends: .roundTrip(last: nil))  // [0, 3, 1, 2]
public struct TripSolver: Sendable {
    /// What is fixed of a trip. Numbers are those of stops.
    public enum Ends: Equatable, Sendable {
        /// It comes back to where it began; it begins with stop 0 unless its last stop is named.
        case roundTrip(last: Int?)
        /// A round trip that begins with the one and whose last stop is the other.
        case roundTripBetween(first: Int, last: Int)
        /// It ends elsewhere than it began; nil ends are free.
        case oneWay(first: Int?, last: Int?)
    }

    /// The most stops for which the best order is found.
    public static let exactCount = 12

    private let distances: StopDistances

    /// Takes what a way between any two stops costs.
    public init(distances: StopDistances) {
        self.distances = distances
    }

    /// The stops in the order of the visit, each once.
    ///
    /// - Precondition: fixed ends are stops, and two different ones where there are several.
    /// - Complexity: O(2ⁿ·n²) up to ``exactCount`` stops, then O(n²) memory and about n³ steps.
    public func order(ends: Ends) -> [Int] {
        let count = distances.count
        guard count > 1 else { return Array(0..<count) }
        if case .roundTrip(let last) = ends {
            let tour = TripSolver.tour(distances)
            guard let last else { return TripSolver.rotated(tour, toStart: 0) }
            let after = TripSolver.rotated(tour, toStart: last)
            return Array(after.dropFirst() + after.prefix(1))
        }
        // An open way is a tour with one more stop between its ends, which is at no distance from
        // what may be an end, and at a great gain beside what has to be one.
        let tour = TripSolver.tour(withJoint(at: ends))
        var way = Array(TripSolver.rotated(tour, toStart: count).dropFirst())
        if let first = TripSolver.first(of: ends) {
            if way[0] != first { way.reverse() }
        } else if let last = TripSolver.last(of: ends) {
            if way[count - 1] != last { way.reverse() }
        } else if way[0] > way[count - 1] {
            way.reverse()
        }
        return way
    }

    private static func first(of ends: Ends) -> Int? {
        switch ends {
        case .roundTrip: nil
        case .roundTripBetween(let first, _): first
        case .oneWay(let first, _): first
        }
    }

    private static func last(of ends: Ends) -> Int? {
        switch ends {
        case .roundTrip(let last): last
        case .roundTripBetween(_, let last): last
        case .oneWay(_, let last): last
        }
    }

    /// More than a way of 400 stops can be long: each within half the globe of the next.
    private static let gainMeters = 1e10

    private func withJoint(at ends: Ends) -> StopDistances {
        let fixed = [TripSolver.first(of: ends), TripSolver.last(of: ends)]
        return StopDistances(count: distances.count + 1) { row, column in
            let joint = distances.count
            guard row == joint || column == joint else { return distances[row, column] }
            return fixed.contains(min(row, column)) ? -TripSolver.gainMeters : 0
        }
    }

    private static func tour(_ distances: StopDistances) -> [Int] {
        // One more for the joint of an open way.
        distances.count <= exactCount + 1
            ? HeldKarp.tour(distances) : TourImprover.tour(distances)
    }

    /// A tour from another stop of it on, in the direction in which the lower neighbour comes
    /// first.
    private static func rotated(_ tour: [Int], toStart start: Int) -> [Int] {
        let place = tour.firstIndex(of: start) ?? 0
        var turned = Array(tour[place...] + tour[..<place])
        if turned.count > 2, turned[1] > turned[turned.count - 1] {
            turned[1...].reverse()
        }
        return turned
    }
}

/// What the ways between stops cost, the same in both directions.
public struct StopDistances: Sendable {
    /// How many stops there are.
    public let count: Int
    private var cells: [Double]

    /// The distances on the sphere, in metres.
    public init(_ positions: [RoundedPosition]) {
        self.init(count: positions.count) { row, column in
            SphericalGeodesy.distance(from: positions[row], to: positions[column]).meters
        }
    }

    /// Costs of any kind, asked once for each pair.
    ///
    /// - Parameter cost: Takes the higher number first.
    public init(count: Int, cost: (Int, Int) -> Double) {
        self.count = count
        cells = [Double](repeating: 0, count: count * count)
        for row in 0..<count {
            for column in 0..<row {
                let value = cost(row, column)
                cells[row * count + column] = value
                cells[column * count + row] = value
            }
        }
    }

    /// The cost between two stops.
    public subscript(from: Int, to: Int) -> Double { cells[from * count + to] }

    /// The cost of an order, there and, for a closed one, back to its first stop.
    public func length(of order: [Int], isClosed: Bool) -> Double {
        var sum = zip(order, order.dropFirst()).reduce(0) { $0 + self[$1.0, $1.1] }
        if isClosed, let first = order.first, let last = order.last { sum += self[last, first] }
        return sum
    }
}
