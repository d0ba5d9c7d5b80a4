import GeoIndex

/// One run of the program: an input, and the benchmarks on it.
struct BenchRun {
    let options: Options

    init(_ options: Options) { self.options = options }

    /// Measures and reports.
    ///
    /// - Throws: ``CheckFailure`` for a wrong result, ``FileFailure`` for a missing file.
    func run() throws {
        let input =
            if let folder = options.folder {
                try BenchInput(folder: folder, size: options.size)
            } else {
                try BenchInput(citySize: options.size, count: options.count)
            }
        if let folder = options.exportFolder { return try Export(input: input).write(to: folder) }
        let bench = Bench(
            input: input, runs: options.runs, prefix: options.prefix,
            report: Report(isJSON: options.isJSON))
        let snapshot = try bench.build()
        // Before others have left holes in the heap.
        try bench.memory()
        try bench.nearest(snapshot)
        try bench.circles(snapshot)
        try bench.clusters(snapshot)
        try bench.leaves(snapshot)
        try bench.tiles(snapshot)
        try bench.vectorTiles(snapshot)
        try bench.basemap()
        try bench.parse(folder: options.picturesFolder)
        try bench.pictures(snapshot, folder: options.picturesFolder)
        try bench.lowZooms(snapshot)
        try bench.expiry()
        try bench.moves(snapshot)
        try bench.views(snapshot)
    }
}

/// What all benchmarks of a run share.
struct Bench {
    let input: BenchInput
    let runs: Int
    let prefix: String
    let report: Report

    /// Whether a benchmark was asked for.
    func wants(_ operation: String) -> Bool { input.benchmark(operation).hasPrefix(prefix) }

    /// Asks the same questions in each run and reports the times.
    ///
    /// - Parameters:
    ///   - operation: `<type>.<operation>`.
    ///   - count: How many questions there are.
    ///   - checked: How the caller has checked the answers before.
    ///   - question: What is timed.
    ///   - sum: What an answer counts towards the result; not timed. All runs must agree on it.
    func ask<Answer>(
        _ operation: String, count: Int, checked: String, note: String = "",
        _ question: (Int) throws -> Answer, sum: (Answer) -> Double
    ) throws {
        guard wants(operation) else { return }
        for index in 0..<min(count, 100) { _ = try question(index) }
        var statistics: [Statistics] = []
        var results = Set<Double>()
        for _ in 0..<runs {
            var samples = Samples()
            var total = 0.0
            for index in 0..<count { total += sum(try samples.time { try question(index) }) }
            statistics.append(samples.statistics)
            results.insert(total)
        }
        try check(results.count == 1, "\(operation) gave \(results) for the same questions")
        report.add(
            Record(
                name: input.benchmark(operation), statistics: Statistics(medianOf: statistics),
                calls: count, runs: runs, result: results.first, check: checked, note: note))
    }

    /// `count` indices spread evenly over `total`: the sample that is checked.
    func sample(_ count: Int, of total: Int) -> [Int] {
        (0..<min(count, total)).map { (2 * $0 + 1) * total / (2 * min(count, total)) }
    }
}
