import GeoIndex

extension Bench {
    /// Bytes of memory for each object: `index.memory` as it is built, `index.memory-edited` after
    /// as many random edits as a tenth of the objects; what the writer's table of ids, two
    /// aggregated fields and an instant of expiry add is apart.
    ///
    /// Measured in resident pages, so the index's own count of its bytes is not needed.
    func memory() throws {
        let names = ["", "-edited", "-ids", "-aggregates", "-expiry"].map { "index.memory" + $0 }
        guard names.contains(where: wants) else { return }
        let plain = try edited()
        for (operation, isNew, change) in [
            (
                "index.memory-aggregates", "aggregates",
                { (placement: inout Placement) in placement.values = [1_000_000, nil] }
            ),
            (
                "index.memory-expiry", "expiry",
                { (placement: inout Placement) in
                    placement.expires = placement.time + 1_000_000_000_000
                }
            ),
        ] where wants(operation) {
            let before = ResidentMemory.bytes
            let snapshot = try index(changing: change)
            let bytes = perObject(since: before, count: snapshot.count) - plain
            // Less is noise: a column takes eight bytes.
            guard bytes > 4 else {
                report.addAbsent(input.benchmark(operation), "the index keeps no \(isNew) yet")
                continue
            }
            try add(operation, bytes, snapshot, note: "on top of index.memory")
        }
    }

    /// Reports what an index takes before and after edits, and gives the first.
    private func edited() throws -> Double {
        var book = EditBook(input: input)
        // Copies the objects now: what follows measures the index alone.
        _ = book.moves(1)
        var before = ResidentMemory.bytes
        let layer = LayerIndex(try book.index())
        let plain = perObject(since: before, count: input.count)
        try add("index.memory", plain, layer.current)
        guard wants("index.memory-edited") || wants("index.memory-ids") else { return plain }

        let unprepared = ResidentMemory.bytes
        layer.prepareForChanges()
        let table = ResidentMemory.bytes - unprepared
        try add("index.memory-ids", Double(table) / Double(input.count), layer.current)
        guard wants("index.memory-edited") else { return plain }

        let edits = min(1_000_000, input.count / 10)
        for _ in 0..<(edits / 500) { try layer.apply(book.edits(500)) }
        before += table
        let bytes = perObject(since: before, count: book.count)
        try check(
            layer.current.sum(over: [0...UInt64.max])
                == (try book.index()).sum(over: [0...UInt64.max]),
            "the index after all edits is not one built from what is left")
        try add(
            "index.memory-edited", bytes, layer.current,
            checked: "equal to an index built from what is left", note: "\(edits) edits")
        return plain
    }

    private func index(changing change: (inout Placement) -> Void) throws -> IndexSnapshot {
        var builder = BulkBuilder(expected: input.count)
        for index in input.placements.indices {
            var placement = input.placements[index]
            change(&placement)
            try builder.add(id: input.ids[index], placement)
        }
        return builder.build()
    }

    private func perObject(since before: Int, count: Int) -> Double {
        Double(ResidentMemory.bytes - before) / Double(count)
    }

    /// Reports a figure. The snapshot is what it was measured on: kept alive, and looked at.
    private func add(
        _ operation: String, _ bytes: Double, _ snapshot: IndexSnapshot,
        checked: String = "the sum over the world is all objects", note: String = ""
    ) throws {
        try check(
            snapshot.sum(over: [0...UInt64.max]).count == snapshot.count,
            "the sum over the world is not all objects")
        guard wants(operation) else { return }
        let spread = Spread(p50: bytes, p99: bytes, mean: bytes)
        report.add(
            Record(
                name: input.benchmark(operation), unit: "B",
                statistics: Statistics(wall: spread, processor: spread), calls: 1, runs: 1,
                check: checked, note: note))
    }
}
