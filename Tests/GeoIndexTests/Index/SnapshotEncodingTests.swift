import TestSupport
import Testing

@testable import GeoIndex

/// Snapshots as bytes and back.
struct SnapshotEncodingTests {
    /// The chunks of a snapshot.
    private func chunks(of snapshot: IndexSnapshot) -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        snapshot.encode { chunk in chunks.append(chunk.indices.map { chunk[$0] }) }
        return chunks
    }

    private func snapshot(of chunks: [[UInt8]]) throws -> IndexSnapshot {
        let head = chunks.first ?? []
        let decoder = try SnapshotDecoder(head.span)
        return try decoder.snapshot(of: chunks.dropFirst().map { try decoder.part($0.span) })
    }

    /// Placements with all that an object may have, some of it seldom.
    private func placements(count: Int, seed: Int) -> [Placement] {
        var random = SeededRandom(seed: seed)
        let shapes: [Shape] = [.city, .antimeridian, .poles, .duplicates]
        let positions = shapes.flatMap { $0.positions(count: count / 4, seed: seed) }
        let isRich = seed % 2 == 0
        return positions.map { position in
            var position = position
            if Int.random(in: 0..<500, using: &random) == 0 {
                position = RoundedPosition(lonE7: 1_800_000_000, latE7: position.latE7)
            }
            let hasMore = isRich && Int.random(in: 0..<400, using: &random) < 3
            return Placement(
                position: position,
                kind: Bool.random(using: &random)
                    ? "kind\(Int.random(in: 0..<70, using: &random))" : nil,
                weight: .random(in: 0...1e5, using: &random),
                time: .random(in: .min ... .max, using: &random), content: random.next(),
                expires: hasMore ? .random(in: .min ... .max, using: &random) : nil,
                owner: hasMore ? random.next() : 0,
                values: hasMore ? [.random(in: -9...9, using: &random), nil, 4] : [])
        }
    }

    private func snapshot(count: Int, seed: Int) throws -> IndexSnapshot {
        var builder = BulkBuilder(aggregatedFields: seed % 2 == 0 ? 3 : 0)
        for (number, placement) in placements(count: count, seed: seed).enumerated() {
            let id = number % 5 == 0 ? "a-long-id-\(number)-\(seed)" : "\(number)"
            try builder.add(id: id, placement)
        }
        return builder.build(generation: 7)
    }

    /// All that the pages of a snapshot hold, in order.
    private func entries(of snapshot: IndexSnapshot) -> [String] {
        var lister = EntryLister(snapshot: snapshot)
        snapshot.walk(0...UInt64.max, &lister)
        return lister.lines
    }

    private struct EntryLister: RangeVisitor {
        let snapshot: IndexSnapshot
        var lines: [String] = []

        func enters(_ summary: NodeSummary) -> Bool { true }
        func takes(_ node: TreeNode) -> Bool { false }

        mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
            for index in range {
                let entry = page.entry(index)
                let values = (0..<snapshot.fields).map { page.value($0, index) }
                lines.append(
                    "\(snapshot.ids.id(of: ObjectKey(bits: entry.object))) \(entry) "
                        + "\(snapshot.kinds.names[Int(entry.kind)]) \(page.expiry(index)) "
                        + "\(page.owner(index)) \(values)")
            }
        }
    }

    @Test("a snapshot comes back as it was", arguments: [0, 1, 239, 241, 3_000, 30_000])
    func roundTrip(count: Int) throws {
        for seed in [count, count + 1] {
            let before = try snapshot(count: count, seed: seed)
            let chunks = chunks(of: before)
            let after = try snapshot(of: chunks)
            #expect(after.brokenInvariant() == nil, "seed \(seed)")
            #expect(after.summary == before.summary)
            #expect(entries(of: after) == entries(of: before))
            #expect(chunks.map(\.count).reduce(0, +) <= before.encodedBytes)
            #expect(self.chunks(of: after) == chunks)
            if count > 25_000 { #expect(chunks.count > 2) }
        }
    }

    @Test("a snapshot after edits answers as before, and takes further edits", arguments: 0..<4)
    func editedRoundTrip(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var world = EditedWorld(shape: seed % 2 == 0 ? .city : .antimeridian, seed: seed)
        var layer = LayerIndex()
        for _ in 0..<4 {
            for _ in 0..<10 {
                try layer.apply(world.batch(of: 400, using: &random))
            }
            let before = layer.current
            let after = try snapshot(of: chunks(of: before))
            #expect(after.brokenInvariant() == nil)
            try expectSameAnswers(after, before, probes: world.positions, seed: seed)
            layer = LayerIndex(after)
        }
        try expectSameAnswers(
            layer.current, LiveIndexTests.fresh(world.objects), probes: world.positions, seed: seed)
    }

    @Test("a page may have columns that none of its entries needs any more")
    func needlessColumns() throws {
        let positions =
            Shape.city.positions(count: 600, seed: 3)
            + Shape.poles.positions(
                count: 2, seed: 3)
        let east = RoundedPosition(lonE7: 1_800_000_000, latE7: 525_000_000)
        var builder = BulkBuilder(aggregatedFields: 1)
        for (number, position) in positions.enumerated() {
            let isRich = number % 50 == 0
            try builder.add(
                id: "\(number)",
                Placement(
                    position: isRich ? east : position, expires: isRich ? 1_000 : nil,
                    owner: isRich ? 5 : 0, values: isRich ? [7] : []))
        }
        let layer = LayerIndex(builder.build())
        let before = layer.current
        #expect(try snapshot(of: chunks(of: before)).brokenInvariant() == nil)
        let after = layer.current(at: 2_000)
        #expect(after.count < before.count)
        let loaded = try snapshot(of: chunks(of: after))
        #expect(loaded.brokenInvariant() == nil)
        #expect(entries(of: loaded) == entries(of: after))
    }

    @Test("kinds that went leave their numbers to new ones")
    func freedKinds() throws {
        let positions = Shape.city.positions(count: KindTable.limit, seed: 1)
        let layer = LayerIndex(
            try index(of: positions.enumerated().map { Placement(position: $1, kind: "k\($0)") }))
        try layer.apply((0..<100).map { ObjectEdit(id: "\($0)", placement: nil) })
        try layer.apply([
            ObjectEdit(id: "new", placement: Placement(position: positions[0], kind: "other"))
        ])
        let after = try snapshot(of: chunks(of: layer.current))
        #expect(after.kinds.names == layer.current.kinds.names)
        let next = LayerIndex(after)
        try next.apply([
            ObjectEdit(id: "new2", placement: Placement(position: positions[0], kind: "another"))
        ])
        #expect(next.current.kindCounts.contains { $0.kind == "another" && $0.count == 1 })
        #expect(next.current.brokenInvariant() == nil)
    }

    @Test("every truncation and every missing or repeated chunk is refused")
    func truncations() throws {
        let chunks = chunks(of: try snapshot(count: 700, seed: 2))
        #expect(chunks.count == 2)
        for (index, chunk) in chunks.enumerated() {
            // Every length near the ends, and one of 61 between.
            for length in 0..<chunk.count
            where length % 61 == 0 || length < 100 || length > chunk.count - 100 {
                var cut = chunks
                cut[index] = Array(chunk.prefix(length))
                #expect(throws: SnapshotDecodingError.self) { try snapshot(of: cut) }
            }
            var longer = chunks
            longer[index].append(0)
            #expect(throws: SnapshotDecodingError.self) { try snapshot(of: longer) }
        }
        #expect(throws: SnapshotDecodingError.parts) { try snapshot(of: [chunks[0]]) }
        #expect(throws: SnapshotDecodingError.parts) {
            try snapshot(of: chunks + [chunks[1]])
        }
        let many = self.chunks(of: try snapshot(count: 30_000, seed: 3))
        #expect(throws: SnapshotDecodingError.parts) {
            try snapshot(of: [many[0], many[2], many[1]])
        }
    }

    @Test("flipped bits are refused, or give a tree in order", arguments: 0..<8)
    func flippedBits(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let before = try snapshot(count: 600, seed: seed)
        let chunks = chunks(of: before)
        var refused = 0
        for _ in 0..<400 {
            var damaged = chunks
            let chunk = Int.random(in: 0..<chunks.count, using: &random)
            let byte = Int.random(in: 0..<chunks[chunk].count, using: &random)
            damaged[chunk][byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            guard let after = try? snapshot(of: damaged) else {
                refused += 1
                continue
            }
            // What no sum covers (expiry, owner, value, the letters of a kind no entry has) may
            // differ; the file's checksum is for that.
            #expect(after.brokenInvariant() == nil)
            #expect(after.count == before.count)
            _ = entries(of: after)
        }
        #expect(refused > 300)
    }

    @Test("whatever stands in a column, decoding does not trap", arguments: 0..<16)
    func randomColumns(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let chunks = chunks(of: try snapshot(count: 600, seed: seed))
        for _ in 0..<200 {
            var damaged = chunks
            let chunk = Int.random(in: 0..<chunks.count, using: &random)
            let start = Int.random(in: 0..<chunks[chunk].count, using: &random)
            let end = min(chunks[chunk].count, start + Int.random(in: 1...64, using: &random))
            let fill = UInt8.random(in: 0...255, using: &random)
            for byte in start..<end { damaged[chunk][byte] = fill }
            if let after = try? snapshot(of: damaged) { #expect(after.brokenInvariant() == nil) }
        }
    }

    @Test(
        "a key that no id has is no key",
        arguments: [0, 1, 11, 14, 16, 0x8000_0000_0000_0000] as [UInt64])
    func noKeys(bits: UInt64) {
        // 1 is the id "-": its one symbol has the digit 0.
        #expect(ObjectKey.isKey(bits) == (bits == 1))
        #expect(!ObjectKey.isKey(0b1_0001))
    }

    @Test("every packed id has a key")
    func keys() throws {
        for id in ["-", "a", "zz", "0123456789", "__________", "----------", "a-much-longer-id"] {
            let key = try #require(ObjectKey(packing: id))
            #expect(ObjectKey.isKey(key.bits))
        }
    }
}
