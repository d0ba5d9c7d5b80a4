/// Times of one operation, in microseconds.
struct Samples {
    /// Wall time of each call.
    private(set) var wall: [Double] = []
    /// Processor time of each call, the reading of that clock included (about 0.2 µs).
    private(set) var processor: [Double] = []

    /// Runs `body` once and takes both times of it.
    mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let processorStart = Clock.processor
        let wallStart = Clock.wall
        let result = try body()
        let wallEnd = Clock.wall
        let processorEnd = Clock.processor
        wall.append(Double(wallEnd &- wallStart) / 1_000)
        processor.append(Double(processorEnd &- processorStart) / 1_000)
        return result
    }

    var statistics: Statistics { Statistics(wall: Spread(wall), processor: Spread(processor)) }
}

/// Middle, tail and mean of some numbers.
struct Spread {
    var p50: Double
    var p99: Double
    var mean: Double

    init(p50: Double, p99: Double, mean: Double) {
        self.p50 = p50
        self.p99 = p99
        self.mean = mean
    }

    /// By nearest rank; the 99th percentile of fewer than 100 numbers is their greatest.
    init(_ numbers: [Double]) {
        let sorted = numbers.sorted()
        func rank(_ share: Double) -> Double {
            guard !sorted.isEmpty else { return .nan }
            return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
        }
        self.init(
            p50: rank(0.5), p99: rank(0.99),
            mean: sorted.reduce(0, +) / Double(max(1, sorted.count)))
    }

    /// Of each figure the median over several runs.
    init(medianOf runs: [Spread]) {
        func median(_ figure: (Spread) -> Double) -> Double { Spread(runs.map(figure)).p50 }
        self.init(p50: median(\.p50), p99: median(\.p99), mean: median(\.mean))
    }
}

/// What is reported of an operation's times.
struct Statistics {
    var wall: Spread
    var processor: Spread

    init(wall: Spread, processor: Spread) {
        self.wall = wall
        self.processor = processor
    }

    /// Of each figure the median over several runs.
    init(medianOf runs: [Statistics]) {
        wall = Spread(medianOf: runs.map(\.wall))
        processor = Spread(medianOf: runs.map(\.processor))
    }
}
