import GeoIndex

extension Bench {
    /// `index.build`: from positions, kinds and packed ids in arrays to an index that answers;
    /// `index.build-records`: from ids as texts and one record for each object.
    ///
    /// The time holds projecting and sorting; the note says how it is shared out.
    func build() throws -> IndexSnapshot {
        let before = ResidentMemory.bytes
        var snapshot = try input.index()
        let bytes = Double(ResidentMemory.bytes - before) / Double(input.count)
        try checkBuild(snapshot)
        if wants("index.build") {
            let columns = try input.columns(IDTable())
            snapshot = try build("index.build", bytes) { $0.add(columns) }
        }
        if wants("index.build-records") {
            snapshot = try build("index.build-records", bytes) { builder in
                for index in input.placements.indices {
                    try builder.add(id: input.ids[index], input.placements[index])
                }
            }
        }
        return snapshot
    }

    /// Measures building and gives the last index.
    private func build(
        _ operation: String, _ bytes: Double, adding add: (inout BulkBuilder) throws -> Void
    ) throws -> IndexSnapshot {
        var snapshot = BulkBuilder().build()
        var (adding, sorting) = (Samples(), Samples())
        var statistics: [Statistics] = []
        for _ in 0..<runs {
            var whole = Samples()
            snapshot = try whole.time {
                var builder = BulkBuilder(expected: input.count)
                try adding.time { try add(&builder) }
                return sorting.time { builder.build() }
            }
            statistics.append(whole.statistics)
            try checkBuild(snapshot)
        }
        func milliseconds(_ samples: Samples) -> Int {
            Int((samples.statistics.processor.p50 / 1_000).rounded())
        }
        report.add(
            Record(
                name: input.benchmark(operation),
                statistics: Statistics(medianOf: statistics), calls: 1, runs: runs,
                result: Double(snapshot.count),
                bytesPerObject: bytes, check: "count, kinds and extent",
                note: "processor: adding \(milliseconds(adding)) ms, "
                    + "sorting and pages \(milliseconds(sorting)) ms"))
        return snapshot
    }

    private func checkBuild(_ snapshot: IndexSnapshot) throws(CheckFailure) {
        try check(snapshot.count == input.count, "\(snapshot.count) objects of \(input.count)")
        var kinds: [String: Int] = [:]
        for placement in input.placements { kinds[placement.kind ?? "", default: 0] += 1 }
        for (kind, count) in snapshot.kindCounts {
            try check(kinds[kind] == count, "\(count) objects of kind \(kind)")
        }
        let west = input.placements.lazy.map(\.position.lonE7).min() ?? 0
        let north = input.placements.lazy.map(\.position.latE7).max() ?? 0
        try check(
            snapshot.extent?.west == Double(west) / 1e7
                && snapshot.extent?.north == Double(north) / 1e7, "the extent")
        let world = snapshot.sum(over: [0...UInt64.max])
        try check(world.count == input.count, "the sum over the world has \(world.count)")
    }
}
