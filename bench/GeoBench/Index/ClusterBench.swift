import GeoIndex
import TestSupport

extension Bench {
    /// Clusters of views at radius 40, and at radius 20 (`…20`), which is the radius 40 of peers
    /// whose tiles are 512 wide:
    ///
    /// - `index.clusters`: prepared for all zooms, as peers always are; `index.prepare` is the
    ///   time that this took and its memory.
    /// - `index.clusters-live`: the same with a random object moved before each question.
    /// - `index.clusters-kind`: objects of one kind only, prepared too.
    /// - `index.clusters-cold`, `index.clusters-kind-cold`: nothing is remembered.
    /// - `index.clusters-details`: kinds, box and content of all clusters of a view, nothing of
    ///   which is remembered.
    func clusters(_ snapshot: IndexSnapshot) throws {
        for (suffix, radius) in [("", 40), ("20", 20)] {
            let operations = ["", "-live", "-kind", "-cold", "-kind-cold", "-details"].map {
                "index.clusters\(suffix)\($0)"
            }
            guard (operations + ["index.prepare\(suffix)"]).contains(where: wants) else {
                continue
            }
            let bench = ClusterBench(
                bench: self, suffix: suffix, radius: radius,
                options: try input.views.map {
                    try ClusterOptions(zoom: $0.zoom, radiusPixels: radius)
                },
                memoBytes: ClusterBench.memoBytes(input.count))
            try bench.run(snapshot)
        }
        try resolvedCells()
    }
}

/// The questions at one radius.
struct ClusterBench {
    let bench: Bench
    let suffix: String
    let radius: Int
    let options: [ClusterOptions]
    let memoBytes: Int

    /// What peers take for each object and radius is about 120 bytes; this is for all filters.
    static func memoBytes(_ count: Int) -> Int { max(ClusterMemo.defaultBytes, count * 160) }

    private var views: [BenchInput.View] { bench.input.views }
    /// The zooms that peers prepare.
    private static let zooms = 0...16

    func run(_ snapshot: IndexSnapshot) throws {
        let layer = LayerIndex(snapshot, clusterMemoBytes: memoBytes)
        let prepared = layer.current
        try prepare(prepared, "index.prepare\(suffix)", filter: .all)
        let sample = bench.sample(8, of: views.count)
        for index in sample {
            try check(prepared, views[index].window, options[index])
        }
        try ask(prepared, "", filter: .all, sample: sample)
        try live(layer)
        let kind = EntryFilter(kinds: Set(bench.input.commonestKind.map { [$0] } ?? []))
        let filtered = LayerIndex(snapshot, clusterMemoBytes: memoBytes).current
        if ["-kind", "-kind-cold"].contains(where: { bench.wants("index.clusters\(suffix)\($0)") })
        {
            try prepare(filtered, "index.prepare-kind\(suffix)", filter: kind)
            try ask(filtered, "-kind", filter: kind, sample: sample)
        }
        try cold(filtered, "-cold", filter: .all)
        try cold(filtered, "-kind-cold", filter: kind)
        try details(filtered)
    }

    /// Sets that were resolved for one answer remember nothing.
    private func details(_ snapshot: IndexSnapshot) throws {
        snapshot.forgetClusters()
        let sets = views.indices.map {
            snapshot.clusters(in: views[$0].window, options: options[$0])
        }
        try bench.ask(
            "index.clusters\(suffix)-details", count: sets.count,
            checked: "counts by kind are no more than members"
        ) { number in
            (0..<sets[number].count).map { snapshot.details(of: $0, in: sets[number]) }
        } sum: { details in
            Double(details.reduce(0) { $0 + $1.kinds.reduce(0) { $0 + $1.count } })
        }
    }

    private func prepare(
        _ snapshot: IndexSnapshot, _ operation: String, filter: EntryFilter
    ) throws {
        let before = ResidentMemory.bytes
        var samples = Samples()
        let prepared = try samples.time {
            try snapshot.prepareClusters(
                radiusPixels: radius, zooms: ClusterBench.zooms, filter: filter)
        }
        let bytes = Double(ResidentMemory.bytes - before) / Double(bench.input.count)
        guard bench.wants(operation) else { return }
        bench.report.add(
            Record(
                name: bench.input.benchmark(operation), statistics: samples.statistics, calls: 1,
                runs: 1, bytesPerObject: bytes, check: "by the answers of index.clusters",
                note: "\(prepared.clusters) clusters in \(prepared.units) units of all zooms"
                    + (prepared.isWhole ? "" : ", not whole") + "; counted as "
                    + "\(snapshot.rememberedClusterBytes / max(1, bench.input.count))"
                    + " bytes an object"))
    }

    private func ask(
        _ snapshot: IndexSnapshot, _ kind: String, filter: EntryFilter, sample: [Int]
    ) throws {
        let found = views.indices.map {
            snapshot.clusters(in: views[$0].window, options: options[$0], filter: filter).count
        }
        try bench.ask(
            "index.clusters\(suffix)\(kind)", count: views.count,
            checked: "\(sample.count) views against the definition over all objects",
            note: "\(found.reduce(0, +) / max(1, found.count)) results a view, prepared"
        ) {
            snapshot.clusters(in: views[$0].window, options: options[$0], filter: filter)
        } sum: {
            Double($0.count)
        }
    }

    /// Before each question everything is forgotten.
    private func cold(_ snapshot: IndexSnapshot, _ kind: String, filter: EntryFilter) throws {
        let operation = "index.clusters\(suffix)\(kind)"
        guard bench.wants(operation) else { return }
        var statistics: [Statistics] = []
        for _ in 0..<bench.runs {
            var samples = Samples()
            for (index, view) in views.enumerated() {
                snapshot.forgetClusters()
                _ = samples.time {
                    snapshot.clusters(in: view.window, options: options[index], filter: filter)
                }
            }
            statistics.append(samples.statistics)
        }
        bench.report.add(
            Record(
                name: bench.input.benchmark(operation),
                statistics: Statistics(medianOf: statistics),
                calls: views.count, runs: bench.runs, check: "as index.clusters",
                note: "nothing is remembered"))
    }

    /// Before each question an object moves to where another one is.
    private func live(_ layer: LayerIndex) throws {
        let operation = "index.clusters\(suffix)-live"
        guard bench.wants(operation) else { return }
        var input = bench.input
        var random = SeededGenerator(seed: 5)
        var statistics: [Statistics] = []
        layer.prepareForChanges()
        for _ in 0..<bench.runs {
            var samples = Samples()
            for (index, view) in views.enumerated() {
                let object = Int.random(in: 0..<input.count, using: &random)
                let target = Int.random(in: 0..<input.count, using: &random)
                input.placements[object].position = input.placements[target].position
                try layer.apply([
                    ObjectEdit(id: input.ids[object], placement: input.placements[object])
                ])
                _ = samples.time {
                    layer.current.clusters(in: view.window, options: options[index])
                }
            }
            statistics.append(samples.statistics)
        }
        let fresh = try input.index()
        for (index, view) in views.enumerated() {
            let live = layer.current.clusters(in: view.window, options: options[index])
            let expected = fresh.clusters(in: view.window, options: options[index])
            try GeoBench.check(
                live.ids == expected.ids && live.counts == expected.counts
                    && live.points == expected.points,
                "view \(index) is not that of a fresh index")
        }
        bench.report.add(
            Record(
                name: bench.input.benchmark(operation),
                statistics: Statistics(medianOf: statistics),
                calls: views.count, runs: bench.runs,
                check: "all views equal those of a fresh index after the last move",
                note: "a random object moves before each question"))
    }

    private func check(
        _ snapshot: IndexSnapshot, _ window: WorldWindow, _ options: ClusterOptions
    ) throws {
        let found = snapshot.clusters(in: window, options: options)
        let expected = ClusterTwin(options).clusters(of: bench.input, in: window)
        try GeoBench.check(
            found.count == expected.count,
            "\(found.count) clusters at zoom \(options.zoom), not \(expected.count)")
        for index in 0..<found.count {
            let cluster = expected[found.ids[index]]
            try GeoBench.check(
                cluster?.point == found.points[index] && cluster?.count == found.counts[index],
                "cluster \(found.ids[index]) at zoom \(options.zoom)")
        }
        let world = snapshot.clusters(in: .world, options: try ClusterOptions(zoom: 2))
        try GeoBench.check(
            world.counts.reduce(0, +) == bench.input.count, "the counts of the world's clusters")
    }
}

extension BenchInput {
    /// The kind of most of the first thousand objects; nil when they have none.
    fileprivate var commonestKind: String? {
        var counts: [String: Int] = [:]
        for placement in placements.prefix(1_000) {
            if let kind = placement.kind { counts[kind, default: 0] += 1 }
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
