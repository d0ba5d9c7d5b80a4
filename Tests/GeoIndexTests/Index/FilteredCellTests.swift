import TestSupport
import Testing

@testable import GeoIndex

/// The cells of what a filter keeps are those of the kept entries, counted one by one.
struct FilteredCellTests {
    private static let filters = [
        EntryFilter(kinds: ["event"]), EntryFilter(kinds: ["event", "photo"]),
        EntryFilter(kinds: []), EntryFilter(kinds: ["nobody"]), EntryFilter(since: 500),
        EntryFilter(since: .min, until: .min), EntryFilter(until: 500),
        EntryFilter(since: .max, until: .max),
        EntryFilter(kinds: ["trade"], since: 200, until: 800),
        EntryFilter(test: ObjectTest(name: "odd") { $0.bits >> 10 & 1 == 1 }),
        EntryFilter(
            kinds: ["event", "trade"], since: 100,
            test: ObjectTest(name: "few") { $0.bits >> 8 & 7 == 3 }),
    ]

    @Test(
        "at every level and in any range of cells",
        arguments: [Shape.city, .streetGrid, .duplicates, .world, .poles], filters.indices)
    func cells(shape: Shape, number: Int) throws {
        let filter = Self.filters[number]
        // Several pages, and none that a range begins or ends with.
        let placements = ClusterFilterTests.placements(shape, count: 1_500, seed: number)
        let snapshot = try index(of: placements)
        let resolved = ResolvedFilter(filter, kinds: snapshot.kinds)
        var random = SeededRandom(seed: number)
        for level: UInt8 in [0, 1, 5, 9, 13, 17, 22, 26] {
            let cells = (UInt64(1) << (2 * UInt64(level))) - 1
            let middle =
                MortonKey(
                    WorldPoint(placements[Int.random(in: 0..<1_000, using: &random)].position)
                ).bits >> (64 - 2 * UInt64(level))
            for range in [0...cells, 0...middle, middle...cells, middle...middle] {
                var found = CellRuns()
                snapshot.appendCells(
                    level: level, from: range.lowerBound, through: range.upperBound,
                    filter: resolved, to: &found)
                var expected: [UInt64: CellRun] = [:]
                for (index, placement) in placements.enumerated() {
                    let point = WorldPoint(placement.position)
                    let cell = MortonKey(point).bits >> (64 - 2 * UInt64(level))
                    guard range.contains(cell), try Self.keeps(filter, placement, index) else {
                        continue
                    }
                    var run =
                        expected[cell] ?? CellRun(key: cell, sumX: 0, sumY: 0, weight: 0, count: 0)
                    run.sumX += UInt64(point.x)
                    run.sumY += UInt64(point.y)
                    run.weight += UInt64(Weight.units(of: placement.weight))
                    run.count += 1
                    expected[cell] = run
                }
                #expect(
                    found.runs == expected.values.sorted { $0.key < $1.key },
                    "level \(level), \(range)")
            }
        }
    }

    private static func keeps(
        _ filter: EntryFilter, _ placement: Placement, _ index: Int
    ) throws -> Bool {
        if let kinds = filter.kinds, !(placement.kind.map(kinds.contains) ?? false) { return false }
        if let since = filter.since, placement.time < since { return false }
        if let until = filter.until, until < .max, placement.time >= until { return false }
        guard let test = filter.test else { return true }
        return test.passes(try #require(ObjectKey(packing: "\(index)")))
    }

    @Test("a part of a page is looked at as it stands", arguments: 0..<64)
    func parts(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let snapshot = try index(
            of: ClusterFilterTests.placements(.city, count: 200, seed: seed))
        guard case .page(let page) = snapshot.root else {
            Issue.record("200 objects fill one page")
            return
        }
        let filter = try #require(
            ResolvedFilter(
                Self.filters[seed % Self.filters.count], kinds: snapshot.kinds))
        var kept = KeptEntries()
        let start = Int.random(in: 0...page.count, using: &random)
        let range = start..<Int.random(in: start...page.count, using: &random)
        filter.find(in: page, range, &kept)
        let found = (0..<kept.count).map { start + Int(kept.distances[$0]) }
        #expect(found == range.filter { filter.keeps(page, $0) }, "\(range)")
    }
}
