import GeoIndex
import Glibc
import TestSupport
import Testing

struct TripSolverTests {
    private static let ends: [TripSolver.Ends] = [
        .roundTrip(last: nil), .roundTrip(last: 1), .roundTripBetween(first: 0, last: 2),
        .oneWay(first: nil, last: nil), .oneWay(first: 0, last: nil), .oneWay(first: nil, last: 1),
        .oneWay(first: 0, last: 2),
    ]

    private func isClosed(_ ends: TripSolver.Ends) -> Bool {
        if case .oneWay = ends { false } else { true }
    }

    /// Whether an order keeps to what is fixed.
    private func keeps(_ order: [Int], to ends: TripSolver.Ends) -> Bool {
        switch ends {
        case .roundTrip(let last): last.map { order.last == $0 } ?? (order.first == 0)
        case .roundTripBetween(let first, let last): order.first == first && order.last == last
        case .oneWay(let first, let last):
            (first.map { order.first == $0 } ?? true) && (last.map { order.last == $0 } ?? true)
        }
    }

    private func places(_ count: Int, _ random: inout SeededRandom) -> [RoundedPosition] {
        let isClumped = Bool.random(using: &random)
        return (0..<count).map { number in
            let spread: Int32 = isClumped && number % 3 > 0 ? 1_000_000 : 300_000_000
            return RoundedPosition(
                lonE7: Int32.random(in: -spread...spread, using: &random),
                latE7: Int32.random(in: -spread...spread, using: &random))
        }
    }

    /// The length of the best order, by trying all.
    private func best(_ distances: StopDistances, _ ends: TripSolver.Ends) -> Double {
        var least = Double.infinity
        func go(_ order: [Int], _ left: Set<Int>) {
            if left.isEmpty {
                guard keeps(order, to: ends) else { return }
                least = min(least, distances.length(of: order, isClosed: isClosed(ends)))
            }
            for stop in left { go(order + [stop], left.subtracting([stop])) }
        }
        go([], Set(0..<distances.count))
        return least
    }

    @Test("few stops come in the best order of all", arguments: 0..<14)
    func exact(seed: Int) {
        var random = SeededRandom(seed: seed)
        let distances = StopDistances(places(3 + seed % 4, &random))
        for ends in TripSolverTests.ends {
            let order = TripSolver(distances: distances).order(ends: ends)
            #expect(order.sorted() == Array(0..<distances.count))
            #expect(keeps(order, to: ends), "\(ends): \(order)")
            let length = distances.length(of: order, isClosed: isClosed(ends))
            #expect(abs(length - best(distances, ends)) < 1e-3, "\(ends)")
        }
    }

    @Test("the dynamic programme and a search that knows the optimum agree", arguments: 0..<4)
    func convex(seed: Int) {
        // Places on a small circle are best visited along it.
        for count in [9, 12, 13, 40, 100] {
            var random = SeededRandom(seed: seed * 1_000 + count)
            let angles = (0..<count).map { _ in Double.random(in: 0..<2 * .pi, using: &random) }
            let places = angles.map {
                RoundedPosition(
                    lonE7: Int32(100_000_000 + 3e6 * cos($0)), latE7: Int32(3e6 * sin($0)))
            }
            let distances = StopDistances(places)
            let along = (0..<count).sorted { angles[$0] < angles[$1] }
            let order = TripSolver(distances: distances).order(ends: .roundTrip(last: nil))
            let optimum = distances.length(of: along, isClosed: true)
            let length = distances.length(of: order, isClosed: true)
            #expect(length <= optimum * (count <= 12 ? 1 + 1e-9 : 1.05), "\(count)")
        }
    }

    /// The 52 places of TSPLIB's berlin52 (G. Reinelt, ORSA J. Computing 3, 1991), whose shortest
    /// tour is 7542 long when every distance is rounded to a whole number.
    private static let berlin52: [(Int, Int)] = [
        (565, 575), (25, 185), (345, 750), (945, 685), (845, 655), (880, 660), (25, 230),
        (525, 1000), (580, 1175), (650, 1130), (1605, 620), (1220, 580), (1465, 200), (1530, 5),
        (845, 680), (725, 370), (145, 665), (415, 635), (510, 875), (560, 365), (300, 465),
        (520, 585), (480, 415), (835, 625), (975, 580), (1215, 245), (1320, 315), (1250, 400),
        (660, 180), (410, 250), (420, 555), (575, 665), (1150, 1160), (700, 580), (685, 595),
        (685, 610), (770, 610), (795, 645), (720, 635), (760, 650), (475, 960), (95, 260),
        (875, 920), (700, 500), (555, 815), (830, 485), (1170, 65), (830, 610), (605, 625),
        (595, 360), (1340, 725), (1740, 245),
    ]

    @Test("a tour of a published set is within 5 % of its published optimum")
    func published() {
        let distances = StopDistances(count: 52) { row, column in
            let (one, two) = (TripSolverTests.berlin52[row], TripSolverTests.berlin52[column])
            let (x, y) = (Double(one.0 - two.0), Double(one.1 - two.1))
            return (x * x + y * y).squareRoot().rounded()
        }
        let order = TripSolver(distances: distances).order(ends: .roundTrip(last: nil))
        let length = distances.length(of: order, isClosed: true)
        #expect(length >= 7_542 && length <= 7_542 * 1.05, "\(length)")
    }

    @Test("a grid's tour is within 5 % of a step for each place")
    func grid() {
        // Shuffled: 37 and 100 have no factor in common.
        let places = (0..<100).map { (number: Int32) -> RoundedPosition in
            let cell = number * 37 % 100
            return RoundedPosition(lonE7: cell / 10 * 10_000, latE7: cell % 10 * 10_000)
        }
        let distances = StopDistances(places)
        let order = TripSolver(distances: distances).order(ends: .roundTrip(last: nil))
        let step = (1..<100).map { distances[0, $0] }.min() ?? 0
        #expect(distances.length(of: order, isClosed: true) <= 100 * step * 1.05)
    }

    /// A length that no tour is below: that of the best 1-tree, after stops that it meets too
    /// often were made dearer.
    ///
    /// Source: M. Held, R. M. Karp, "The traveling-salesman problem and minimum spanning trees",
    /// Operations Research 18, 1970.
    private func lowerBound(_ distances: StopDistances, tour: Double) -> Double {
        let count = distances.count
        var prices = [Double](repeating: 0, count: count)
        var best = 0.0
        var share = 2.0
        for _ in 0..<1_000 {
            func cost(_ one: Int, _ two: Int) -> Double {
                distances[one, two] + prices[one] + prices[two]
            }
            // A spanning tree of all but stop 0 (Prim), and its two cheapest edges.
            var degrees = [Int](repeating: 0, count: count)
            var nearest = [Double](repeating: .infinity, count: count)
            var parent = [Int](repeating: -1, count: count)
            var isIn = [Bool](repeating: false, count: count)
            var length = 0.0
            nearest[1] = 0
            for _ in 1..<count {
                var stop = 0
                for other in 1..<count
                where !isIn[other] && (stop == 0 || nearest[other] < nearest[stop]) {
                    stop = other
                }
                isIn[stop] = true
                if parent[stop] >= 0 {
                    length += nearest[stop]
                    degrees[stop] += 1
                    degrees[parent[stop]] += 1
                }
                for other in 1..<count where !isIn[other] {
                    let edge = cost(stop, other)
                    if edge < nearest[other] { (nearest[other], parent[other]) = (edge, stop) }
                }
            }
            for stop in (1..<count).sorted(by: { cost(0, $0) < cost(0, $1) }).prefix(2) {
                length += cost(0, stop)
                degrees[0] += 1
                degrees[stop] += 1
            }
            length -= 2 * prices.reduce(0, +)
            best = max(best, length)
            let errors = degrees.map { Double($0 - 2) }
            let square = errors.reduce(0) { $0 + $1 * $1 }
            if square == 0 { break }
            let step = share * max(0, tour - length) / square
            for stop in 0..<count { prices[stop] += step * errors[stop] }
            share *= 0.994
        }
        return best
    }

    @Test("tours are within 5 % of a bound that none is below", arguments: 0..<3)
    func bounded(seed: Int) {
        var random = SeededRandom(seed: seed)
        let distances = StopDistances(places([100, 60, 100][seed], &random))
        let order = TripSolver(distances: distances).order(ends: .roundTrip(last: nil))
        #expect(order.sorted() == Array(0..<distances.count) && order[0] == 0)
        let length = distances.length(of: order, isClosed: true)
        let bound = lowerBound(distances, tour: length)
        #expect(bound <= length * (1 + 1e-9) && length <= bound * 1.05, "\(length / bound)")
        #expect(TripSolver(distances: distances).order(ends: .roundTrip(last: nil)) == order)
    }

    @Test("many stops keep to their ends", arguments: TripSolverTests.ends)
    func manyEnds(ends: TripSolver.Ends) {
        for count in [13, 30] {
            var random = SeededRandom(seed: count)
            let distances = StopDistances(places(count, &random))
            let order = TripSolver(distances: distances).order(ends: ends)
            #expect(order.sorted() == Array(0..<count))
            #expect(keeps(order, to: ends), "\(order)")
        }
    }

    @Test("stops on one spot, and one alone")
    func spots() {
        let same = StopDistances([RoundedPosition](repeating: .init(lonE7: 1, latE7: 1), count: 30))
        let solver = TripSolver(distances: same)
        #expect(solver.order(ends: .roundTrip(last: nil)).sorted() == Array(0..<30))
        let one = TripSolver(distances: StopDistances([.init(lonE7: 1, latE7: 1)]))
        #expect(one.order(ends: .oneWay(first: 0, last: nil)) == [0])
    }
}
