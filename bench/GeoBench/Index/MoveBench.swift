import GeoIndex
import Synchronization
import TestSupport

extension Bench {
    /// `index.move`: one object moved, until readers see it; `index.moves`: batches of 500 on end
    /// while another thread asks; `index.moves-reader`: what that thread waits for an answer. Moves
    /// to where others were; `-anywhere`: to anywhere in the box of all.
    func moves(_ snapshot: IndexSnapshot) throws {
        try moves(snapshot, .places, "")
        try moves(snapshot, .anywhere, "-anywhere")
    }

    private func moves(
        _ snapshot: IndexSnapshot, _ targets: EditBook.Targets, _ suffix: String
    ) throws {
        let names = ["index.move", "index.moves", "index.moves-reader"].map { $0 + suffix }
        guard names.contains(where: wants) else { return }
        let before = ResidentMemory.bytes
        let layer = LayerIndex(snapshot)
        var mover = EditBook(input: input, targets: targets)
        // The first change collects the places of all objects, once.
        try layer.apply(mover.moves(1))
        let bytes = Double(ResidentMemory.bytes - before) / Double(input.count)
        if wants(names[0]) { try single(names[0], layer, &mover, bytesPerObject: bytes) }
        if wants(names[1]) || wants(names[2]) { try sustained(names, layer, &mover) }
        try check(
            layer.current.sum(over: [0...UInt64.max])
                == (try mover.index()).sum(over: [0...UInt64.max]),
            "the index after all moves is not one built from what is left")
    }

    private func single(
        _ name: String, _ layer: LayerIndex, _ mover: inout EditBook, bytesPerObject: Double
    ) throws {
        var statistics: [Statistics] = []
        for _ in 0..<runs {
            var samples = Samples()
            for _ in 0..<2_000 {
                let edits = mover.moves(1)
                let seen = try samples.time {
                    try layer.apply(edits)
                    return layer.current
                }
                guard let edit = edits.first, let placement = edit.placement else { continue }
                let near = seen.nearest(to: placement.position, limit: 1)
                try check(near.first?.distance.meters == 0, "a move of \(edit.id) is not seen")
            }
            statistics.append(samples.statistics)
        }
        report.add(
            Record(
                name: input.benchmark(name), statistics: Statistics(medianOf: statistics),
                calls: 2_000, runs: runs, bytesPerObject: bytesPerObject,
                check: "each is seen; all together equal a fresh build",
                note: "bytes are those of the writer's table, on top of the index"))
    }

    private func sustained(
        _ names: [String], _ layer: LayerIndex, _ mover: inout EditBook
    ) throws {
        let batch = 500
        var rates: [Statistics] = []
        var waits: [Statistics] = []
        for _ in 0..<runs {
            let batches = (0..<40).map { _ in mover.moves(batch) }
            let reader = ConcurrentReader(layer, input.centres)
            guard let thread = Worker({ reader.run() }) else {
                throw CheckFailure(description: "the system has no thread to give")
            }
            var samples = Samples()
            let outcome = Result {
                for edits in batches { try samples.time { try layer.apply(edits) } }
            }
            reader.stop()
            thread.join()
            try outcome.get()
            let perSecond = Double(batch) * 1e6
            let times = samples.statistics
            rates.append(
                Statistics(
                    wall: times.wall.rate(perSecond), processor: times.processor.rate(perSecond)))
            waits.append(reader.samples.statistics)
            try check(reader.isRight, "a reader saw a state that never was")
        }
        report.add(
            Record(
                name: input.benchmark(names[1]), unit: "moves/s",
                statistics: Statistics(medianOf: rates), calls: 40, runs: runs,
                check: "all together equal a fresh build",
                note: "batches of 500, one thread writes and one asks"))
        report.add(
            Record(
                name: input.benchmark(names[2]),
                statistics: Statistics(medianOf: waits), calls: 0, runs: runs,
                check: "10 objects in order each time", note: "10 nearest during index.moves"))
    }
}

extension Spread {
    /// Events in a second, for times in microseconds that `events` · 10⁻⁶ of them take: the 99th
    /// percentile is the rate of the slow ones.
    func rate(_ events: Double) -> Spread {
        Spread(p50: events / p50, p99: events / p99, mean: events / mean)
    }
}

/// Asks for the 10 nearest until it is told to stop.
private final class ConcurrentReader: Sendable {
    private struct Results {
        var samples = Samples()
        var isRight = true
    }

    private let layer: LayerIndex
    private let centres: [RoundedPosition]
    private let isStopped = Atomic(false)
    private let results = Mutex(Results())

    init(_ layer: LayerIndex, _ centres: [RoundedPosition]) {
        self.layer = layer
        self.centres = centres
    }

    var samples: Samples { results.withLock { $0.samples } }
    var isRight: Bool { results.withLock { $0.isRight } }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func run() {
        var found = Results()
        var next = 0
        repeat {
            let near = found.samples.time {
                layer.current.nearest(to: centres[next % centres.count], limit: 10)
            }
            if near.count != 10 || near[0].distance > near[9].distance { found.isRight = false }
            next += 1
        } while !isStopped.load(ordering: .relaxed)
        results.withLock { $0 = found }
    }
}
