import GeoIndex
import TestSupport
import Testing

/// Kinds of inputs that spatial code goes wrong on.
enum Shape: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case empty, one, duplicates, poles, antimeridian, city, streetGrid, staircase, gradient, world

    var testDescription: String { rawValue }

    /// How many positions to take where `count` would do in a city: those all over the world are
    /// slow to ask for in one window at deep zooms.
    func sparing(_ count: Int) -> Int {
        self == .world || self == .poles ? count / 4 : count
    }

    /// About `count` positions of this kind.
    func positions(count: Int, seed: Int) -> [RoundedPosition] {
        var random = SeededRandom(seed: seed)
        func at(_ lon: Double, _ lat: Double) -> RoundedPosition {
            let wrapped = LonLat.wrapped(degreesEast: lon)
            guard let position = try? LonLat(lon: wrapped, lat: min(max(lat, -90), 90)) else {
                preconditionFailure("\(lon), \(lat)")
            }
            return RoundedPosition(position)
        }
        switch self {
        case .empty: return []
        case .one: return [at(13.4, 52.5)]
        case .duplicates:
            let spots = (0..<8).map { _ in
                at(.random(in: 13...13.2, using: &random), .random(in: 52...52.1, using: &random))
            }
            return (0..<count).map { _ in spots[Int.random(in: 0..<8, using: &random)] }
        case .poles:
            return (0..<count).map { index in
                let lat = Double.random(in: 84.5...90, using: &random)
                return at(.random(in: -180...180, using: &random), index % 2 == 0 ? lat : -lat)
            }
        case .antimeridian:
            return (0..<count).map { _ in
                at(180 + random.normal(0, 0.4), random.normal(-17, 0.3))
            }
        case .city:
            return (0..<count).map { index in
                let spread = [0.003, 0.02, 0.1][index % 3]
                return at(random.normal(13.4, spread), random.normal(52.5, spread * 0.6))
            }
        case .streetGrid:
            let edge = Int(Double(count).squareRoot())
            return (0..<(edge * edge)).map { index in
                at(13 + 0.001 * Double(index % edge), 52 + 0.0006 * Double(index / edge))
            }
        case .staircase:
            // Rows of spots, each in reach of the next only, with falling counts: the order of the
            // cells runs along the row, so that what happens at one end decides the other.
            return (0..<count).map { index in
                let step = Int(random.normal(0, 1).magnitude * Double(count) / 40)
                return at(10 + 0.0009 * Double(step), 50 + 0.0001 * Double(index % 2))
            }
        case .gradient:
            return (0..<count).map { _ in
                let east = Double.random(in: 0...1, using: &random).squareRoot()
                return at(10 + east, .random(in: 50...50.5, using: &random))
            }
        case .world:
            return (0..<count).map { _ in
                at(.random(in: -180...180, using: &random), .random(in: -89...89, using: &random))
            }
        }
    }
}

/// An index of positions, objects named by their number.
func index(of positions: [RoundedPosition]) throws -> IndexSnapshot {
    try index(of: positions.map { Placement(position: $0) })
}

/// An index of placements, objects named by their number unless names are given.
func index(
    of placements: [Placement], ids: [String]? = nil, aggregatedFields: Int = 0
) throws -> IndexSnapshot {
    var builder = BulkBuilder(expected: placements.count, aggregatedFields: aggregatedFields)
    for (number, placement) in placements.enumerated() {
        try builder.add(id: ids?[number] ?? "\(number)", placement)
    }
    return builder.build()
}
