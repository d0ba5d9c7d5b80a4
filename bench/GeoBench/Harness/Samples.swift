/// Times of one operation, in microseconds.
struct Samples {
    /// Wall time of each call, without that of the clocks.
    private(set) var wall: [Double] = []
    /// Processor time of each call, without that of the clocks.
    private(set) var processor: [Double] = []
    private let clocks: ClockCost

    init() { self.init(clocks: .measured) }

    fileprivate init(clocks: ClockCost) { self.clocks = clocks }

    /// Runs `body` once and takes both times of it.
    mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let processorStart = Clock.processor
        let wallStart = Clock.wall
        let result = try body()
        let wallEnd = Clock.wall
        let processorEnd = Clock.processor
        wall.append(max(0, Double(wallEnd &- wallStart) / 1_000 - clocks.wall))
        processor.append(
            max(0, Double(processorEnd &- processorStart) / 1_000 - clocks.processor))
        return result
    }

    var statistics: Statistics { Statistics(wall: Spread(wall), processor: Spread(processor)) }
}

/// What a call that does nothing seems to take, in microseconds: the clocks' own readings, which
/// are a tenth of the shortest calls. The programs of the peers take off theirs alike.
private struct ClockCost {
    var wall = 0.0
    var processor = 0.0

    private static let calls = 10_001

    /// The medians of many such calls, made before the first sample.
    static let measured: ClockCost = {
        var empty = Samples(clocks: ClockCost())
        for _ in 0..<calls { empty.time {} }
        let statistics = empty.statistics
        return ClockCost(wall: statistics.wall.p50, processor: statistics.processor.p50)
    }()
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
