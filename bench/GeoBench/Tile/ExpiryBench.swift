import GeoIndex
import GeoService
import TestSupport
import TileRender

extension Bench {
    private static let minuteMilliseconds: Int64 = 60_000
    private static let draws = 3_000
    private static let sweepMilliseconds = 5

    /// `tile.expiring`: tiles while 100,000 objects (a tenth, of fewer than a million) expire
    /// within one minute; `tile.unexpiring`: the same tiles while none does.
    ///
    /// The minute is one of the clock that the index is given, and the draws are spread over it.
    /// Between them what has expired is taken out as the service does it beside its requests,
    /// every 5 ms; a draw comes at the end of such a pause, when most is left for it.
    func expiry() throws {
        guard wants("tile.expiring") || wants("tile.unexpiring") else { return }
        let painter = try TilePainter(KindStyle(assets: nil))
        let start = (input.placements.map(\.time).max() ?? 0) + 1
        for (operation, expiring) in [
            ("tile.unexpiring", 0), ("tile.expiring", min(100_000, input.count / 10)),
        ] {
            let scale = HeatScale.fitted(to: try index(expiring: expiring, from: start), version: 1)
            var statistics: [Statistics] = []
            for _ in 0..<runs {
                let layer = LayerIndex(try index(expiring: expiring, from: start))
                layer.prepareForChanges()
                var samples = Samples()
                for number in 0..<Bench.draws {
                    let now = start + Int64(number) * Bench.minuteMilliseconds / Int64(Bench.draws)
                    let tile = input.tiles[number % input.tiles.count]
                    let step = Bench.minuteMilliseconds / Int64(Bench.draws)
                    for sweep in stride(from: now - step, to: now, by: Bench.sweepMilliseconds) {
                        layer.removeExpired(at: sweep)
                    }
                    _ = try samples.time {
                        try draw(tile, layer.current(at: now), painter, scale)
                    }
                }
                statistics.append(samples.statistics)
                let left = layer.current(at: start + Bench.minuteMilliseconds)
                try check(
                    left.count == input.count - expiring, "\(left.count) objects after the minute")
                guard statistics.count == runs else { continue }
                let fresh = try index(expiring: expiring, from: start, keepingThem: false)
                for tile in sample(5, of: input.tiles.count).map({ input.tiles[$0] }) {
                    try check(
                        try draw(tile, left, painter, scale)
                            == (try draw(tile, fresh, painter, scale)),
                        "tile \(tile) after the minute")
                }
            }
            guard wants(operation) else { continue }
            report.add(
                Record(
                    name: input.benchmark(operation), statistics: Statistics(medianOf: statistics),
                    calls: Bench.draws, runs: runs,
                    check: "after the minute against a new index of what is left",
                    note: "cluster tiles while \(expiring) objects expire; swept every "
                        + "\(Bench.sweepMilliseconds) ms"))
        }
    }

    private func draw(
        _ tile: TileID, _ snapshot: IndexSnapshot, _ painter: TilePainter, _ scale: HeatScale
    ) throws -> [UInt8] {
        let request = TileRequest(
            layer: "City", tile: tile, scale: 1, style: .clusters, ramp: .standard, filter: .all)
        return try PNGEncoder().encode(
            painter.drawing(of: request, from: snapshot, scale: scale).image())
    }

    /// An index in which the first of every few objects expire within the minute after `start`,
    /// or one without them.
    private func index(expiring: Int, from start: Int64, keepingThem: Bool = true) throws
        -> IndexSnapshot
    {
        let step = input.count / max(1, expiring)
        var random = SeededGenerator(seed: 13)
        var builder = BulkBuilder(expected: input.count)
        for index in input.placements.indices {
            var placement = input.placements[index]
            if index % step == 0 && index / step < expiring {
                guard keepingThem else { continue }
                placement.expires =
                    start + Int64.random(in: 1..<Bench.minuteMilliseconds, using: &random)
            }
            try builder.add(id: input.ids[index], placement)
        }
        return builder.build()
    }
}
