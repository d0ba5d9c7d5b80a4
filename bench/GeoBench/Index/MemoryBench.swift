import GeoIndex

extension Bench {
    /// Bytes of memory for each object, as the index counts them, blocks rounded as the allocator
    /// does: `index.memory` is pages and inner nodes as built, `index.memory-edited` after as many
    /// random edits as a tenth of the objects, `-anywhere` with moves to new places. What the
    /// writer's table of ids, two aggregated fields and an instant of expiry add is apart.
    ///
    /// Resident memory stands beside it, so that the index need not be believed.
    func memory() throws {
        let names = ["", "-edited", "-anywhere", "-ids", "-aggregates", "-expiry"]
        guard names.contains(where: { wants("index.memory" + $0) }) else { return }
        try edited(.places, "index.memory-edited")
        if wants("index.memory-anywhere") { try edited(.anywhere, "index.memory-anywhere") }
        try extra("index.memory-aggregates", \.aggregates) { $0.values = [1_000_000, nil] }
        try extra("index.memory-expiry", \.expiriesAndOwners) {
            $0.expires = $0.time + 1_000_000_000_000
        }
    }

    /// What a column that few objects need takes when all have it.
    private func extra(
        _ operation: String, _ part: KeyPath<IndexBytes, Int>,
        _ change: (inout Placement) -> Void
    ) throws {
        guard wants(operation) else { return }
        let before = ResidentMemory.bytes
        var builder = BulkBuilder(expected: input.count, aggregatedFields: 2)
        for index in input.placements.indices {
            var placement = input.placements[index]
            change(&placement)
            try builder.add(id: input.ids[index], placement)
        }
        let snapshot = builder.build()
        try add(operation, snapshot.bytes[keyPath: part], snapshot, since: before)
    }

    /// Reports what an index takes as built, what the table of ids adds, and what all takes after
    /// edits.
    private func edited(_ targets: EditBook.Targets, _ operation: String) throws {
        var book = EditBook(input: input, targets: targets)
        // Copies the objects now: what follows measures the index alone.
        _ = book.moves(1)
        var before = ResidentMemory.bytes
        let layer = LayerIndex(try book.index())
        if targets == .places {
            try add("index.memory", layer.current.bytes.tree, layer.current, since: before)
        }
        guard wants(operation) || wants("index.memory-ids") else { return }
        let unprepared = ResidentMemory.bytes
        layer.prepareForChanges()
        let table = ResidentMemory.bytes - unprepared
        if targets == .places {
            try add("index.memory-ids", layer.placeTableBytes, layer.current, since: unprepared)
        }
        guard wants(operation) else { return }
        let edits = min(1_000_000, input.count / 10)
        for _ in 0..<(edits / 500) { try layer.apply(book.edits(500)) }
        before += table
        let bytes = layer.current.bytes.tree
        let resident = ResidentMemory.bytes - before
        try check(
            layer.current.sum(over: [0...UInt64.max])
                == (try book.index()).sum(over: [0...UInt64.max]),
            "the index after all edits is not one built from what is left")
        try add(
            operation, bytes, layer.current, resident: resident,
            checked: "equal to an index built from what is left", note: "\(edits) edits; ")
    }

    private func add(
        _ operation: String, _ bytes: Int, _ snapshot: IndexSnapshot, since before: Int
    ) throws {
        try add(operation, bytes, snapshot, resident: ResidentMemory.bytes - before)
    }

    /// Reports a figure. The snapshot is what it was measured on: kept alive, and looked at.
    private func add(
        _ operation: String, _ bytes: Int, _ snapshot: IndexSnapshot, resident: Int,
        checked: String = "the sum over the world is all objects", note: String = ""
    ) throws {
        try check(
            snapshot.sum(over: [0...UInt64.max]).count == snapshot.count,
            "the sum over the world is not all objects")
        guard wants(operation) else { return }
        let count = Double(snapshot.count)
        func each(_ bytes: Int) -> Double { (Double(bytes) / count * 100).rounded() / 100 }
        let all = snapshot.bytes
        let spread = Spread(p50: each(bytes), p99: each(bytes), mean: each(bytes))
        report.add(
            Record(
                name: input.benchmark(operation), unit: "B",
                statistics: Statistics(wall: spread, processor: spread), calls: 1, runs: 1,
                bytesPerObject: each(resident), check: checked,
                note: note + "tree \(each(all.tree)) B, of it kept cells \(each(all.cells)); "
                    + "aggregates \(each(all.aggregates)), expiries and owners "
                    + "\(each(all.expiriesAndOwners)), long ids \(each(all.ids))"))
    }
}
