import GeoIndex

/// A row of spots, each in reach of the next only, along which the order of cells runs down: the
/// counts halve and, within a count, the hashes rise.
///
/// Whether the last spot is a seed therefore depends on each one before it, up to the first: no
/// margin around a window is wide enough to know.
struct HostileRow {
    let zoom: Int
    let radius = 40
    /// The spots, first in the order first.
    let spots: [RoundedPosition]
    let counts: [Int]

    /// Finds a row that starts in a column and row of the cells of a zoom and goes east.
    init(zoom: Int, column: Int, row: Int) {
        self.zoom = zoom
        let level = ClusterTwin(zoom: zoom, radius: radius).level
        var best = Path(level: level, column: column, row: row)
        for magnitude in (0...5).reversed() {
            best = HostileRow.longest(from: best.starting(magnitude), magnitude)
        }
        spots = best.steps.map { $0.position }
        counts = best.steps.map { 1 << $0.magnitude }
    }

    /// The places, each spot as often as its count says.
    var positions: [RoundedPosition] {
        zip(spots, counts).flatMap { Array(repeating: $0, count: $1) }
    }

    /// Of all ways to go on with one count, a long one: the 32 lowest hashes of each step go on.
    private static func longest(from start: Path, _ magnitude: Int) -> Path {
        var best = start
        var ends = [start]
        while !ends.isEmpty {
            best = ends[0]
            ends = ends.flatMap { $0.next(magnitude) }.sorted { $0.floor < $1.floor }
            ends = Array(ends.prefix(32))
        }
        return best
    }

    /// A row as far as it is found.
    private struct Path {
        struct Step {
            var column: Int
            var row: Int
            var magnitude: Int
            var position: RoundedPosition
        }

        let level: Int
        var steps: [Step] = []
        /// The next hash must be greater than this.
        var floor: UInt64 = 0
        private let start: (column: Int, row: Int)

        init(level: Int, column: Int, row: Int) {
            self.level = level
            start = (column, row)
        }

        /// With a smaller count the hashes start anew.
        func starting(_ magnitude: Int) -> Path {
            var path = self
            path.floor = 0
            return path
        }

        /// Steps to cells whose point is at most √5 cells away; 2.5 cells are the reach.
        func next(_ magnitude: Int) -> [Path] {
            guard let last = steps.last else {
                return [appending(start.column, start.row, magnitude)]
            }
            return [(1, 0), (1, 1), (1, -1), (1, 2), (1, -2), (2, 0), (2, 1), (2, -1)].compactMap {
                let column = last.column + $0.0
                let row = last.row + $0.1
                guard row >= 0 else { return nil }
                let isFree = steps.dropLast().allSatisfy { step in
                    let (dx, dy) = (column - step.column, row - step.row)
                    return dx * dx + dy * dy > 6
                }
                let path = appending(column, row, magnitude)
                return isFree && path.floor > floor ? path : nil
            }
        }

        private func appending(_ column: Int, _ row: Int, _ magnitude: Int) -> Path {
            let side = 1 << (32 - level)
            let centre = WorldPoint(
                x: UInt32(truncatingIfNeeded: column * side + side / 2),
                y: UInt32(row * side + side / 2))
            let position = RoundedPosition(
                lonE7: Int32((centre.lon * 1e7).rounded()),
                latE7: Int32((centre.lat * 1e7).rounded()))
            var path = self
            path.floor = ClusterTwin.hash(
                of: ClusterTwin.key(of: centre) >> UInt64(64 - 2 * level))
            path.steps.append(
                Step(column: column, row: row, magnitude: magnitude, position: position))
            return path
        }
    }
}
